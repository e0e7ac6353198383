"""Faces as DeepFace gives them to its networks: levelled by the eyes, then letter-boxed in black."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Face, Failure, Image, Reason
from unveil.models.deepface_library import Network
from unveil.models.dlib_alignment import unusable
from unveil.models.opencv import HaarCascade
from unveil.models.weights import locate

Result = TypeVar("Result")
Chips = NDArray[np.float32]
Point = tuple[float, float] | None

CASCADES: Mapping[str, str] = {
    **HaarCascade.meta.weights,
    "haarcascade_eye.xml": "71cc64fc305a355dc60067880f6fbbd43dd155bd63ee3844661a1bda34b2fd8c",
}
"""The cascades of OpenCV that the library reads: file name -> SHA-256."""


def _cascade(file: str) -> Path:
    distribution = "'opencv-python-headless>=4.10,<5'"
    return locate("cv2", f"data/{file}", CASCADES[file], distribution=distribution)


HAAR = Network("face_detector", "opencv", watched={file: partial(_cascade, file) for file in CASCADES})
"""The library's detector of faces and eyes by OpenCV: eyes are found by it where the detector gives none."""

_EYES_GIVEN = (2, 5)
"""Numbers of landmarks of which the first two are the eyes."""

_BATCH = 32
"""Faces per pass through a network."""


def describe_chips(
    work: Callable[[Chips], Iterable[Result]],
    images: Sequence[Image],
    faces: Sequence[Face],
    *,
    size: tuple[int, int],
    finder: Any,
) -> list[Result | Failure]:
    """What ``work`` says about each face, and a Failure in place of each that cannot be cut out.

    Args:
        work: one result per chip, of at most 32 chips at a time.
        images: one picture per face.
        faces: where they are.
        size: width and height of a chip.
        finder: the library's object for :data:`HAAR`.
    """
    results: list[Result | Failure] = []
    for start in range(0, len(images), _BATCH):
        part = slice(start, start + _BATCH)
        cut = [_chip(image, face, size, finder) for image, face in zip(images[part], faces[part], strict=True)]
        usable = [chip for chip in cut if not isinstance(chip, Failure)]
        found = iter(work(np.stack(usable)) if usable else ())
        results += [chip if isinstance(chip, Failure) else next(found) for chip in cut]
    return results


def _chip(image: Image, face: Face, size: tuple[int, int], finder: Any) -> Chips | Failure:
    """One face, (height, width, 3), BGR in 0..1: this is what every network of the library is given."""
    from deepface.modules import preprocessing

    box = _box(image, face, size)
    if isinstance(box, Failure):
        return box
    left, top, width, height = box
    x, y = width // 2, height // 2  # so much about the box is turned with it
    near = _cut(image, left - x, top - y, width + 2 * x, height + 2 * y)
    upright = _levelled(near, _eyes(face, near, (x, y, width, height), (left - x, top - y), finder))
    # Always from 0..255: the library leaves that out where a picture is nearly black, and takes 1 for white.
    chip = upright[y : y + height, x : x + width] / 255.0
    return preprocessing.resize_image(chip, (size[1], size[0]))[0]


def _levelled(near: Image, eyes: tuple[Point, Point]) -> Image:
    """Turned about its middle until the line between the eyes is level; as it is where an eye is unknown."""
    import cv2

    right, left = eyes
    if right is None or left is None:
        return near
    height, width = near.shape[:2]
    angle = math.degrees(math.atan2(left[1] - right[1], left[0] - right[0]))
    turn = cv2.getRotationMatrix2D((width // 2, height // 2), angle, 1.0)
    return cv2.warpAffine(near, turn, (width, height), flags=cv2.INTER_CUBIC).astype(np.uint8, copy=False)


def _box(image: Image, face: Face, size: tuple[int, int]) -> tuple[int, int, int, int] | Failure:
    """Left, top, width and height in whole pixels; at most half a picture beyond its border, as in the library."""
    if problem := unusable(face):
        return problem
    height, width = image.shape[:2]
    frame = np.array([width, height, width, height])
    box = np.clip(np.round(face.box), -(frame // 2), frame + frame // 2).astype(int)
    if (np.minimum(box[2:], frame[:2]) <= np.maximum(box[:2], 0)).any():
        where = ", ".join(f"{value:g}" for value in face.box)
        return Failure(Reason.NO_FACE, f"a box must overlap its picture of {width} x {height}, not {where}")
    sides = box[2:] - box[:2]
    if (sides * (np.array(size) / sides).min() < 1).any():
        return Failure(Reason.TOO_SMALL, f"a box of {sides[0]} x {sides[1]} is less than a pixel wide as a chip")
    return int(box[0]), int(box[1]), int(sides[0]), int(sides[1])


def _cut(image: Image, left: int, top: int, width: int, height: int) -> Image:
    """A rectangle of the picture in BGR, black where it reaches over the border."""
    rectangle = np.zeros((height, width, 3), np.uint8)
    x, y = max(left, 0), max(top, 0)
    part = image[y : max(top + height, 0), x : max(left + width, 0), ::-1]
    rectangle[y - top : y - top + part.shape[0], x - left : x - left + part.shape[1]] = part
    return rectangle


def _eyes(
    face: Face, near: Image, area: tuple[int, int, int, int], corner: tuple[int, int], finder: Any
) -> tuple[Point, Point]:
    """The right and the left eye of the person in ``near``; None where nobody knows."""
    marks = face.landmarks
    if marks is not None and len(marks) in _EYES_GIVEN and np.isfinite(marks[:2]).all():
        (right_x, right_y), (left_x, left_y) = (marks[:2] - np.array(corner)).tolist()
        return (right_x, right_y), (left_x, left_y)
    x, y, width, height = area
    left, right = finder.find_eyes(near[y : y + height, x : x + width])
    return _moved(right, x, y), _moved(left, x, y)


def _moved(point: Point, x: int, y: int) -> Point:
    return None if point is None else (float(point[0] + x), float(point[1] + y))
