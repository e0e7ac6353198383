"""People as regions of a picture: boxes that become masks, masks that become boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.core.scenes import PERSON
from unveil.core.types import Detections

Mask = NDArray[np.bool_]


def filled_box(box: NDArray[np.float32], height: int, width: int, margin: float = 0.0) -> Mask:
    """``bool`` (height, width): every pixel that the box touches, empty when it lies outside.

    Args:
        box: left, top, right, bottom in pixels; may reach over the border.
        height, width: of the picture.
        margin: by how much the box is enlarged at each edge, as a share of its width and height.
    """
    left, top, right, bottom = enlarged(box, height, width, margin)
    mask = np.zeros((height, width), np.bool_)
    mask[top:bottom, left:right] = True
    return mask


def enlarged(box: NDArray[np.float32], height: int, width: int, margin: float) -> tuple[int, int, int, int]:
    """Left, top, right, bottom in whole pixels inside the picture, rounded outwards."""
    grow = margin * (box[2:] - box[:2])
    low = np.clip(np.floor(box[:2] - grow), 0, [width, height]).astype(int)
    high = np.clip(np.ceil(box[2:] + grow), 0, [width, height]).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def bounds(mask: Mask) -> NDArray[np.float32]:
    """The box around a mask that is not empty: left, top, right, bottom."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], np.float32)


def with_masks(people: Detections, masks: Sequence[Mask]) -> Detections:
    """The same people with these masks; those whose mask is empty are left out."""
    kept = [i for i, mask in enumerate(masks) if mask.any()]
    if not kept:
        return Detections.empty()
    chosen = people.take(kept)
    return Detections(
        chosen.boxes, chosen.scores, chosen.landmarks, (PERSON,) * len(kept), np.stack([masks[i] for i in kept])
    )
