"""How much a ranking by practicality depends on the weights: all weights at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Standing:
    """How one method ranks over all weights.

    Attributes:
        share_first: share of the weights under which it comes first.
        best_rank: 1 = first.
        worst_rank: the lowest place it takes under any weights.
    """

    share_first: float
    best_rank: int
    worst_rank: int


def centres(resolution: int) -> NDArray[np.float64]:
    """Weights that stand for equal areas of the simplex.

    The triangle of all weights is cut into ``resolution`` squared equal triangles; these are their centres.

    Returns:
        float64 (resolution^2, 3); rows are positive and sum to 1.

    Raises:
        ValueError: for a resolution below 1.
    """
    if resolution < 1:
        raise ValueError(f"resolution must be at least 1, got {resolution}")
    i, j = (index.ravel() for index in np.indices((resolution, resolution)))
    upright = i + j < resolution
    inverted = i + j < resolution - 1
    third = np.concatenate(
        [
            np.stack([i[upright] + 1 / 3, j[upright] + 1 / 3], axis=1),
            np.stack([i[inverted] + 2 / 3, j[inverted] + 2 / 3], axis=1),
        ]
    )
    first_two = third / resolution
    return np.column_stack([first_two, 1 - first_two.sum(axis=1)])


def sensitivity(components: Mapping[str, Sequence[float]], *, resolution: int = 100) -> dict[str, Standing]:
    """Who comes first, and who takes which place, over the whole simplex of weights.

    Args:
        components: method -> its three parts in the order of the weights, normalised; higher is better.
        resolution: of the grid, see :func:`centres`; shares of areas are right to about 1 / resolution.

    Returns:
        Method -> standing; methods with an undefined part are missing. Methods that are equal under some
        weights share that area equally, so ``share_first`` sums to 1, and all of them take the better place.

    >>> standing = sensitivity({"mask": (1, 0, 0.5), "blur": (0, 1, 0.5)})
    >>> standing["mask"].share_first, standing["mask"].worst_rank
    (0.5, 2)
    """
    methods = [method for method, parts in components.items() if all(map(math.isfinite, parts))]
    if not methods:
        return {}
    scores = centres(resolution) @ np.asarray([components[m] for m in methods], dtype=np.float64).T
    first = scores >= scores.max(axis=1, keepdims=True) - _TIE
    shares = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    standings = {}
    for number, method in enumerate(methods):
        rank = 1 + np.count_nonzero(scores > scores[:, [number]] + _TIE, axis=1)
        standings[method] = Standing(float(shares[number]), int(rank.min()), int(rank.max()))
    return standings
