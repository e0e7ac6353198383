"""Drawn scenes with people and the nine other object classes, whose boxes and masks are exact."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from unveil.core.fingerprint import rng
from unveil.core.scenes import CLASSES, PERSON
from unveil.core.types import Detections, Image

_SHAPES: Mapping[str, tuple[float, tuple[int, int, int]]] = {
    name: (aspect, colour)
    for name, aspect, colour in zip(
        CLASSES,
        (0.4, 1.6, 2.2, 1.4, 3.0, 2.6, 4.0, 2.0, 2.4, 0.5),
        (
            *((210, 160, 120), (40, 40, 40), (200, 40, 40), (120, 40, 160), (235, 235, 235)),
            *((240, 200, 40), (60, 60, 150), (240, 120, 40), (110, 70, 40), (40, 220, 80)),
        ),
        strict=True,
    )
}
"""Width as a share of the height, and colour."""


def scene(index: int, *, width: int = 96, height: int = 72) -> tuple[Image, Detections]:
    """A scene by number: one to three shapes before a ground of two colours, the last drawn in front.

    Returns:
        The picture, and what is in it with masks of what is visible; shapes hidden by half are left out.
    """
    stream = rng("toy scene", index)
    image = np.empty((height, width, 3), np.float64)
    image[: height // 2], image[height // 2 :] = stream.integers(60, 200, (2, 3))
    owner = np.full((height, width), -1)
    names = [PERSON, *stream.choice(CLASSES, 2)][: stream.integers(1, 4)]
    sizes = []
    for number, name in enumerate(names):
        inside, size = _shape(stream, name, width, height)
        image[inside] = np.array(_SHAPES[name][1]) * stream.uniform(0.8, 1.1)
        owner[inside] = number
        sizes.append(size)
    image += stream.normal(0, 4, image.shape)
    masks = np.array([owner == number for number in range(len(names))])
    shown = [i for i, mask in enumerate(masks) if 2 * mask.sum() > sizes[i]]
    boxes = [_bounds(masks[i]) for i in shown]
    found = Detections(
        np.array(boxes, np.float32).reshape(-1, 4),
        np.ones(len(shown), np.float32),
        labels=tuple(names[i] for i in shown),
        masks=masks[shown],
    )
    return np.clip(image, 0, 255).astype(np.uint8), found


def _shape(stream: np.random.Generator, name: str, width: int, height: int) -> tuple[NDArray[np.bool_], int]:
    """Pixels of one shape: a body with a head for a person, a rounded block for the others."""
    aspect = _SHAPES[name][0]
    tall = min(stream.uniform(0.4, 0.8), 0.6 * width / height / aspect) * height
    wide = tall * aspect
    left, top = stream.uniform(0, width - wide), stream.uniform(0, height - tall)
    rows, columns = np.mgrid[:height, :width] + 0.5
    x, y = (columns - left) / wide * 2 - 1, (rows - top) / tall * 2 - 1
    if name == PERSON:
        head = (x / 0.6) ** 2 + ((y + 0.75) / 0.25) ** 2 < 1
        inside = head | ((np.abs(x) < 1) & (y > -0.5) & (y < 1))
    else:
        inside = x**6 + y**6 < 1
    return inside, int(inside.sum())


def _bounds(mask: NDArray[np.bool_]) -> list[int]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return [columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]
