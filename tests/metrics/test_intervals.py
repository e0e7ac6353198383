from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from unveil.metrics.intervals import clopper_pearson, expanded_percentile


@given(st.integers(1, 60), st.floats(0, 1))
def test_clopper_pearson_agrees_with_scipy(n: int, share: float) -> None:
    k = round(share * n)
    expected = binomtest(k, n).proportion_ci(method="exact")
    assert clopper_pearson(k, n) == pytest.approx((expected.low, expected.high))


def test_clopper_pearson_never_covers_too_little() -> None:
    for p in (0.01, 0.2, 0.5):
        inside = [k for k in range(21) if clopper_pearson(k, 20)[0] <= p <= clopper_pearson(k, 20)[1]]
        assert binom.pmf(inside, 20, p).sum() >= 0.95


def test_no_trials_no_interval() -> None:
    assert all(math.isnan(bound) for bound in clopper_pearson(0, 0))


def test_expansion_widens_for_few_people_and_vanishes_for_many() -> None:
    draws = np.random.default_rng(0).normal(size=20_000)
    few, many = expanded_percentile(draws, 5), expanded_percentile(draws, 100_000)
    assert few[1] - few[0] > many[1] - many[0]
    assert many == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), abs=0.01)
    assert all(math.isnan(bound) for bound in expanded_percentile(draws, 1))
    assert all(math.isnan(bound) for bound in expanded_percentile(np.array([np.nan]), 9))
