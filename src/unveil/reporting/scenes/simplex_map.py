"""The areas of weights in which each method comes first: convex, so cut out exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

CORNERS = ("robustness only", "intelligibility only", "throughput only")

Corners = NDArray[np.float64]
"""Weights (n, 3), in order around an area."""

_SMALLEST = 1e-9


def regions(parts: Mapping[str, Sequence[float]]) -> dict[str, Corners]:
    """Method -> corners of the area where no other method scores higher; methods without one are missing.

    Args:
        parts: method -> robustness, intelligibility, throughput; methods with an undefined part are left out.

    >>> sorted(regions({"mask": (1, 0, 0.5), "blur": (0, 1, 0.5), "worse": (0, 0, 0)}))
    ['blur', 'mask']
    """
    known = {
        m: np.asarray(values, dtype=np.float64) for m, values in parts.items() if all(map(math.isfinite, values))
    }
    found = {}
    for method, mine in known.items():
        area = np.eye(3)
        for other, theirs in known.items():
            if other != method and len(area):
                area = _cut(area, mine - theirs)
        if len(area) > 2 and _size(area) > _SMALLEST:
            found[method] = area
    return found


def flat(weights: Corners) -> NDArray[np.float64]:
    """Weights (n, 3) -> points (n, 2) of a triangle with side 1: robustness left, intelligibility right."""
    return weights @ np.array([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.75)]])


def _cut(area: Corners, lead: NDArray[np.float64]) -> Corners:
    """The part of a convex area where the lead is not negative (Sutherland and Hodgman, 1974)."""
    kept = []
    leads = area @ lead
    for here, there, lead_here, lead_there in zip(
        area, np.roll(area, -1, axis=0), leads, np.roll(leads, -1), strict=True
    ):
        if lead_here >= 0:
            kept.append(here)
        if lead_here * lead_there < 0:
            kept.append(here + (there - here) * lead_here / (lead_here - lead_there))
    return np.array(kept).reshape(-1, 3)


def _size(area: Corners) -> float:
    x, y = flat(area).T
    return abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
