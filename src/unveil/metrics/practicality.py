"""Practicality: robustness, intelligibility and throughput on one scale, and their weighted sum.

    practicality = w_r R + w_i I + w_t T,

each part between 0 and 1, higher is better. Source: Abdulaziz et al., Evaluation of Human Visual Privacy
Protection, ICCV Workshops (2025), Table 3; there each part is scaled between the worst and the best of the
compared methods (min-max), so adding a method changes every score. Anchors, fixed raw values for 0 and 1, are
the alternative that does not depend on the company.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.metrics.cmmd import UNRELATED


class Weights(NamedTuple):
    """What matters how much; at least 0, and 1 in all."""

    robustness: float
    intelligibility: float
    throughput: float


TABLE_3_WEIGHTS = (
    Weights(0.8, 0.1, 0.1),
    Weights(0.1, 0.8, 0.1),
    Weights(0.1, 0.1, 0.8),
    # Printed as (0.3, 0.3, 0.3), which sums to 0.9; its scores are the plain means of the parts.
    Weights(1 / 3, 1 / 3, 1 / 3),
)
"""Rows of Table 3 that the text states. They determine the parts, and the parts determine every other row."""

ROBUSTNESS_ANCHORS = (0.0, 1.0)
"""``similar_match_rate``: nobody still found and similar scores 1, everybody 0."""

INTELLIGIBILITY_ANCHORS = (0.0, UNRELATED)
"""``cmmd``: 0 scores 1; that of two unrelated points, further than real pictures get, scores 0. The value of
a mask over the whole picture, measured with the same encoder, is a stricter upper anchor."""

THROUGHPUT_ANCHORS = (0.0, 30.0)
"""``frames_per_second``: video speed, or faster, scores 1."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """Values of methods on one scale.

    Attributes:
        values: method -> 0 (worst) to 1 (best); NaN where undefined.
        low, high: raw values at the ends of the scale; NaN when it is undefined.
        compared: methods that the scale depends on, sorted; empty with anchors.
        note: why it is undefined, or who could not be normalised; ``""`` in the normal case.
    """

    values: Mapping[str, float]
    low: float
    high: float
    compared: tuple[str, ...]
    note: str = ""


def normalise(
    values: Mapping[str, float], *, higher_is_better: bool, anchors: tuple[float, float] | None = None
) -> Normalised:
    """Bring raw values to 0 (worst) to 1 (best).

    Args:
        values: method -> raw value; NaN: not measured.
        higher_is_better: of the raw value.
        anchors: lowest and highest raw value of a fixed scale; what lies outside is cut off. By default the
            scale ends at the lowest and highest value of the compared methods.

    Raises:
        ValueError: for anchors that are not two rising numbers.

    >>> dict(normalise({"blur": 2.0, "mask": 6.0, "avatar": 5.0}, higher_is_better=False).values)
    {'blur': 1.0, 'mask': 0.0, 'avatar': 0.25}
    >>> normalise({"blur": 2.0}, higher_is_better=False).note
    'one method: min-max is undefined, use anchors'
    """
    known = {method: value for method, value in values.items() if math.isfinite(value)}
    missing = sorted(set(values) - set(known))
    note = f"not measured: {', '.join(missing)}" if missing else ""
    if anchors is not None:
        low, high = anchors
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError(f"anchors must be two rising numbers, got {anchors}")
        return Normalised(_scaled(values, low, high, higher_is_better), low, high, (), note)
    compared = tuple(sorted(known))
    low, high = (min(known.values()), max(known.values())) if known else (math.nan, math.nan)
    if not low < high:
        how_many = {0: "no method", 1: "one method"}.get(len(known), "all values are equal")
        why = f"{how_many}: min-max is undefined, use anchors"
        undefined = dict.fromkeys(values, math.nan)
        return Normalised(undefined, math.nan, math.nan, compared, "; ".join(filter(None, (why, note))))
    return Normalised(_scaled(values, low, high, higher_is_better), low, high, compared, note)


def _scaled(values: Mapping[str, float], low: float, high: float, higher_is_better: bool) -> dict[str, float]:
    def scale(value: float) -> float:
        if not math.isfinite(value):
            return math.nan
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        return share if higher_is_better else 1 - share

    return {method: scale(value) for method, value in values.items()}


def check_weights(weights: Sequence[float]) -> Weights:
    """Weights of robustness, intelligibility and throughput.

    Raises:
        ValueError: unless they are three numbers from 0 that sum to 1 within 1e-9.
    """
    given = tuple(float(weight) for weight in weights)
    total = sum(given)
    if len(given) != 3 or not all(weight >= 0 for weight in given) or not abs(total - 1) <= 1e-9:
        raise ValueError(f"weights must be three numbers from 0 that sum to 1, got {given} with sum {total:g}")
    return Weights(*given)


def score(robustness: float, intelligibility: float, throughput: float, weights: Sequence[float]) -> float:
    """Practicality of one method, in [0, 1]; NaN when a part is.

    Args:
        robustness, intelligibility, throughput: normalised parts.
        weights: of the parts, in this order; see :func:`check_weights`.

    Raises:
        ValueError: for weights that are not weights.

    >>> round(score(0.95, 0.72, 0.35, (0.8, 0.1, 0.1)), 3)
    0.867
    """
    w = check_weights(weights)
    return w.robustness * robustness + w.intelligibility * intelligibility + w.throughput * throughput


def solve_components(rows: ArrayLike, scores: ArrayLike) -> NDArray[np.float64]:
    """The parts behind published scores, by least squares.

    Args:
        rows: weights (k, 3), k at least 3.
        scores: of one method (k,) or of several (k, methods).

    Returns:
        Parts (3,) or (3, methods), in the order of the weights.

    Raises:
        ValueError: when the rows of weights do not determine three parts.
    """
    weights = np.asarray(rows, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[1] != 3 or np.linalg.matrix_rank(weights) < 3:
        raise ValueError(f"rows must be weights (k, 3) of rank 3, got shape {weights.shape}")
    return np.asarray(np.linalg.lstsq(weights, np.asarray(scores), rcond=None)[0], dtype=np.float64)
