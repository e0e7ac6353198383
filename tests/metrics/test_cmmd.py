from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.core.errors import DataError
from unveil.core.fingerprint import rng
from unveil.metrics.cmmd import CMMD, UNRELATED, cmmd
from unveil.metrics.grouping import disaggregate

Floats = NDArray[np.float64]


def direct(x: Floats, y: Floats, p: Floats | None = None, q: Floats | None = None) -> float:
    """The definition, in float64, every pair at once."""
    a, b = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y))
    p = np.full(len(a), 1 / len(a)) if p is None else p / p.sum()
    q = np.full(len(b), 1 / len(b)) if q is None else q / q.sum()

    def kernel(u: Floats, v: Floats) -> Floats:
        return np.exp(-np.square(u[:, None] - v[None]).sum(axis=-1) / (2 * 10**2))

    return float(1000 * (p @ kernel(a, a) @ p + q @ kernel(b, b) @ q - 2 * p @ kernel(a, b) @ q))


def sets(seed: int, m: int = 40, n: int = 30, d: int = 16) -> tuple[Floats, Floats]:
    draw = np.random.default_rng(seed)
    return draw.normal(0.3, 1, (m, d)), draw.normal(-0.1, 1, (n, d))


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(2, 40), st.integers(1, 50))
@settings(max_examples=40, deadline=None)
def test_it_is_the_direct_computation_whatever_the_block(seed: int, m: int, n: int, block: int) -> None:
    x, y = sets(seed, m, n)
    assert cmmd(x, y, block=block) == pytest.approx(direct(x, y), abs=1e-5)
    draw = np.random.default_rng(seed)
    p, q = draw.integers(1, 4, m).astype(float), draw.integers(1, 4, n).astype(float)
    weighted = cmmd(x, y, p, q, block=block)
    assert weighted == pytest.approx(direct(x, y, p, q), abs=1e-5)
    copies = cmmd(np.repeat(x, p.astype(int), axis=0), np.repeat(y, q.astype(int), axis=0), block=block)
    assert weighted == pytest.approx(copies, abs=1e-5)


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_symmetric_not_negative_and_zero_for_equal_sets(seed: int) -> None:
    x, y = sets(seed, m=20, n=25)
    assert cmmd(x, y) == pytest.approx(cmmd(y, x), abs=1e-6)
    assert cmmd(x, y) >= 0
    shuffled = np.random.default_rng(seed).permutation(x) * 3.0  # neither order nor length matters
    assert cmmd(x, shuffled, block=7) == pytest.approx(0, abs=1e-5)


def test_small_differences_survive_in_float32() -> None:
    draw = np.random.default_rng(0)
    x = (draw.normal(size=(80, 768)) + 2).astype(np.float32)
    y = (x + draw.normal(0.05, 0.01, x.shape)).astype(np.float32)
    expected = direct(x.astype(np.float64), y.astype(np.float64))
    assert 0 < expected < 0.01
    assert cmmd(x, y) == pytest.approx(expected, abs=1e-5)


def test_unrelated_points_are_the_upper_anchor() -> None:
    x, y = np.tile([1.0, 0.0], (3, 1)), np.tile([0.0, 1.0], (4, 1))
    assert cmmd(x, y) == pytest.approx(UNRELATED) == pytest.approx(19.9003, abs=1e-4)


