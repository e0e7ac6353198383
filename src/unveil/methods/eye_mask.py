"""The bar over the eyes that newspapers used: kept as the classical example of too little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.core import validation
from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Detections, Face, Failure, Image
from unveil.core.validation import number
from unveil.methods.region import no_face

EYES_IN_BOX = np.array([[0.3, 0.4], [0.7, 0.4]])
"""Where the eyes are taken to be without landmarks, as shares of the box of an upright face (a convention)."""


def eyes(face: Face) -> NDArray[np.float64]:
    """Centres of the eyes (2, 2) in pixels: five-point landmarks, else the usual place in the box."""
    marks = face.landmarks
    if marks is not None and len(marks) == 5 and np.linalg.norm(marks[1] - marks[0]) >= 1:
        return marks[:2].astype(np.float64)
    box = face.box.astype(np.float64)
    return box[:2] + EYES_IN_BOX * (box[2:] - box[:2])


class EyeMask:
    """A bar over the eyes of every detected face, along the line between them.

    Its length and thickness are in units of the distance between the eyes, so it turns and grows with the
    face. Without five-point landmarks it stands level at the eyes' usual place in the face box
    (:data:`EYES_IN_BOX`).

    Args:
        length: of the bar, in eye distances, above 0.
        thickness: of the bar, in eye distances, above 0.
        color: red, green and blue in 0..255.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="eye_mask",
        version=1,
        scope="image",
        deterministic=True,
        needs=("detector",),
        source=Source(
            "E. M. Newton, L. Sweeney, B. Malin, Preserving Privacy by De-identifying Face Images, IEEE TKDE "
            "17(2), 2005: bar mask over the eyes"
        ),
    )

    def __init__(self, *, length: float = 2.2, thickness: float = 0.8, color: Sequence[int] = (0, 0, 0)) -> None:
        self.length = number("length", length, above=0)
        self.thickness = number("thickness", thickness, above=0)
        self.color = validation.color("color", color)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: most of the face stays visible."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Pictures with bars; ``no_face`` where none is found."""
        found = context.detect(images)
        return [
            self._bars(image, faces) if len(faces) else no_face(sample, image)
            for image, faces, sample in zip(images, found, context.samples, strict=True)
        ]

    def _bars(self, image: Image, faces: Detections) -> Image:
        import cv2

        protected = image.copy()
        for index in range(len(faces)):
            left, right = eyes(faces.face(index))
            along = (right - left) / 2
            across = np.array([-along[1], along[0]])
            ends = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [self.length, self.thickness]
            corners = (left + right) / 2 + ends @ np.array([along, across])
            # Far enough outside for any picture, and still a number OpenCV can hold.
            points = np.clip(np.rint(corners), -1e6, 1e6).astype(np.int32)
            cv2.fillPoly(protected, [points], self.color)
        return protected
