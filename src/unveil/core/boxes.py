"""How far boxes overlap, and which of two sets belong together. Boxes are left, top, right, bottom in pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]

NOBODY = -1
"""Index of the partner of a box that has none."""


def overlaps(one: Floats, two: Floats) -> NDArray[np.float32]:
    """Intersection over union of every box of ``one`` (n, 4) with every box of ``two`` (m, 4): (n, m) in [0, 1].

    >>> overlaps(np.array([[0.0, 0, 2, 2]]), np.array([[0.0, 0, 2, 1], [2, 2, 3, 3]])).tolist()
    [[0.5, 0.0]]
    """
    corner = np.maximum(one[:, None, :2], two[None, :, :2])
    sides = np.clip(np.minimum(one[:, None, 2:], two[None, :, 2:]) - corner, 0, None)
    common = sides.prod(axis=2)
    areas = [np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0, None), axis=1) for boxes in (one, two)]
    union = areas[0][:, None] + areas[1][None] - common
    return (common / np.maximum(union, 1e-9)).astype(np.float32)


def surest_first(table: Floats, limit: float) -> NDArray[np.intp]:
    """Partners of detections: each takes, of the true boxes that are left, the one it overlaps most.

    Args:
        table: overlap (n, m) of n detections, surest first, with m true boxes.
        limit: the least overlap of a match, above 0.

    Returns:
        Index of the true box of each detection (n,), :data:`NOBODY` where it has none.

    Source: the PASCAL VOC protocol, Everingham et al., International Journal of Computer Vision 88, 2010,
    with COCO's choice among the true boxes that are left.
    """
    free, partner = table.copy(), np.full(len(table), NOBODY, np.intp)
    for index in range(len(table) if table.size else 0):
        best = int(free[index].argmax())
        if free[index, best] >= limit:
            partner[index] = best
            free[:, best] = 0
    return partner


def closest_first(table: Floats) -> NDArray[np.intp]:
    """Partners one to one: of all pairs that are left, the two boxes that overlap most belong together.

    Args:
        table: overlap (n, m).

    Returns:
        Index of the partner of each of the n (n,), :data:`NOBODY` where nothing that overlaps is left.
    """
    free, partner = table.copy(), np.full(len(table), NOBODY, np.intp)
    while free.size and free.max() > 0:
        one, two = np.unravel_index(int(free.argmax()), free.shape)
        partner[one] = two
        free[one], free[:, two] = 0, 0
    return partner
