from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from unveil.core.fingerprint import rng
from unveil.metrics.fidelity import (
    FAILED,
    LANDMARK_ERROR,
    LANDMARK_FAILURE_RATE,
    PERCEPTUAL_DIFFERENCE,
    PSNR,
    SHARPNESS,
    SSIM,
)
from unveil.metrics.grouping import disaggregate

MEANS = {
    "ssim": SSIM,
    "psnr": PSNR,
    "sharpness": SHARPNESS,
    "difference": PERCEPTUAL_DIFFERENCE,
    "nme": LANDMARK_ERROR,
}


def frame(column: str, values: list[float], status: list[str]) -> pd.DataFrame:
    ids = [str(i) for i in range(len(values))]
    people = [f"p{i % 5}" for i in range(len(values))]
    group = ["Female" if i % 2 else "Male" for i in range(len(values))]
    return pd.DataFrame({"status": status, "identity": people, "sample_id": ids, "gender": group, column: values})


@pytest.mark.parametrize("column", MEANS)
def test_the_mean_of_what_was_measured(column: str) -> None:
    values = np.random.default_rng(0).random(40).tolist()
    status = ["ok"] * 36 + ["error", "not_protected", "not_acquired", "ok"]
    values[-1] = math.nan
    measured = disaggregate(MEANS[column], frame(column, values, status), "gender", rng=rng(0))
    overall = measured.overall
    assert overall.value == pytest.approx(np.mean(values[:36]))
    assert (overall.n, overall.n_identities, overall.n_excluded) == (36, 5, 4)
    assert overall.ci_low < overall.value < overall.ci_high
    assert [e.value for e in measured.groups] == pytest.approx([np.mean(values[1:36:2]), np.mean(values[0:36:2])])


def test_weights_are_copies() -> None:
    values = np.arange(4.0)
    weights = np.array([0.0, 2, 1, 3])
    assert SSIM.compute({"ssim": values}, weights) == pytest.approx(np.repeat(values, [0, 2, 1, 3]).mean())


def test_equal_pictures_do_not_break_the_mean() -> None:
    estimate = disaggregate(PSNR, frame("psnr", [100.0] * 10, ["ok"] * 10), "", rng=rng(0)).overall
    assert estimate.value == 100 and estimate.note == "every replicate is the same: no interval"
    nothing = disaggregate(PSNR, frame("psnr", [math.nan], ["error"]), "", rng=rng(0)).overall
    assert math.isnan(nothing.value)


def test_landmarks_are_lost_by_distance_or_with_the_face() -> None:
    values = [0.0, FAILED, FAILED + 0.01, math.nan, math.nan, math.nan]
    status = ["ok", "ok", "ok", "not_acquired", "error", "not_protected"]
    lost = frame("nme", values, status)
    estimate = disaggregate(LANDMARK_FAILURE_RATE, lost, "", rng=rng(0)).overall
    assert estimate.value == 2 / 4 and (estimate.n, estimate.n_excluded) == (4, 2)
    assert disaggregate(LANDMARK_ERROR, lost, "", rng=rng(0)).overall.n == 3


def test_directions() -> None:
    better = {metric.meta.name for metric in MEANS.values() if metric.meta.higher_is_better}
    assert better == {"ssim", "psnr", "sharpness"}
    assert not LANDMARK_FAILURE_RATE.meta.higher_is_better
