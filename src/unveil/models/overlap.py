"""How far boxes overlap, which of many overlapping ones are kept, and which true ones they meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.intp]


def overlaps(one: Floats, two: Floats) -> Floats:
    """Intersection over union of every box in ``one`` (n, 4) with every box in ``two`` (m, 4): (n, m)."""
    corner = np.maximum(one[:, None, :2], two[None, :, :2])
    sides = np.clip(np.minimum(one[:, None, 2:], two[None, :, 2:]) - corner, 0, None)
    common = sides.prod(axis=2)
    areas = [np.prod(boxes[:, 2:] - boxes[:, :2], axis=1) for boxes in (one, two)]
    return (common / np.maximum(areas[0][:, None] + areas[1][None] - common, 1e-9)).astype(np.float32)


def keep_surest(boxes: Floats, scores: Floats, classes: Integers, limit: float) -> Integers:
    """Indices of boxes that overlap no surer box of their class by more than ``limit``, surest first.

    Non-maximum suppression, greedy, class by class.
    """
    order = np.lexsort((*boxes.T, -scores))  # of equal scores the order must not depend on threads
    boxes, classes = boxes[order], classes[order]
    rival = (overlaps(boxes, boxes) > limit) & (classes[:, None] == classes[None])
    alive = np.ones(len(order), bool)
    for index in range(len(order)):
        if alive[index]:
            alive[index + 1 :] &= ~rival[index, index + 1 :]
    return order[alive]


def match(found: Floats, truth: Floats, limit: float) -> NDArray[np.bool_]:
    """Which of ``found``, surest first, meet a true box that no surer one took, by at least ``limit``.

    Each takes, of the true boxes that are left, the one it overlaps most. Source: the PASCAL VOC protocol,
    Everingham et al., International Journal of Computer Vision 88, 2010, with COCO's choice among those left.
    """
    right = np.zeros(len(found), bool)
    if not len(truth):
        return right
    table = overlaps(found, truth)
    for index, row in enumerate(table):
        best = int(row.argmax())
        if row[best] >= limit:
            right[index] = True
            table[:, best] = -1
    return right
