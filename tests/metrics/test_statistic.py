from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from unveil.core.fingerprint import rng
from unveil.core.protocols import Source
from unveil.metrics.grouping import disaggregate
from unveil.metrics.kind import Columns, flags, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.statistic import Measure, Statistic, reader, words


def _mean(columns: Columns) -> Measure:
    size = columns["size"]
    return lambda weights: float(np.average(size, weights=weights)) if len(size) else math.nan


def _not_negative(columns: Columns) -> tuple[np.ndarray, str]:
    kept = columns["size"] >= 0
    return kept, "" if kept.all() else "negative sizes left out"


MEAN = Statistic(
    MetricMeta("mean_size", 1, "Size", ("size",), True, "m", Source("none")),
    reader(size=numbers),
    with_status("ok"),
    _mean,
    "no size",
    keep=_not_negative,
    proportion=False,
)


@pytest.fixture
def frame() -> pd.DataFrame:
    size = np.random.default_rng(0).normal(10, 2, 60)
    size[:5] = -1
    status = np.where(np.arange(60) % 10 == 9, "error", "ok")
    person = np.arange(60) // 2
    return pd.DataFrame({"status": status, "identity": person.astype(str), "size": size})


def test_rows_left_out_are_counted_and_their_people_do_not_count(frame: pd.DataFrame) -> None:
    estimate = disaggregate(MEAN, frame, "", rng=rng(0)).overall
    seen = frame[(frame["status"] == "ok") & (frame["size"] >= 0)]
    assert estimate.value == pytest.approx(seen["size"].mean()) == pytest.approx(MEAN.value(frame))
    assert (estimate.n, estimate.n_identities) == (len(seen), seen["identity"].nunique())
    assert estimate.n + estimate.n_excluded == len(frame)
    assert estimate.note == "negative sizes left out"
    by_person = seen.groupby("identity")["size"].mean()
    width = 2 * 2.05 * by_person.std() / np.sqrt(len(by_person))
    assert estimate.ci_high - estimate.ci_low == pytest.approx(width, rel=0.25)


def test_nothing_is_drawn_when_there_is_no_value(frame: pd.DataFrame) -> None:
    stream = rng(0)
    nothing = disaggregate(MEAN, frame[:5], "", rng=stream).overall
    assert (nothing.n, nothing.note) == (0, "negative sizes left out")
    assert math.isnan(nothing.value)
    assert stream.random() == rng(0).random()


def test_weights_of_rows_left_out_do_not_count(frame: pd.DataFrame) -> None:
    columns = MEAN.columns(frame)
    weights = np.where(frame["size"] >= 0, 1.0, 99.0)
    assert MEAN.compute(columns, weights) == pytest.approx(MEAN.compute(columns))


def test_missing_values_are_read_as_not_there() -> None:
    frame = pd.DataFrame({"yes": [True, False, None, math.nan], "label": ["age", None, math.nan, "face"]})
    assert flags(frame, "yes").tolist() == [True, False, False, False]
    assert flags(frame.astype({"yes": "boolean"}), "yes").tolist() == [True, False, False, False]
    assert words(frame, "label").tolist() == ["age", "", "", "face"]
