from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.fingerprint import rng
from unveil.metrics.grouping import disaggregate
from unveil.metrics.similarity import (
    SIMILAR_MATCH_RATE,
    SimilarityPoint,
    decide_by_similarity,
    parse_similarity_point,
)


@pytest.fixture
def persons() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "status": ["ok", "ok", "ok", "not_acquired", "not_protected", "error"],
            "identity": "",
            "sample_id": list("aabbcd"),
            "iou": [0.9, 0.6, 0.5, np.nan, 1.0, np.nan],
            "ssim": [0.9, 0.1, 0.5, np.nan, 1.0, np.nan],
        }
    )


def test_who_is_found_and_looks_alike_is_similar(persons: pd.DataFrame) -> None:
    assert decide_by_similarity(persons, 0.5, 0.5).tolist() == [True, False, True, False, True, False]
    assert decide_by_similarity(persons, 0.5, 0.0).tolist() == [True, True, True, False, True, False]
    frame = persons.assign(similar=decide_by_similarity(persons, 0.5, 0.5))
    estimate = disaggregate(SIMILAR_MATCH_RATE, frame, "", rng=rng(0)).overall
    assert estimate.value == 2 / 4  # of those found on protected originals, missed ones included
    assert (estimate.n, estimate.n_excluded) == (4, 2)
    assert not SIMILAR_MATCH_RATE.meta.higher_is_better


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**6))
def test_stricter_thresholds_leave_fewer(low: float, high: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({"iou": draw.random(20), "ssim": draw.uniform(-1, 1, 20)})
    low, high = sorted((low, high))
    strict, mild = decide_by_similarity(frame, high, low), decide_by_similarity(frame, low, low)
    assert not (strict & ~mild).any()


def test_points_are_read() -> None:
    assert parse_similarity_point("iou=0.5,ssim=0.25") == SimilarityPoint(0.5, 0.25)
    assert parse_similarity_point("iou=1,ssim=-0.5") == (1, -0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iou=0.5", "must read iou=0.5,ssim=0.5"),
        ("ssim=0.5,iou=0.5", "must read"),
        ("iou=nan,ssim=0.5", "must read"),
        ("iou=1.5,ssim=0.5", "iou must be between 0 and 1, got 1.5"),
        ("iou=0.5,ssim=-2", "ssim must be between -1 and 1, got -2"),
    ],
)
def test_what_is_no_point_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_similarity_point(text)


def test_no_threshold_is_refused(persons: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="ssim must be"):
        decide_by_similarity(persons, 0.5, math.nan)
