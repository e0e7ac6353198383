"""CMMD: how far protected pictures are from the originals, for a model that describes pictures.

The squared maximum mean discrepancy of two sets of embeddings x (m, d) and y (n, d) of length 1,

    1000 * (mean k(x, x') + mean k(y, y') - 2 mean k(x, y)),    k(a, b) = exp(-|a - b|^2 / (2 * 10^2)),

each mean over all pairs, also of a picture with itself (the biased estimator). Source: Jayasumana et al.,
Rethinking FID: Towards a Better Evaluation Metric for Image Generation, CVPR 2024, there with CLIP ViT-L/14
at 336 pixels; with another encoder it is another number.

As |a - b|^2 = 2 - 2 cos, the kernel lies between 0.98 and 1 and the three means differ in the fourth digit.
1 - k = -expm1(-(1 - cos) / 100) is therefore what is summed, in float64; the ones cancel. The cosines are
float32 products: an error of 1e-7 there is one of 1e-9 in the kernel, 1e-6 in the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.core.protocols import Source
from unveil.metrics.average_precision import FRAMEWORK
from unveil.metrics.discrepancy import Discrepancy
from unveil.metrics.kind import Weights
from unveil.metrics.meta import MetricMeta
from unveil.metrics.pairs import BLOCK, Rows, sum_across, sum_within

SIGMA = 10.0
SCALE = 1000.0
UNRELATED = 2 * SCALE * -math.expm1(-1 / SIGMA**2)
"""CMMD of two sets that are each one point, at right angles to each other: 19.90."""


def cmmd(
    x: ArrayLike,
    y: ArrayLike,
    weights_x: ArrayLike | None = None,
    weights_y: ArrayLike | None = None,
    *,
    block: int = BLOCK,
) -> float:
    """CMMD of two sets of embeddings, in memory that does not grow with the number of pairs.

    Args:
        x: embeddings (m, d), of any length but 0.
        y: embeddings (n, d).
        weights_x: how much each of ``x`` counts, non-negative (m,); by default equally.
        weights_y: the same for ``y`` (n,).
        block: how many rows are compared with how many at a time.

    Returns:
        At least 0; NaN when a set has fewer than two pictures: one alone is no distribution.

    Raises:
        ValueError: for arrays that are not of the same dimension, an embedding of length 0 or without a
            length, weights of another number or without a sum, a block below 1.
    """
    if block < 1:
        raise ValueError(f"block must be at least 1, got {block}")
    a, b = _directions("x", x), _directions("y", y)
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"x and y must be of one dimension, got {a.shape[1]} and {b.shape[1]}")
    if min(len(a), len(b)) < 2:
        return math.nan
    p, q = _shares("weights_x", weights_x, len(a)), _shares("weights_y", weights_y, len(b))
    within = sum_within(_gap, a, p, block) + sum_within(_gap, b, q, block)
    return max(SCALE * (2 * sum_across(_gap, a, p, b, q, block) - within), 0.0)


def _directions(name: str, embeddings: ArrayLike) -> NDArray[np.float32]:
    """Embeddings of length 1, float32 (n, d)."""
    rows = np.asarray(embeddings)
    if rows.ndim != 2:
        raise ValueError(f"{name} must be an array (pictures, dimension), got shape {rows.shape}")
    length = _lengths(rows)
    if not np.all(np.isfinite(length) & (length > 0)):
        raise ValueError(f"{name}: every embedding must have a direction, got lengths {length.min()}")
    return (rows / length[:, None]).astype(np.float32)


def _lengths(rows: NDArray[Any]) -> NDArray[np.float64]:
    return np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _shares(name: str, weights: ArrayLike | None, n: int) -> NDArray[np.float64]:
    weight = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if weight.shape != (n,) or not np.all(weight >= 0) or not weight.sum() > 0:
        raise ValueError(f"{name} must be {n} numbers from 0 that do not sum to 0, got shape {weight.shape}")
    return weight / weight.sum()


def _gap(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float64]:
    """1 - k of every pair, float64 (len(a), len(b))."""
    gap = (a @ b.T).astype(np.float64)
    gap -= 1
    gap /= SIGMA**2
    np.expm1(gap, out=gap)
    np.negative(gap, out=gap)
    return gap


def _prepared(x: Rows, y: Rows) -> Callable[[Weights], float]:
    a, b = _directions("original", x), _directions("protected", y)
    across = _gap(a, b)
    pairs = across + across.T - _gap(a, a) - _gap(b, b)

    def of(weights: Weights) -> float:
        share = weights / weights.sum()
        return SCALE * float(share @ pairs @ share)

    return of


def _directed(rows: Rows) -> NDArray[np.bool_]:
    """Which vectors have a direction."""
    length = _lengths(rows)
    return np.isfinite(length) & (length > 0)


CMMD = Discrepancy(
    MetricMeta(
        "cmmd",
        1,
        "CMMD",
        ("original", "protected"),
        False,
        "CMMD x1000",
        Source(f"{FRAMEWORK}, intelligibility; Jayasumana et al., Rethinking FID, CVPR 2024"),
        by_group=False,
    ),
    distance=cmmd,
    prepare=_prepared,
    usable=_directed,
    least=0.0,
)
"""Lower is more intelligible: the protected pictures still look like pictures. Not measured by group: the
estimator is larger for fewer pictures, so groups of different size would differ by that alone."""
