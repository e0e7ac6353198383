"""Geometry of MTCNN: pyramid, windows, crops and non-maximum suppression, in NumPy.

Source: Zhang et al. 2016 (see :mod:`unveil.models.mtcnn_networks`). The conventions, among them the +1 and
-1 of a pixel, are those of the ``mtcnn`` 1.0.0 package, against which they are tested.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

CELL = 12
"""Side of the window that P-Net looks at, in pixels."""

STRIDE = 2
"""Distance of neighbouring windows of P-Net, in pixels."""

_PAIRS = 1 << 21
"""Pairs of boxes compared at a time: bounds the memory on huge pictures."""


def pyramid(height: int, width: int, min_face: float, factor: float) -> list[float]:
    """Scales at which P-Net looks at a picture, largest first.

    The number of levels depends on the smaller side alone, as in the reference; levels smaller than one
    window are left out.
    """
    shortest = min(height, width)
    levels = round(-(math.log(shortest / CELL) / math.log(factor) + 1))
    scales = (CELL / min_face * factor**level for level in range(levels))
    return [scale for scale in scales if int(shortest * scale) >= CELL]


def windows(rows: Integers, columns: Integers, offsets: Floats, scale: float) -> Floats:
    """Boxes (n, 4) in pixels of the picture from places of P-Net's output and its offsets (n, 4)."""
    corner = np.stack([columns, rows, columns, rows], axis=1) * STRIDE
    corner = corner + np.array([1, 1, CELL, CELL])
    boxes: Floats = ((corner + offsets * (CELL - 1)) / scale).astype(np.float32)
    return boxes


def refine(boxes: Floats, offsets: Floats) -> Floats:
    """Boxes (n, 4) moved by a network's offsets (n, 4), which are shares of the box's size."""
    return boxes + offsets * np.tile(boxes[:, 2:] - boxes[:, :2] + 1, 2)


def square(boxes: Floats) -> Floats:
    """Boxes (n, 4) grown to squares about their centres."""
    size = boxes[:, 2:] - boxes[:, :2]
    side = size.max(axis=1, keepdims=True)
    corner = boxes[:, :2] + size * np.float32(0.5) - side * np.float32(0.5)
    return np.concatenate([corner, corner + side], axis=1)


def landmarks(boxes: Floats, shares: Floats) -> Floats:
    """Landmarks (n, k, 2) in pixels from a network's shares (n, 2 k) of the box: every x, then every y."""
    points = shares.reshape(len(shares), 2, shares.shape[1] // 2).transpose(0, 2, 1)
    size = (boxes[:, 2:] - boxes[:, :2] + 1)[:, None, :]
    return np.asarray(points * size + boxes[:, None, :2] - 1)


def sampling_grid(boxes: Floats, side: int, height: int, width: int) -> Floats:
    """Where to read a picture to resize each box to ``side`` x ``side``: (n, side, side, 2), x and y.

    In units of ``torch.nn.functional.grid_sample`` with ``align_corners=True``: -1 and 1 are the centres of
    the first and last pixel. Places outside lie far outside, so that they read as plain grey and not as a
    blend with the border, as TensorFlow's ``crop_and_resize`` does it.
    """
    steps = np.arange(side, dtype=np.float32) / np.float32(side - 1)
    extent = np.array([width, height], np.float32)
    start, size = boxes[:, :2], boxes[:, 2:] - boxes[:, :2]
    # In shares of the picture, (pixel (extent - 1) / extent) / (extent - 1): the reference's convention.
    places = 2 * (start[:, None, :] + size[:, None, :] * steps[None, :, None]) / extent - 1
    places = np.where(np.abs(places) > 1, np.float32(-3), places)
    grid = np.empty((len(boxes), side, side, 2), np.float32)
    grid[..., 0] = places[:, None, :, 0]
    grid[..., 1] = places[:, :, None, 1]
    return grid


def survivors(
    boxes: Floats, scores: Floats, threshold: float, *, groups: Integers | None = None, smaller: bool = False
) -> Integers:
    """Non-maximum suppression: indices of the boxes that no better box overlaps too much, best first.

    A suppressed box still suppresses others, as in the reference; this needs no loop over boxes.

    Args:
        boxes: (n, 4) left, top, right, bottom.
        scores: (n,); of equal scores the earlier is the better.
        threshold: an overlap above it suppresses.
        groups: (n,); only boxes of one group suppress each other. None: all.
        smaller: overlap as share of the smaller of the two boxes instead of their union.
    """
    order = np.argsort(-scores, kind="stable")
    boxes = boxes[order]
    groups = None if groups is None else groups[order]
    keep = np.ones(len(boxes), bool)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    left, top, right, bottom = boxes.T
    step = max(1, _PAIRS // max(len(boxes), 1))
    for start in range(0, len(boxes), step):
        mine = slice(start, start + step)
        better = slice(0, start + step)
        wide = np.minimum.outer(right[mine], right[better]) - np.maximum.outer(left[mine], left[better])
        high = np.minimum.outer(bottom[mine], bottom[better]) - np.maximum.outer(top[mine], top[better])
        both = np.maximum(wide, 0) * np.maximum(high, 0)
        pair = np.minimum if smaller else np.add
        whole = pair.outer(area[mine], area[better])
        over = both > threshold * (whole if smaller else whole - both)
        if groups is not None:
            over &= np.equal.outer(groups[mine], groups[better])
        keep[mine] = ~np.tril(over, start - 1).any(axis=1)
    return order[keep]
