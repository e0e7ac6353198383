"""Heat maps over faces: smoothing them, reading them region by region, and showing them.

Scores are read from the scalar map alone. The released notebook of FairDeFace reads them from the coloured
overlay, of which 60 % are the photo: there, skin tone enters the score.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.face_regions import REGIONS
from unveil.core.types import Image

Map = NDArray[np.float32]
"""One number per pixel (height, width)."""

SIGMAS = (5.0, 3.0)
"""Of the two Gaussian filters, in pixels."""

_PHOTO = 0.6
"""Share of the photo in an overlay."""


def stretched(values: NDArray[Any]) -> NDArray[np.float32]:
    """Values brought to [0, 1] by their least and greatest; NaN stays NaN, and equal values become 0.

    >>> stretched(np.array([3.0, 1.0, np.nan, 2.0])).tolist()
    [1.0, 0.0, nan, 0.5]
    """
    known = values[np.isfinite(values)]
    low, span = (known.min(), np.ptp(known)) if known.size else (0, 0)
    shifted = (values - low).astype(np.float32)
    return shifted / span if span > 0 else shifted


def smoothed(gradient: Map) -> Map:
    """A heat map of gradients without sign: min-max, Gaussian, min-max, Gaussian (FairDeFace's scripts).

    Args:
        gradient: (height, width), not negative.

    Returns:
        float32 in [0, 1]; all 0 where the gradient is the same everywhere.
    """
    import cv2

    heat: Any = gradient
    for sigma in SIGMAS:
        heat = cv2.GaussianBlur(stretched(heat), (0, 0), sigma, borderType=cv2.BORDER_REFLECT)
    return heat


def region_masks(landmarks: NDArray[np.float32], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Pixels of each region, its landmarks' convex hull.

    Args:
        landmarks: x and y in pixels, of MediaPipe's face mesh (468 or more, 2).
        shape: height and width of the picture; hulls are cut off at its border.

    Returns:
        bool (15, height, width) in the order of :data:`unveil.core.face_regions.REGIONS`.
    """
    import cv2

    masks = np.zeros((len(REGIONS), *shape), np.uint8)
    for mask, points in zip(masks, REGIONS.values(), strict=True):
        cv2.fillConvexPoly(mask, cv2.convexHull(np.round(landmarks[list(points)]).astype(np.int32)), 1)
    return masks.astype(np.bool_)


def region_means(values: Map, masks: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Mean of a map inside each region, float32 (15,); NaN where the region lies outside the picture."""
    flat = masks.reshape(len(masks), -1).astype(np.float32)
    sizes = flat.sum(axis=1)
    sums = flat @ values.astype(np.float32).ravel()
    return np.divide(sums, sizes, out=np.full(len(masks), np.nan, np.float32), where=sizes > 0)


def overlay(picture: NDArray[Any], heat: NDArray[Any]) -> Image:
    """A picture under a heat map, for showing only: 0.6 of the picture and 0.4 of the map in jet colours.

    Args:
        picture: numbers from 0 to 255 (height, width, 3).
        heat: numbers from 0 to 1 (height, width).
    """
    import cv2

    levels = np.round(np.clip(heat, 0, 1) * 255).astype(np.uint8)
    jet = cv2.applyColorMap(levels, cv2.COLORMAP_JET)[..., ::-1]  # OpenCV gives blue first
    return np.round(_PHOTO * picture + (1 - _PHOTO) * jet).astype(np.uint8)
