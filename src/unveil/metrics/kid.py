"""KID: how far protected pictures are from the originals, without the bias of FID for few pictures.

The squared maximum mean discrepancy of two sets of embeddings x (m, d) and y (n, d),

    mean k(x, x') + mean k(y, y') - 2 mean k(x, y),    k(a, b) = (a . b / d + 1)^3,

the first two means over pairs of different pictures (the unbiased estimator), so that it can be below 0.

Source: Binkowski, Sutherland, Arbel, Gretton, Demystifying MMD GANs, ICLR 2018. There it is the mean
over random subsets of 1000 pictures, which estimates the same; here all pictures are compared at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.core.protocols import Source
from unveil.metrics.discrepancy import Discrepancy
from unveil.metrics.kind import Weights
from unveil.metrics.meta import MetricMeta
from unveil.metrics.pairs import BLOCK, Rows, sum_across, sum_within


def kid(x: ArrayLike, y: ArrayLike, *, block: int = BLOCK) -> float:
    """KID of two sets of embeddings, in memory that does not grow with the number of pairs.

    Args:
        x: embeddings (m, d).
        y: embeddings (n, d).
        block: how many rows are compared with how many at a time, at least 1.

    Returns:
        0 on average for sets of one distribution; NaN when a set has fewer than two pictures.
    """
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if min(len(a), len(b)) < 2:
        return math.nan
    across = sum_across(_kernel, a, np.ones(len(a)), b, np.ones(len(b)), block) / (len(a) * len(b))
    return _mean_within(a, block) + _mean_within(b, block) - 2 * across


def _kernel(a: Rows, b: Rows) -> NDArray[np.float64]:
    values: NDArray[np.float64] = (a @ b.T / a.shape[1] + 1) ** 3
    return values


def _mean_within(a: Rows, block: int) -> float:
    n = len(a)
    own = (np.square(a).sum(axis=1) / a.shape[1] + 1) ** 3
    return (sum_within(_kernel, a, np.ones(n), block) - float(own.sum())) / (n * (n - 1))


def _prepared(x: Rows, y: Rows) -> Callable[[Weights], float]:
    """Copies of one picture that were drawn together are no pair of different pictures."""
    a, b = x.astype(np.float64), y.astype(np.float64)
    across, within = _kernel(a, b), _kernel(a, a) + _kernel(b, b)
    np.fill_diagonal(within, 0)

    def of(weights: Weights) -> float:
        total, squares = weights.sum(), np.square(weights).sum()
        if squares == total**2:
            return math.nan  # a single picture was drawn
        mean_within = weights @ within @ weights / (total**2 - squares)
        return float(mean_within - 2 * (weights @ across @ weights) / total**2)

    return of


SAME = "to the encoder the protected pictures are the originals"
"""Only to the encoder: one that sees no colours, such as ``hog``, says so of pictures turned grey, too."""


def same_pictures(x: Rows, y: Rows) -> str:
    """:data:`SAME` when the encoder tells no picture from its original, else ``""``.

    The distance is then no merit of a method.
    """
    return SAME if np.allclose(x, y, rtol=0, atol=1e-6) else ""


KID = Discrepancy(
    MetricMeta(
        "kid",
        1,
        "KID",
        ("original", "protected"),
        False,
        "KID",
        Source("Binkowski, Sutherland, Arbel, Gretton: Demystifying MMD GANs, ICLR 2018"),
    ),
    distance=kid,
    prepare=_prepared,
    remark=lambda x, y, value: same_pictures(x, y),
)
"""Lower is closer to the originals. It is not larger for few pictures: groups of any size are comparable."""
