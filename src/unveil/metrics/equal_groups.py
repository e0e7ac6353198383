"""Groups brought to one size, for a value that depends on how many pictures there are, such as FID."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

LEAST = 20
"""Pictures of a group that is compared: below it the value is chance, and few would make all groups small."""


def of_equal_size(
    groups: Mapping[str, NDArray[np.bool_]],
    used: NDArray[np.bool_],
    rng: np.random.Generator,
    *,
    least: int = LEAST,
) -> dict[str, NDArray[np.bool_]]:
    """As many rows of every group as the smallest one that is compared has, drawn without replacement.

    A group of fewer than ``least`` rows is not compared: it does not set the size, and is left as it is.

    Args:
        groups: name -> rows, bool (n,), as :attr:`unveil.metrics.grouping.Crowd.groups` holds them.
        used: rows that count, bool (n,): the metric's denominator. The others stay in their groups, and are
            reported as excluded as before.
        rng: source of the draws.
        least: rows of a group that is compared.

    Returns:
        Name -> rows, in the same order.

    >>> few, many = np.array([True, True, False, False, False]), np.array([False, False, True, True, True])
    >>> thin = of_equal_size({"few": few, "many": many}, np.ones(5, bool), np.random.default_rng(0), least=2)
    >>> {name: int(rows.sum()) for name, rows in thin.items()}
    {'few': 2, 'many': 2}
    """
    counts = {name: int(np.count_nonzero(rows & used)) for name, rows in groups.items()}
    size = min((count for count in counts.values() if count >= least), default=0)
    thinned = {}
    for name, rows in groups.items():
        surplus = rng.choice(np.flatnonzero(rows & used), max(counts[name] - size, 0), replace=False)
        thinned[name] = rows.copy()
        if counts[name] >= least:
            thinned[name][surplus] = False
    return thinned
