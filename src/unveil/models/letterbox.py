"""A picture reduced or enlarged until it fits a network's input, with its proportions kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Image


def letterbox(image: Image, width: int, height: int, fill: int) -> tuple[Image, NDArray[np.float32]]:
    """The picture in the top left corner of a canvas, and the factors by which x and y were multiplied.

    Args:
        image: of any size; it is interpolated linearly, and averaged where it is reduced to less than half.
        width, height: of the canvas, in pixels.
        fill: value of the canvas where the picture leaves it free, 0 to 255.

    Returns:
        The canvas (height, width, 3), and ``float32`` (4,) to multiply a box (left, top, right, bottom) with.
    """
    import cv2

    rows, columns = image.shape[:2]
    scale = min(width / columns, height / rows)
    size = (min(width, max(1, int(columns * scale))), min(height, max(1, int(rows * scale))))
    way = cv2.INTER_AREA if scale < 0.5 else cv2.INTER_LINEAR
    canvas = np.full((height, width, 3), fill, np.uint8)
    canvas[: size[1], : size[0]] = cv2.resize(image, size, interpolation=way)
    return canvas, np.array([size[0] / columns, size[1] / rows] * 2, np.float32)
