"""Robustness: whom a detector still finds at the same place, still looking the same.

A row is a person found on the original. They are *similar* when the best matching person on the protected
picture overlaps enough (IoU) and its crop looks alike (SSIM); without a partner they are not. The framework
gives neither threshold, so both are part of the operating point: ``iou=0.5,ssim=0.5``.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pandas as pd

from unveil.core.protocols import Source
from unveil.metrics.average_precision import FRAMEWORK
from unveil.metrics.kind import flags, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.rates import Rate

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_POINT = re.compile(rf"iou={_NUMBER},ssim={_NUMBER}")


class SimilarityPoint(NamedTuple):
    """From which overlap, and from which likeness on, a person counts as similar."""

    iou: float
    ssim: float


def parse_similarity_point(text: str) -> SimilarityPoint:
    """Read an operating point.

    Raises:
        ValueError: unless it reads ``iou=A,ssim=B`` with A in [0, 1] and B in [-1, 1].

    >>> parse_similarity_point("iou=0.5,ssim=0.7")
    SimilarityPoint(iou=0.5, ssim=0.7)
    """
    match = _POINT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"operating point must read iou=0.5,ssim=0.5, got {text!r}")
    point = SimilarityPoint(float(match[1]), float(match[2]))
    _check(*point)
    return point


def decide_by_similarity(frame: pd.DataFrame, iou: float, ssim: float) -> pd.Series[Any]:
    """Who counts as similar.

    Args:
        frame: ``iou`` and ``ssim``; NaN without a partner.
        iou: least intersection over union, in [0, 1].
        ssim: least structural similarity, in [-1, 1].

    Returns:
        bool with the index of ``frame``, named ``similar``.

    Raises:
        ValueError: for a threshold out of its range.

    >>> frame = pd.DataFrame({"iou": [0.8, 0.8, float("nan")], "ssim": [0.9, 0.2, float("nan")]})
    >>> decide_by_similarity(frame, 0.5, 0.5).tolist()
    [True, False, False]
    """
    _check(iou, ssim)
    similar = (numbers(frame, "iou") >= iou) & (numbers(frame, "ssim") >= ssim)
    return pd.Series(similar, index=frame.index, name="similar")


def _check(iou: float, ssim: float) -> None:
    for name, value, low in (("iou", iou, 0.0), ("ssim", ssim, -1.0)):
        if not low <= value <= 1:
            raise ValueError(f"{name} must be between {low:g} and 1, got {value}")


SIMILAR_MATCH_RATE = Rate(
    MetricMeta(
        "similar_match_rate",
        1,
        "Still found and similar",
        ("similar",),
        False,
        "share",
        Source(f"{FRAMEWORK}, robustness (a count there; here its share of the persons on originals)"),
    ),
    numerator=lambda frame: flags(frame, "similar"),
    denominator=with_status("ok", "not_acquired"),
)
"""Persons who are similar on the protected picture / persons found on the original one."""
