"""Non-maximum suppression: one box per object."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.core.boxes import overlaps


def keep_surest(
    boxes: NDArray[np.float32], scores: NDArray[np.float32], classes: NDArray[np.intp], limit: float
) -> NDArray[np.intp]:
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
