from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.metrics.kid import KID, kid, same_pictures

Floats = NDArray[np.float64]


def sets(seed: int, m: int = 40, n: int = 30, d: int = 6) -> tuple[Floats, Floats]:
    draw = np.random.default_rng(seed)
    return draw.normal(0.3, 1, (m, d)), draw.normal(-0.1, 1.5, (n, d))


def direct(x: Floats, y: Floats) -> float:
    """The definition, pair by pair."""

    def kernel(a: Floats, b: Floats) -> float:
        return float((a @ b / len(a) + 1) ** 3)

    within = [
        np.mean([kernel(a[i], a[j]) for i in range(len(a)) for j in range(len(a)) if i != j]) for a in (x, y)
    ]
    return float(sum(within) - 2 * np.mean([kernel(a, b) for a in x for b in y]))


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 12), st.integers(1, 20))
@settings(max_examples=30, deadline=None)
def test_it_is_the_definition_whatever_the_block(seed: int, m: int, n: int, block: int) -> None:
    x, y = sets(seed, m, n)
    assert kid(x, y, block=block) == pytest.approx(direct(x, y), rel=1e-9, abs=1e-9)
    assert kid(x, y) == pytest.approx(kid(y, x), rel=1e-9, abs=1e-9)


def test_it_is_not_larger_for_fewer_pictures() -> None:
    """Means over many draws of one distribution: 0 for ten pictures as for eighty."""
    for n in (10, 80):
        values = []
        for seed in range(400):
            draw = np.random.default_rng([n, seed])
            values.append(kid(draw.normal(size=(n, 4)), draw.normal(size=(n, 4))))
        assert abs(np.mean(values)) < 3 * np.std(values) / math.sqrt(len(values))


@given(st.integers(0, 10**6), st.integers(3, 30))
@settings(max_examples=30, deadline=None)
def test_drawing_everybody_once_is_the_value(seed: int, n: int) -> None:
    x, y = sets(seed, n, n)
    of = KID.prepare(x, y)
    assert of(np.ones(n)) == pytest.approx(kid(x, y), rel=1e-9, abs=1e-9)
    assert math.isnan(of(np.eye(n)[0] * n)), "copies of one picture are no pair"
    half = np.repeat([1.0, 0.0], [n - 1, 1])
    assert of(half) == pytest.approx(kid(x[:-1], y[:-1]), rel=1e-9, abs=1e-9)
    assert of(3 * half) == pytest.approx(of(half))


def test_one_picture_is_no_distribution() -> None:
    x, y = sets(0)
    assert math.isnan(kid(x[:1], y)) and math.isnan(kid(x, y[:1]))


def test_the_same_pictures_are_recognised() -> None:
    x, y = sets(0, 30, 30)
    assert same_pictures(x, x.copy()) == "to the encoder the protected pictures are the originals"
    assert same_pictures(x, y) == ""
    assert kid(x, x) < 0, "as published: pairs of a picture with itself count across, but not within"


@pytest.mark.filterwarnings("ignore:Metric `Kernel Inception Distance`")
def test_torchmetrics_gives_the_same() -> None:
    torch = pytest.importorskip("torch")
    images = pytest.importorskip("torchmetrics.image.kid")
    x, y = sets(1, 50, 50, 16)
    theirs = images.KernelInceptionDistance(feature=torch.nn.Identity(), subsets=1, subset_size=50)
    theirs.update(torch.tensor(x), real=True)
    theirs.update(torch.tensor(y), real=False)
    assert kid(x, y) == pytest.approx(float(theirs.compute()[0]), rel=1e-9)
