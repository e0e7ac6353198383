"""Pictures that the small object detector learns from: fitted to its input, and varied at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.core.errors import DataError
from unveil.core.roles import TrainingSet
from unveil.core.scenes import CLASSES
from unveil.core.types import Failure, Image, Sample
from unveil.models.letterbox import letterbox

FILL = 114
"""Value of the canvas where a picture leaves it free."""

_ZOOM = (0.85, 1.2)
_SHIFT = 0.08
_LIGHT = (0.75, 1.25)
"""Bounds of the random factors, and of the shift as a share of the sides."""

_VISIBLE = 0.4
"""A box of which less than this share is left inside the picture is no object any more."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture on the canvas of the network's input.

    Attributes:
        canvas: (height, width, 3), about 150 kB at 256 x 192; all scenes of a training are kept in memory.
        boxes: ``float32`` (n, 4) in pixels of the canvas.
        classes: index of each box's class.
    """

    canvas: Image
    boxes: NDArray[np.float32]
    classes: NDArray[np.intp]


def scenes(data: TrainingSet, samples: Sequence[Sample], *, width: int, height: int) -> list[Scene]:
    """What can be learnt from: pictures and annotations that are not Failures, objects of known classes."""
    found = []
    for sample in samples:
        image, objects = data.read(sample.id), data.objects(sample.id)
        if isinstance(image, Failure) or isinstance(objects, Failure):
            continue
        if objects.labels is None and len(objects):
            raise DataError(f"{sample.id}: the objects to learn from have no labels")
        objects = objects.only(*CLASSES)
        canvas, scale = letterbox(image, width, height, FILL)
        classes = np.array([CLASSES.index(label) for label in objects.labels or ()], np.intp)
        found.append(_clipped(canvas, objects.boxes * scale, classes))
    return found


def varied(scene: Scene, stream: np.random.Generator) -> Scene:
    """The scene mirrored or not, larger or smaller, shifted, brighter or darker."""
    import cv2

    height, width = scene.canvas.shape[:2]
    zoom = np.exp(stream.uniform(*np.log(_ZOOM)))
    shift = np.array([width, height]) * (stream.uniform(-_SHIFT, _SHIFT, 2) + (1 - zoom) / 2)
    flip = stream.random() < 0.5
    matrix = np.array([[zoom, 0, shift[0]], [0, zoom, shift[1]]])
    boxes = scene.boxes * zoom + np.tile(shift, 2)
    if flip:
        matrix[0] = [-zoom, 0, width - shift[0]]
        boxes[:, [0, 2]] = width - boxes[:, [2, 0]]
    canvas = cv2.warpAffine(scene.canvas, matrix, (width, height), borderValue=(FILL,) * 3)
    light = stream.uniform(*_LIGHT) * stream.uniform(0.95, 1.05, 3)
    shades = np.clip(np.arange(256)[None, :, None] * light, 0, 255).astype(np.uint8)
    return _clipped(np.asarray(cv2.LUT(canvas, shades), np.uint8), boxes.astype(np.float32), scene.classes)


def _clipped(canvas: Image, boxes: NDArray[np.float32], classes: NDArray[np.intp]) -> Scene:
    """Boxes cut at the border; those that are almost outside, or thinner than a pixel, are left out."""
    height, width = canvas.shape[:2]
    inside = np.clip(boxes, 0, np.array([width, height] * 2, np.float32))
    sides, whole = inside[:, 2:] - inside[:, :2], boxes[:, 2:] - boxes[:, :2]
    kept = (sides >= 1).all(axis=1) & (sides.prod(axis=1) >= _VISIBLE * whole.prod(axis=1))
    return Scene(canvas, inside[kept], classes[kept])
