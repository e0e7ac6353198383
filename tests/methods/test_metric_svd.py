from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma, kstest

from unveil.methods.metric_svd import MetricSVD, leading_svd, multivariate_laplace

from .material import Context, picture, sample

side = st.integers(1, 30)


@given(side, side, st.integers(1, 8))
def test_leading_values_agree_with_the_whole_decomposition(height: int, width: int, k: int) -> None:
    matrix = picture(height, width)[:, :, 0] / 255.0
    left, values, right = leading_svd(matrix, k)
    kept = min(k, height, width)
    wanted = np.linalg.svd(matrix, compute_uv=False)[:kept]
    np.testing.assert_allclose(values, wanted, atol=1e-6)
    np.testing.assert_allclose(left.T @ left, np.eye(kept), atol=1e-8)
    np.testing.assert_allclose(right @ right.T, np.eye(kept), atol=1e-8)


def test_zero_matrices_have_orthonormal_vectors_too() -> None:
    left, values, right = leading_svd(np.zeros((6, 9)), 3)
    assert (values == 0).all()
    np.testing.assert_allclose(left.T @ left, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(right @ right.T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(("k", "eps"), [(1, 0.5), (4, 2.0)])
def test_noise_has_a_gamma_radius_and_no_direction(k: int, eps: float) -> None:
    rng = np.random.default_rng(0)
    noise = np.array([multivariate_laplace(k, eps, rng) for _ in range(4000)])
    radius = np.linalg.norm(noise, axis=1)
    assert kstest(radius, gamma(k, scale=1 / eps).cdf).pvalue > 0.001
    mean = (noise / radius[:, None]).mean(0)
    assert np.abs(mean).max() < 5 / np.sqrt(4000)


def test_with_much_budget_it_is_the_best_low_rank_picture() -> None:
    image = picture(20, 26)
    (protected,) = MetricSVD(eps=1e9, k=3).protect([image], Context([sample()]))
    for channel in range(3):
        left, values, right = np.linalg.svd(image[:, :, channel] / 255.0, full_matrices=False)
        wanted = np.clip((left[:, :3] * values[:3]) @ right[:3], 0, 1) * 255
        assert np.abs(protected[:, :, channel] - wanted).max() <= 0.51


def test_states_that_the_vectors_are_not_protected() -> None:
    assert "singular vectors are published without noise" in MetricSVD().guarantee.statement
