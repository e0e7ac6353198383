"""Groups brought to one size, for a value that depends on how many pictures there are, such as FID."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray


def of_equal_size(
    groups: Mapping[str, NDArray[np.bool_]], used: NDArray[np.bool_], rng: np.random.Generator
) -> dict[str, NDArray[np.bool_]]:
    """As many rows of every group as its smallest one has, drawn without replacement.

    A group of fewer than two rows has no FID, so it does not set the size; it is left as it is.

    Args:
        groups: name -> rows, bool (n,), as :attr:`unveil.metrics.grouping.Crowd.groups` holds them.
        used: rows that count, bool (n,): the metric's denominator. The others stay in their groups, and are
            reported as excluded as before.
        rng: source of the draws.

    Returns:
        Name -> rows, in the same order.

    >>> few, many = np.array([True, True, False, False, False]), np.array([False, False, True, True, True])
    >>> thin = of_equal_size({"few": few, "many": many}, np.ones(5, bool), np.random.default_rng(0))
    >>> {name: int(rows.sum()) for name, rows in thin.items()}
    {'few': 2, 'many': 2}
    """
    counts = {name: int(np.count_nonzero(rows & used)) for name, rows in groups.items()}
    size = min((count for count in counts.values() if count > 1), default=0)
    thinned = {}
    for name, rows in groups.items():
        surplus = rng.choice(np.flatnonzero(rows & used), max(counts[name] - size, 0), replace=False)
        thinned[name] = rows.copy()
        if counts[name] > 1:
            thinned[name][surplus] = False
    return thinned
