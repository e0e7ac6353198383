"""MediaPipe's face mesh of the face in a box: points, blendshapes and pose, found together in one pass.

What the landmarker and the attribute estimator need comes from here, so that one call runs the networks once.
MediaPipe writes a few lines of its own to stderr when a session opens. It offers no way to stop that
(google-ai-edge/mediapipe, issue 5737), and taking stderr away would swallow the lines of other threads, too.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.boxes import overlaps
from unveil.core.types import Face, Failure, Image, Reason
from unveil.models.dlib_alignment import unusable
from unveil.models.weights import require_library
from unveil.models.weights_records import FACE_LANDMARKER, find

if TYPE_CHECKING:
    from collections.abc import Iterator

POINTS = 478
"""Points of a mesh: 468 of the face, then 5 of each iris."""

MARGIN = 0.25
"""What is looked at around the longer side of a box, on each side, as a share of it.

On 99 real photos with MTCNN's boxes the face was found in all with 0, 0.25 and 0.5, in 96 with 1; the smaller
the margin, the fewer other people are in the crop.
"""

SMALLEST, LARGEST = 256, 768
"""Sides of a crop in pixels: smaller ones are enlarged, larger ones reduced.

Enlarging helps small faces: of 33 real photos reduced until the face had 10 pixels, it was found in 30 instead of
21; at 16 pixels the points were 8 % of the distance of the outer eye corners from those of the full picture
instead of 10 %, at 48 pixels 2 % both ways.
"""

_FACES = 4
"""Faces looked for in a crop: neighbours reach into it, and the one in the box is taken."""

_LEAST_OVERLAP = 0.1
"""Below this overlap (IoU) with its box, a face is somebody else's. On 99 real photos the least was 0.63."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """One face.

    Attributes:
        points: ``float32`` (478, 2): x and y in pixels of the whole picture; they may lie outside of it.
        shapes: name of each of the 52 blendshapes -> how active it is, in [0, 1]; left and right are the person's.
        transform: ``float32`` (4, 4): from the canonical face to a camera with x to the right, y up and z towards
            the viewer.
    """

    points: NDArray[np.float32]
    shapes: Mapping[str, float]
    transform: NDArray[np.float32]


def require_mesh() -> None:
    """Raise Unavailable when the library or the weights are missing; nothing is loaded."""
    require_library("mediapipe", distribution="'unveil[landmarks]'")
    find(FACE_LANDMARKER)


def meshes(images: Sequence[Image], faces: Sequence[Face]) -> list[Mesh | Failure]:
    """The mesh of one face per picture, on as many cores as PyTorch may use.

    Args:
        images: the pictures, one per face.
        faces: where they are. Of the faces found in the surroundings, the one that overlaps the box most counts.

    Returns:
        A Failure ``no_face`` where none is made out in the box, ``too_small`` or ``bad_output`` for a box that
        cannot hold a face.

    Raises:
        Unavailable: at the first call, when the library or the weights are missing or not the known ones.
    """
    from unveil.models.parallel import on_every_core

    require_mesh()

    def look(pair: tuple[Image, Face]) -> Mesh | Failure:
        image, face = pair
        if problem := unusable(face):
            return problem
        crop, scale, corner = _crop(image, face)
        with _session() as session:
            found = session.detect(_picture(crop))
        return _in_the_box(found, face, len(crop) / scale, corner)

    return on_every_core(look, zip(images, faces, strict=True))


_idle: LifoQueue[Any] = LifoQueue()
"""Open sessions that nobody uses. They outlive the threads of one call, and there are never more than threads."""


def _close() -> None:
    """Close all sessions when Python ends, lest they raise when modules are already gone.

    A session closes on a thread of its own, and by then Python has ended those: this is a RuntimeError, unless
    MediaPipe's exit handler ran first, after which it lets go of a session without that thread. It does run first
    when it is registered last, so this one is registered before MediaPipe is imported.
    """
    for session in tuple(_idle.queue):
        with suppress(RuntimeError):  # somebody else imported MediaPipe before this module
            session.close()


atexit.register(_close)


@contextmanager
def _session() -> Iterator[Any]:
    """A session for one picture: MediaPipe lets a session do one at a time. One that raises is not used again."""
    try:
        session = _idle.get_nowait()
    except Empty:
        session = _open()
    yield session
    _idle.put(session)


def _open() -> Any:
    from mediapipe.tasks import python as tasks

    options = tasks.vision.FaceLandmarkerOptions(
        base_options=tasks.BaseOptions(model_asset_buffer=find(FACE_LANDMARKER).read_bytes()),
        num_faces=_FACES,
        output_face_blendshapes=True,
        output_facial_transformation_matrixes=True,
    )
    return tasks.vision.FaceLandmarker.create_from_options(options)


def _picture(crop: Image) -> Any:
    import mediapipe

    return mediapipe.Image(mediapipe.ImageFormat.SRGB, crop)


def _crop(image: Image, face: Face) -> tuple[Image, float, NDArray[np.float64]]:
    """Square surroundings of a face, black beyond the picture.

    Returns:
        The crop, its pixels per pixel of the picture, and where its corner lies in the picture.
    """
    import cv2

    box = face.box.astype(np.float64)
    half = float((box[2:] - box[:2]).max()) * (0.5 + MARGIN)
    side = max(1, round(2 * half))
    corner = np.round((box[:2] + box[2:]) / 2 - half)
    left, top = corner.astype(int)
    height, width = image.shape[:2]
    rows, columns = (np.clip((start, start + side), 0, limit) for start, limit in ((top, height), (left, width)))
    crop = np.zeros((side, side, 3), np.uint8)
    inside = image[rows[0] : rows[1], columns[0] : columns[1]]
    crop[rows[0] - top : rows[1] - top, columns[0] - left : columns[1] - left] = inside
    wanted = min(max(side, SMALLEST), LARGEST)
    if wanted != side:
        how = cv2.INTER_AREA if wanted < side else cv2.INTER_CUBIC
        crop = np.asarray(cv2.resize(crop, (wanted, wanted), interpolation=how), np.uint8)
    return crop, wanted / side, corner


def _in_the_box(found: Any, face: Face, side: float, corner: NDArray[np.float64]) -> Mesh | Failure:
    """The mesh that overlaps the box most."""
    if not found.face_landmarks:
        return Failure(Reason.NO_FACE, f"no face made out in the box {_spelled(face)}")
    points = np.array([[(mark.x, mark.y) for mark in marks] for marks in found.face_landmarks]) * side + corner
    bounds = np.concatenate([points.min(axis=1), points.max(axis=1)], axis=1)
    shares = overlaps(bounds, face.box[None])[:, 0]
    best = int(shares.argmax())
    if shares[best] < _LEAST_OVERLAP:
        return Failure(Reason.NO_FACE, f"only faces beside the box {_spelled(face)}, overlap {shares[best]:.2f}")
    return Mesh(
        points[best].astype(np.float32),
        {shape.category_name: float(shape.score) for shape in found.face_blendshapes[best]},
        np.asarray(found.facial_transformation_matrixes[best], np.float32),
    )


def _spelled(face: Face) -> str:
    return " ".join(f"{value:.0f}" for value in face.box)
