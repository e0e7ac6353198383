"""Sums of a kernel over all pairs of two sets, in memory that does not grow with the number of pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 1024
"""Pictures per side of a block: 8 MB of kernel values."""

Rows = NDArray[Any]
"""Vectors (n, d)."""

Kernel = Callable[[Rows, Rows], NDArray[np.float64]]
"""Vectors (m, d), (n, d) -> value of each pair (m, n); symmetric."""


def sum_across(
    kernel: Kernel,
    a: Rows,
    p: NDArray[np.float64],
    b: Rows,
    q: NDArray[np.float64],
    block: int = BLOCK,
) -> float:
    """The sum of p_i q_j k(a_i, b_j) over all pairs.

    Args:
        kernel: of a pair.
        a, b: vectors (m, d), (n, d).
        p, q: their weights (m,), (n,).
        block: how many are compared with how many at a time.
    """
    total = 0.0
    for i in range(0, len(a), block):
        for j in range(0, len(b), block):
            total += float(p[i : i + block] @ kernel(a[i : i + block], b[j : j + block]) @ q[j : j + block])
    return total


def sum_within(kernel: Kernel, a: Rows, p: NDArray[np.float64], block: int = BLOCK) -> float:
    """The same of a set with itself: blocks below the diagonal mirror those above."""
    total = 0.0
    for i in range(0, len(a), block):
        rows, share = a[i : i + block], p[i : i + block]
        total += float(share @ kernel(rows, rows) @ share)
        total += 2 * sum_across(kernel, rows, share, a[i + block :], p[i + block :], block)
    return total
