"""FID: how far protected pictures are from the originals, for an encoder, as two normal distributions.

The squared Frechet distance of the normal distributions with the means and covariances of two sets of embeddings,

    |m1 - m2|^2 + tr(S1 + S2 - 2 (S1 S2)^(1/2)).

With S1 = A'A and S2 = B'B, the trace of the root is the sum of the singular values of AB'. A and B are the
centred embeddings, or their triangular factors where there are more pictures than features, so the matrix is
never larger than the smaller of both numbers, and no root of a product that is almost singular is needed.

Source: Heusel, Ramsauer, Unterthiner, Nessler, Hochreiter, GANs Trained by a Two Time-Scale Update Rule Converge
to a Local Nash Equilibrium, NeurIPS 2017, equation 6; there with Inception of 2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.core.protocols import Source
from unveil.metrics.discrepancy import Discrepancy
from unveil.metrics.kid import SAME, same_pictures
from unveil.metrics.kind import Weights
from unveil.metrics.meta import MetricMeta
from unveil.metrics.pairs import Rows

CHUNK = 4096
"""Pictures that are in memory in float64 at once."""

_ADVICE = "compare groups of equal size, or read KID"

NOTHING = 1e-6
"""FID below which two sets are the same: float32 embeddings of different pictures are further apart."""


def fid(x: ArrayLike, y: ArrayLike, weights: Weights | None = None) -> float:
    """FID of two sets of embeddings; covariances are those of samples (n - 1).

    Args:
        x: embeddings (m, d).
        y: embeddings (n, d).
        weights: how many copies there are of each row of ``x`` and of the same row of ``y``, whole numbers (n,);
            by default one.

    Returns:
        At least 0; NaN when a set has fewer than two pictures.
    """
    (m1, a), (m2, b) = (_spread(np.asarray(rows), weights) for rows in (x, y))
    if m1 is None or m2 is None:
        return math.nan
    root = float(np.linalg.svd(a @ b.T, compute_uv=False).sum())
    distance = np.square(m1 - m2).sum() + np.square(a).sum() + np.square(b).sum() - 2 * root
    return max(float(distance), 0.0)


def _spread(rows: Rows, weights: Weights | None) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]:
    """Mean (d,), and a matrix A (at most min(n, d), d) with A'A = covariance; no mean below two pictures."""
    if weights is not None:
        rows, weights = rows[weights > 0], weights[weights > 0]
    total = len(rows) if weights is None else weights.sum()
    if total < 2:
        return None, np.zeros((0, rows.shape[1]))
    mean = rows.mean(axis=0, dtype=np.float64) if weights is None else weights @ rows / total
    scale = np.sqrt((np.ones(len(rows)) if weights is None else weights) / (total - 1))[:, None]
    if len(rows) <= rows.shape[1]:
        return mean, (rows - mean) * scale
    factor = np.zeros((0, rows.shape[1]))
    for start in range(0, len(rows), CHUNK):
        part = slice(start, start + CHUNK)
        factor = _triangle(np.concatenate([factor, (rows[part] - mean) * scale[part]]))
    return mean, factor


def _triangle(rows: Rows) -> NDArray[np.float64]:
    """R with R'R = rows'rows, and at most as many rows as columns: of the QR decomposition."""
    factor: Any = np.linalg.qr(rows, mode="r")
    return np.asarray(factor, np.float64)


def _prepared(x: Rows, y: Rows) -> Callable[[Weights], float]:
    """FID under weights. Both sets are turned into the space that they span, which changes no distance."""
    both = np.concatenate([x, y]).astype(np.float64)
    if len(both) < both.shape[1]:
        both = _triangle(both.T).T
    return lambda weights: fid(both[: len(x)], both[len(x) :], weights)


def _remark(x: Rows, y: Rows, value: float) -> str:
    few = ""
    if len(x) <= x.shape[1]:
        few = f"fewer pictures ({len(x)}) than features ({x.shape[1]}): biased upwards; {_ADVICE}"
    same = same_pictures(x, y) or (SAME if value < NOTHING else "")
    return "; ".join(filter(None, (same, few)))


FID = Discrepancy(
    MetricMeta(
        "fid",
        1,
        "FID",
        ("original", "protected"),
        False,
        "FID",
        Source("Heusel et al.: GANs Trained by a Two Time-Scale Update Rule, NeurIPS 2017, Eq. 6; FairDeFace"),
        equal_groups=True,
    ),
    distance=fid,
    prepare=_prepared,
    remark=_remark,
    least=0.0,
    most_drawn=500,
    replicates=100,  # each takes a decomposition of its own
)
"""Lower is closer to the originals. It is larger for fewer pictures: groups are comparable at equal size only."""


def fid_success(rates: Mapping[str, float]) -> dict[str, float]:
    """FairDeFace's success of each group: 1 - its FID / the largest FID of the groups.

    The worst group always has 0, so this depends on which groups there are. Success in this sense says which
    group is served best, not how well.

    Args:
        rates: group -> FID, of one dataset and method; NaN where there is none.

    Returns:
        Group -> success in [0, 1], NaN where there is no FID; NaN for every group when the largest FID is below
        :data:`NOTHING`: then the protected pictures are the originals, and the published 1.0 says nothing.

    Source: FairDeFace, released code, and its tables Quality/FID_success.

    >>> fid_success({"Female": 10.0, "Male": 40.0})
    {'Female': 0.75, 'Male': 0.0}
    """
    largest = max((fid for fid in rates.values() if not math.isnan(fid)), default=0.0)
    if largest < NOTHING:
        return dict.fromkeys(rates, math.nan)
    return {group: 1 - fid / largest for group, fid in rates.items()}
