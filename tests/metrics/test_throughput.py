from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from unveil.core.fingerprint import rng
from unveil.metrics.grouping import disaggregate
from unveil.metrics.throughput import FRAMES_PER_SECOND


def repeats(*seconds: float) -> pd.DataFrame:
    """Ten frames each; all rows are of one picture, as a benchmark has it."""
    return pd.DataFrame(
        {"status": "ok", "identity": "", "sample_id": "a", "size": "640x480", "frames": 10, "seconds": seconds}
    )


def test_it_is_the_median_and_one_hiccup_does_not_matter() -> None:
    frame = repeats(0.5, 0.4, 0.5, 0.5, 9.0)
    estimate = disaggregate(FRAMES_PER_SECOND, frame, "", rng=rng(0)).overall
    assert estimate.value == 20 == FRAMES_PER_SECOND.value(frame)
    assert (estimate.n, estimate.n_identities, estimate.n_excluded) == (5, 5, 0)  # repeats, not pictures
    assert estimate.ci_low < 20 < estimate.ci_high <= 25
    assert FRAMES_PER_SECOND.meta.unit == "frames/s"


def test_repeats_that_took_no_time_or_failed_are_excluded() -> None:
    frame = repeats(0.5, 0.0, math.nan, 0.25)
    frame.loc[3, "status"] = "error"
    estimate = disaggregate(FRAMES_PER_SECOND, frame, "", rng=rng(0)).overall
    assert (estimate.value, estimate.n, estimate.n_excluded) == (20, 1, 3)
    assert estimate.note == "one repeat: no interval"
    nothing = disaggregate(FRAMES_PER_SECOND, frame[1:], "", rng=rng(0)).overall
    assert math.isnan(nothing.value)


def test_equal_repeats_have_no_interval_instead_of_a_binomial_one() -> None:
    estimate = disaggregate(FRAMES_PER_SECOND, repeats(*[0.5] * 8), "", rng=rng(0)).overall
    assert estimate.value == 20
    assert math.isnan(estimate.ci_low)
    assert "every replicate is the same" in estimate.note


def test_weights_are_repetitions() -> None:
    columns = FRAMES_PER_SECOND.columns(repeats(0.5, 0.25, 1.0))
    assert FRAMES_PER_SECOND.compute(columns, np.array([1.0, 2.0, 0.0])) == pytest.approx(40)
    assert FRAMES_PER_SECOND.compute(columns, np.array([1.0, 1.0, 0.0])) == pytest.approx(30)
