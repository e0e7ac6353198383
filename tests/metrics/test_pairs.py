from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.metrics.pairs import sum_across, sum_within


@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(1, 20), st.integers(1, 25))
def test_blocks_add_up(seed: int, m: int, n: int, block: int) -> None:
    draw = np.random.default_rng(seed)
    a, b, p, q = draw.random((m, 3)), draw.random((n, 3)), draw.random(m), draw.random(n)

    def kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.exp(-np.abs(x[:, None] - y[None]).sum(axis=-1))

    assert sum_across(kernel, a, p, b, q, block) == pytest.approx(p @ kernel(a, b) @ q)
    assert sum_within(kernel, a, p, block) == pytest.approx(p @ kernel(a, a) @ p)
