"""Pictures as Face++ takes them: 48 to 4096 pixels, and 2 MB for all that one request carries.

Rule: a picture is scaled as a whole, down to 4096 pixels on its longer side or up to 48 on its shorter one; one
too narrow for both (a ratio above 85) is continued at its right or lower border. It is sent as PNG where that
is small enough, otherwise as JPEG of quality 95, scaled down until it is.

Source: image requirements of the Detect API and the Compare API, Face++ documentation, version 3.0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Face, Image
from unveil.images import encode_jpeg, encode_png

LEAST_SIDE = 48
MOST_SIDE = 4096
"""Pixels per side of a picture that the service takes."""

MOST_BYTES = 1_900_000
"""For the pictures of one request: its limit of 2 MB holds for the fields and headers, too."""

LEAST_FACE = 150
"""Side of the smallest face that the Compare API finds, in pixels."""

MARGIN = 0.5
"""What is left around a face that is cut out, on each side, as a share of the longer side of its box."""

_QUALITY = 95
"""Of a JPEG: what protects a picture must not be lost on the way."""

_ROOM = 1.1
"""A face is enlarged to so many times the smallest side: the service's boxes are tighter than some detectors'."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A picture as it is sent.

    Attributes:
        data: bytes of a PNG or JPEG file.
        scale: (x, y) pixels sent per pixel of the picture.
        offset: (x, y) of the left upper corner of what is sent, in pixels of the picture.
    """

    data: bytes
    scale: NDArray[np.float32]
    offset: NDArray[np.float32]

    def to_sent(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Points (..., 2) of the picture -> points of what was sent."""
        return ((points - self.offset) * self.scale).astype(np.float32)

    def from_sent(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Points (..., 2) of what was sent -> points of the picture."""
        return (points / self.scale + self.offset).astype(np.float32)


def whole(image: Image) -> Upload:
    """The picture, for a request that carries no other."""
    return _upload(image, np.zeros(2, np.float32), enlarge=1.0, limit=MOST_BYTES)


def cut_out(image: Image, face: Face) -> Upload | None:
    """A face with :data:`MARGIN` around it, for a request that carries two; None where it lies outside.

    The service compares the largest face of a picture: what is sent shows little besides the one that is meant.
    A face smaller than :data:`LEAST_FACE` is enlarged, for the service would not find it.
    """
    height, width = image.shape[:2]
    size = face.box[2:] - face.box[:2]
    if size.min() <= 0 or face.box[2:].min() <= 0 or (face.box[:2] >= [width, height]).any():
        return None
    around = MARGIN * float(size.max())
    left, top = np.floor(np.maximum(face.box[:2] - around, 0)).astype(int)
    right, bottom = np.ceil(np.minimum(face.box[2:] + around, [width, height])).astype(int)
    side = float(size.min())
    enlarge = _ROOM * LEAST_FACE / side if side < LEAST_FACE else 1.0
    offset = np.array([left, top], np.float32)
    return _upload(image[top:bottom, left:right], offset, enlarge=enlarge, limit=MOST_BYTES // 2)


def _upload(image: Image, offset: NDArray[np.float32], *, enlarge: float, limit: int) -> Upload:
    height, width = image.shape[:2]
    factor = min(max(enlarge, LEAST_SIDE / min(height, width)), MOST_SIDE / max(height, width))
    fitted = _scaled(image, factor)
    data = encode_png(_padded(fitted))
    if len(data) > limit:
        data = encode_jpeg(_padded(fitted), quality=_QUALITY)
    while len(data) > limit:
        factor *= min(0.95, math.sqrt(limit / len(data)))
        fitted = _scaled(image, factor)
        data = encode_jpeg(_padded(fitted), quality=_QUALITY)
    scale = np.array([fitted.shape[1] / width, fitted.shape[0] / height], np.float32)
    return Upload(data, scale, offset)


def _scaled(image: Image, factor: float) -> Image:
    import cv2

    if factor == 1:
        return image
    height, width = (min(max(round(side * factor), 1), MOST_SIDE) for side in image.shape[:2])
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(np.ascontiguousarray(image), (width, height), interpolation=how), np.uint8)


def _padded(image: Image) -> Image:
    below, right = (max(0, LEAST_SIDE - side) for side in image.shape[:2])
    return np.pad(image, ((0, below), (0, right), (0, 0)), mode="edge") if below or right else image
