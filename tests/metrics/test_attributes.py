"""Preserving rate, accuracy and exposure of attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.fingerprint import rng
from unveil.metrics.attributes import ATTRIBUTE_ACCURACY, ATTRIBUTE_EXPOSURE, ATTRIBUTE_PRESERVING_RATE
from unveil.metrics.grouping import disaggregate
from unveil.metrics.outcomes import STATUSES

METRICS = (ATTRIBUTE_PRESERVING_RATE, ATTRIBUTE_ACCURACY, ATTRIBUTE_EXPOSURE)


def rows(*given: dict[str, Any]) -> pd.DataFrame:
    usual = {
        "attribute": "gender", "kind": "categorical", "status": "ok", "preserved": 1.0, "true_value": "Male",
        "correct": 1.0, "identity": "ann", "group": "x",
    }  # fmt: skip
    return pd.DataFrame([{**usual, **row} for row in given])


NOT_SEEN = {"preserved": np.nan, "correct": np.nan}
FRAME = rows(
    {"preserved": 1.0, "correct": 1.0},
    {"preserved": 0.0, "correct": 0.0, "identity": "bo"},
    {"preserved": 1.0, "correct": np.nan, "true_value": "", "identity": "cy"},
    {"status": "not_acquired", **NOT_SEEN, "identity": "bo"},
    {"status": "not_protected", **NOT_SEEN, "identity": "di"},
    {"status": "error", "correct": 1.0, "preserved": np.nan},
)


def test_values_by_hand() -> None:
    assert ATTRIBUTE_PRESERVING_RATE.value(FRAME) == pytest.approx(2 / 3)
    # Two told rightly of three: what is told of a protected face needs nothing of the original, an ``error``.
    assert ATTRIBUTE_ACCURACY.value(FRAME) == pytest.approx(2 / 3)
    assert ATTRIBUTE_EXPOSURE.value(FRAME) == 0.6  # two told rightly and one unprotected, of five that are known


def test_numbers_are_averaged_and_never_exposed() -> None:
    ages = rows(
        {"kind": "numeric", "true_value": "40", "preserved": 0.8, "correct": 0.9},
        {"kind": "numeric", "true_value": "50", "preserved": 0.6, "correct": 1.0},
    )
    assert ATTRIBUTE_PRESERVING_RATE.value(ages) == pytest.approx(0.7)
    assert ATTRIBUTE_ACCURACY.value(ages) == pytest.approx(0.95)
    assert np.isnan(ATTRIBUTE_EXPOSURE.value(ages))


def test_what_is_left_out_is_counted() -> None:
    for metric, n, excluded in zip(METRICS, (3, 3, 5), (3, 2, 0), strict=True):
        estimate = disaggregate(metric, FRAME, "", rng=rng("x")).overall
        assert (estimate.n, estimate.n_excluded) == (n, excluded), metric.meta.name


def test_a_negative_mean_of_poses_has_an_interval() -> None:
    stream = np.random.default_rng(1)
    poses = rows(
        *(
            {"kind": "angles", "preserved": v, "identity": str(i)}
            for i, v in enumerate(stream.uniform(-1, 0.2, 60))
        )
    )
    estimate = disaggregate(ATTRIBUTE_PRESERVING_RATE, poses, "", rng=rng("x")).overall
    assert -1 <= estimate.ci_low < estimate.value < estimate.ci_high < 0


def test_photos_of_one_person_are_drawn_together() -> None:
    """Twenty people with one answer each for all of their photos: as uncertain as twenty photos."""
    people = [{"preserved": float(i % 2), "identity": str(i)} for i in range(20)]
    once, often = (
        disaggregate(ATTRIBUTE_PRESERVING_RATE, rows(*people * n), "", rng=rng("x")).overall for n in (1, 9)
    )
    assert often.n == 180 and often.n_identities == once.n_identities == 20
    assert often.ci_high - often.ci_low == pytest.approx(once.ci_high - once.ci_low, rel=0.2)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.meta.name)
def test_by_group_and_by_attribute(metric: Any) -> None:
    assert metric.meta.facet == "attribute" and metric.meta.by_group and metric.meta.unit == "share"
    groups = disaggregate(metric, FRAME.assign(group=list("xyxyxy")), "group", rng=rng("x"))
    assert [estimate.group for estimate in groups.groups] == ["x", "y"]


row = st.fixed_dictionaries(
    {
        "status": st.sampled_from(STATUSES),
        "kind": st.sampled_from(("categorical", "numeric")),
        "true_value": st.sampled_from(("", "Male")),
        "preserved": st.sampled_from((0.0, 0.25, 1.0, np.nan)),
        "correct": st.sampled_from((0.0, 1.0, np.nan)),
        "identity": st.sampled_from("abc"),
    }
)


@settings(deadline=None, max_examples=60)
@given(st.lists(row, min_size=1, max_size=30))
def test_shares_of_any_rows(given_rows: list[dict[str, Any]]) -> None:
    frame = rows(*given_rows)
    for metric in METRICS:
        estimate = disaggregate(metric, frame, "", rng=rng("x"), replicates=20).overall
        assert np.isnan(estimate.value) if estimate.n == 0 else 0 <= estimate.value <= 1
        assert estimate.value == pytest.approx(metric.value(frame), nan_ok=True)
    ok = frame[(frame["status"] == "ok") & frame["preserved"].notna()]
    mean = ok["preserved"].mean() if len(ok) else np.nan
    assert ATTRIBUTE_PRESERVING_RATE.value(frame) == pytest.approx(mean, nan_ok=True)
