"""MediaPipe's FaceLandmarker: as landmarker, and as an estimator of head pose, mouth, eyes and expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import Kind, ModelMeta
from unveil.core.types import Face, Failure, Image, Value
from unveil.models.blendshape_rules import expression, eye_status, mouth_status, smile
from unveil.models.face_mesh import POINTS, Mesh, meshes, require_mesh
from unveil.models.head_pose import angles
from unveil.models.weights_records import FACE_LANDMARKER

_SOURCE = Source(
    citation="Kartynnik, Ablavatski, Grishchenko, Grundmann: Real-time Facial Surface Geometry from Monocular "
    "Video on Mobile GPUs, CVPR Workshop 2019; Grishchenko et al.: Blendshapes GHUM, arXiv:2309.05782, 2023; "
    f"{FACE_LANDMARKER.citation}",
    licence=f"{FACE_LANDMARKER.licence} (weights)",
    url="https://ai.google.dev/edge/mediapipe/solutions/vision/face_landmarker",
)
_WEIGHTS: Mapping[str, str] = {FACE_LANDMARKER.name: FACE_LANDMARKER.sha256}


class FaceLandmarker:
    """Finds 478 points of a face with MediaPipe; the first 468 are the face mesh, then come both irises.

    What is in the box and a quarter of its longer side around it is looked at
    (:data:`unveil.models.face_mesh.MARGIN`); of several faces there, the one that overlaps the box most is taken.
    Points of a face that reaches over the border may lie outside the picture.
    """

    meta = ModelMeta(name="face_landmarker", version=1, role="landmarker", source=_SOURCE, weights=_WEIGHTS)
    points = POINTS

    def require(self) -> None:
        """Raise Unavailable when the library or the weights are missing."""
        require_mesh()

    def landmarks(self, images: Sequence[Image], faces: Sequence[Face]) -> list[NDArray[np.float32] | Failure]:
        """Points (478, 2) of one face per picture, x and y in pixels; ``no_face`` where none is made out.

        Raises:
            Unavailable: at the first call, when the library or the weights are missing or not the known ones.
        """
        return [mesh if isinstance(mesh, Failure) else mesh.points for mesh in meshes(images, faces)]


class FaceLandmarkerAttributes:
    """Estimates head pose, whether mouth and eyes are open, and the expression, from MediaPipe's face mesh.

    ==================================  ===================================================================
    attribute                           values
    ==================================  ===================================================================
    ``head_pose``                       yaw, pitch and roll in degrees (:func:`unveil.models.head_pose.angles`)
    ``mouth_status``                    ``open``, ``closed``
    ``left_eye_status``, ``right_...``  ``open``, ``closed``; left and right are the person's
    ``expression``                      ``angry``, ``disgust``, ``fear``, ``happy``, ``sad``, ``surprise``,
                                        ``neutral``
    ``smile``                           how far the corners of the mouth are up, 0 to 1; a confidence
    ==================================  ===================================================================

    All but the pose are rules with thresholds; :mod:`unveil.models.blendshape_rules` has them, their reasons, what
    was measured, and their limits: of the expressions only ``happy`` could be checked, closed eyes and eyes that
    look down are easily confused. The model is calm where it sees little: of 45 blurred faces that it still made
    out (Gaussian, sigma a sixteenth of the box), it called all 45 ``neutral``, of the same faces unblurred 19.
    So a calm face may count as preserved because nothing was left of it to see.

    ``smile`` is not compared: it is the evidence for ``happy``, and near 0, where calm faces are, a relative
    difference of it is noise (its preserving rate was 0.80 after a JPEG compression with quality 60 alone).
    """

    meta = ModelMeta(name="face_landmarker", version=1, role="estimator", source=_SOURCE, weights=_WEIGHTS)
    kinds: ClassVar[Mapping[str, Kind]] = MappingProxyType(
        {
            "head_pose": "angles",
            "mouth_status": "categorical",
            "left_eye_status": "categorical",
            "right_eye_status": "categorical",
            "expression": "categorical",
            "smile": "confidence",
        }
    )

    def require(self) -> None:
        """Raise Unavailable when the library or the weights are missing."""
        require_mesh()

    def estimate(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Mapping[str, Value] | Failure]:
        """The attributes of one face per picture; ``no_face`` where none is made out.

        Raises:
            Unavailable: at the first call, when the library or the weights are missing or not the known ones.
        """
        return [mesh if isinstance(mesh, Failure) else _described(mesh) for mesh in meshes(images, faces)]


def _described(mesh: Mesh) -> dict[str, Value]:
    return {
        "head_pose": angles(mesh.transform),
        "mouth_status": mouth_status(mesh.points),
        "left_eye_status": eye_status(mesh.shapes, "Left"),
        "right_eye_status": eye_status(mesh.shapes, "Right"),
        "expression": expression(mesh.shapes),
        "smile": smile(mesh.shapes),
    }
