from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.methods.dp_samp import DPSamp, clusters, interpolate, sample_size

from .material import Context, picture, sample


@given(st.integers(0, 400), st.integers(1, 30), st.floats(0.001, 20))
def test_sample_size_is_the_largest_that_the_budget_allows(pixels: int, m: int, eps: float) -> None:
    def loss(x: int) -> float:
        kept = math.comb(max(pixels - m, 0), x)
        return math.inf if kept == 0 else math.log(math.comb(pixels, x)) - math.log(kept)

    size = sample_size(pixels, m, eps)
    assert size == 0 or loss(size) <= eps + 1e-9
    assert loss(size + 1) > eps - 1e-9


def test_clusters_find_the_colors_of_a_picture() -> None:
    colors = np.array([[250, 10, 10], [10, 250, 10], [10, 10, 250]], np.uint8)
    image = colors[np.random.default_rng(0).integers(0, 3, (20, 30))]
    labels, centres = clusters(image, 3)
    assert np.array_equal(centres[labels].reshape(image.shape), image)


def test_clusters_minimise_no_worse_than_scikit_learn() -> None:
    from sklearn.cluster import KMeans

    yy, xx = np.mgrid[:40, :40]
    image = np.stack([yy * 6, xx * 6, (xx + yy) * 3], axis=-1).astype(np.uint8)
    pixels = image.reshape(-1, 3).astype(float)
    labels, centres = clusters(image, 6)
    mine = ((pixels - centres[labels]) ** 2).sum()
    assert mine < 1.25 * KMeans(6, n_init=3, random_state=0).fit(pixels).inertia_


def test_a_flat_picture_keeps_its_color_when_anything_is_sampled() -> None:
    flat = np.full((40, 40, 3), 90, np.uint8)
    assert np.array_equal(DPSamp(eps=2.0, m=1).protect([flat], Context([sample()]))[0], flat)


def test_no_budget_gives_grey() -> None:
    (result,) = DPSamp(eps=0.001, m=50).protect([picture(20, 20)], Context([sample()]))
    assert (result == 127).all()


def test_more_budget_comes_nearer_to_the_original() -> None:
    yy, xx = np.mgrid[:60, :60]
    image = np.stack([yy * 4, xx * 4, (xx + yy) * 2], axis=-1).astype(np.uint8)

    def error(eps: float) -> float:
        (result,) = DPSamp(eps=eps, m=4, k=16).protect([image], Context([sample()]))
        return float(np.abs(result.astype(float) - image).mean())

    assert error(0.1) > 1.5 * error(2.0)  # from there on the clusters bound it


@pytest.mark.parametrize("eps", [0.3, 1.5])
def test_given_pixels_are_avoided_as_often_as_stated(eps: float) -> None:
    """What is proved: no sample is among any m fixed pixels with probability at least exp(-eps)."""
    m, pixels, draws = 6, 120, 20_000
    size = sample_size(pixels, m, eps)
    rng = np.random.default_rng(1)
    avoided = np.mean([rng.choice(pixels, size, replace=False).min() >= m for _ in range(draws)])
    assert avoided >= math.exp(-eps) - 4 / math.sqrt(draws)
    assert "not differential privacy" in DPSamp(eps=eps, m=m).guarantee.statement


def test_interpolation_is_linear_between_samples_and_nearest_outside() -> None:
    corners = np.array([1 * 9 + 1, 1 * 9 + 7, 7 * 9 + 1, 7 * 9 + 7])  # of a square inside 9 x 9
    colors = np.array([[0, 0, 0], [60, 0, 0], [0, 60, 0], [60, 60, 0]], float)
    filled = interpolate(corners, colors, (9, 9, 3))
    assert filled[4, 4].tolist() == [30, 30, 0]
    assert filled[1, 3].tolist() == [20, 0, 0]
    assert filled[0, 0].tolist() == [0, 0, 0]
    assert filled[8, 8].tolist() == [60, 60, 0]