def test_one_picture_is_no_distribution() -> None:
    x, y = sets(0)
    assert math.isnan(cmmd(x[:1], y))
    assert math.isnan(cmmd(x, y[:1]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": np.ones(3)}, r"x must be an array \(pictures, dimension\), got shape \(3,\)"),
        ({"x": np.ones((3, 5))}, "of one dimension, got 5 and 16"),
        ({"x": np.zeros((3, 16))}, "x: every embedding must have a direction"),
        ({"y": np.full((3, 16), np.nan)}, "y: every embedding must have a direction"),
        ({"weights_x": np.ones(3)}, "weights_x must be 40 numbers"),
        ({"weights_y": np.zeros(30)}, "weights_y must be 30 numbers"),
        ({"weights_x": -np.ones(40)}, "weights_x must be 40 numbers"),
        ({"block": 0}, "block must be at least 1, got 0"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: dict[str, object], message: str) -> None:
    x, y = sets(0)
    with pytest.raises(ValueError, match=message):
        cmmd(**({"x": x, "y": y} | arguments))  # type: ignore[arg-type]


@pytest.fixture
def pictures() -> pd.DataFrame:
    """Embeddings of 50 pictures of 10 people, five of which have no protected version."""
    draw = np.random.default_rng(0)
    original = draw.normal(0.5, 1, (50, 16)).astype(np.float32)
    protected = (original + draw.normal(0.3, 0.5, original.shape)).astype(np.float32)
    ok = np.arange(50) >= 5
    return pd.DataFrame(
        {
            "status": np.where(ok, "ok", "not_protected"),
            "identity": [f"p{i % 10}" for i in range(50)],
            "sample_id": [str(i) for i in range(50)],
            "original": list(original),
            "protected": [list(map(float, v)) if here else None for v, here in zip(protected, ok, strict=True)],
        }
    )


def test_it_is_measured_on_protected_pictures_with_an_interval(pictures: pd.DataFrame) -> None:
    estimate = disaggregate(CMMD, pictures, "", rng=rng(0)).overall
    seen = pictures[5:]
    expected = direct(*(np.array(seen[name].tolist(), np.float64) for name in ("original", "protected")))
    assert estimate.value == pytest.approx(expected, abs=1e-5) == CMMD.value(pictures)
    assert (estimate.n, estimate.n_identities, estimate.n_excluded) == (45, 10, 5)
    assert 0 < estimate.ci_low < estimate.value < estimate.ci_high
    assert estimate.note == ""


def test_originals_against_themselves_are_at_no_distance(pictures: pd.DataFrame) -> None:
    same = pictures.assign(protected=pictures["original"], status="ok")
    estimate = disaggregate(CMMD, same, "", rng=rng(0)).overall
    assert estimate.value == pytest.approx(0, abs=1e-6)


def test_many_pictures_have_a_value_without_an_interval(pictures: pd.DataFrame) -> None:
    estimate = disaggregate(replace(CMMD, most_drawn=44), pictures, "", rng=rng(0)).overall
    assert estimate.value == CMMD.value(pictures)
    assert math.isnan(estimate.ci_low)
    assert estimate.note == "more than 44 pictures: no interval"
    assert CMMD.most_drawn == 2000


def test_bad_rows_do_not_spoil_the_others(pictures: pd.DataFrame) -> None:
    value = CMMD.value(pictures)
    for bad in (None, [], [0.0] * 16, [math.nan] * 16):
        spoilt = pictures.copy()
        spoilt.at[0, "status"] = "ok"
        spoilt.at[0, "protected"] = bad
        assert CMMD.value(spoilt) == value
    few = disaggregate(CMMD, pictures[4:6], "", rng=rng(0)).overall
    assert math.isnan(few.value)
    assert few.note == "fewer than 2 pictures"
    pictures.at[9, "protected"] = [1.0, 2.0]
    with pytest.raises(DataError, match=r"of one dimension, got \[2, 16\]"):
        CMMD.value(pictures)


def test_intervals_are_not_shifted_by_the_bootstraps_own_bias() -> None:
    """Few pictures that differ by noise alone: drawing them again adds the estimator's bias a second time."""
    draw = np.random.default_rng(3)
    original = draw.normal(size=(24, 64))
    frame = pd.DataFrame(
        {
            "status": "ok",
            "identity": "",
            "sample_id": [str(i) for i in range(24)],
            "original": list(original),
            "protected": list(original + draw.normal(0, 0.8, original.shape)),
        }
    )
    estimate = disaggregate(CMMD, frame, "", rng=rng(0)).overall
    assert estimate.ci_low < estimate.value < estimate.ci_high
