"""OpenCV's Haar cascade face detector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Image
from unveil.models.weights import locate

if TYPE_CHECKING:
    import cv2

_FILE = "haarcascade_frontalface_default.xml"
_HASH = "0f7d4527844eb514d4a4948e822da90fbb16a34a0bbbbc6adc6498747a5aafb0"


class HaarCascade:
    """Upright frontal faces by boosted Haar features; boxes lie inside the picture, no landmarks.

    The score is the cascade's last-stage weight: comparable within this detector only, and no probability.

    Args:
        scale_factor: ratio of neighbouring window sizes, above 1.
        min_neighbors: how many overlapping windows make a face, at least 1.
        min_face: side of the smallest face in pixels, at least 1.

    Source: Viola and Jones, CVPR 2001; the cascade is Lienhart's, shipped with OpenCV.
    """

    meta = ModelMeta(
        name="opencv",
        version=1,
        role="detector",
        source=Source(
            citation="Viola, Jones: Rapid Object Detection using a Boosted Cascade of Simple Features, CVPR 2001",
            licence="Apache-2.0 (OpenCV); Intel License (cascade)",
            url="https://docs.opencv.org/4.x/db/d28/tutorial_cascade_classifier.html",
        ),
        weights={_FILE: _HASH},
    )

    def __init__(self, *, scale_factor: float = 1.1, min_neighbors: int = 5, min_face: int = 20) -> None:
        if not (math.isfinite(scale_factor) and scale_factor > 1):
            raise ValueError(f"scale_factor must be a number above 1, not {scale_factor!r}")
        if not (isinstance(min_neighbors, int) and min_neighbors >= 1):
            raise ValueError(f"min_neighbors must be a whole number from 1, not {min_neighbors!r}")
        if not (isinstance(min_face, int) and min_face >= 1):
            raise ValueError(f"min_face must be a whole number of pixels from 1, not {min_face!r}")
        self.scale_factor = scale_factor
        self.min_neighbors = min_neighbors
        self.min_face = min_face

    def require(self) -> None:
        """Raise Unavailable when OpenCV or its cascade is missing."""
        _cascade_path()

    @cached_property
    def _cascade(self) -> cv2.CascadeClassifier:
        import cv2

        return cv2.CascadeClassifier(str(_cascade_path()))

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in each picture, best score first.

        Raises:
            Unavailable: at the first call, when OpenCV's cascade is missing or not the known one.
        """
        return [self._one(image) for image in images]

    def _one(self, image: Image) -> Detections:
        import cv2

        places, _, weights = self._cascade.detectMultiScale3(
            cv2.cvtColor(image, cv2.COLOR_RGB2GRAY),
            scaleFactor=self.scale_factor,
            minNeighbors=self.min_neighbors,
            minSize=(self.min_face, self.min_face),
            outputRejectLevels=True,
        )
        boxes = np.asarray(places, np.float32).reshape(-1, 4)
        boxes[:, 2:] += boxes[:, :2]
        scores = np.asarray(weights, np.float32).reshape(-1)
        order = np.lexsort((*boxes.T, -scores))  # of equal scores the order must not depend on threads
        return Detections(boxes[order], scores[order])


def _cascade_path() -> Path:
    return locate("cv2", f"data/{_FILE}", _HASH, distribution="'opencv-python-headless>=4.10,<5'")
