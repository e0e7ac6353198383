"""People cut out of the boxes of a detector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Failure, Image
from unveil.core.validation import number, whole
from unveil.models.person_masks import Mask, enlarged, filled_box, with_masks
from unveil.models.weights import require_library

_CONTEXT = 0.5
"""Ring of certain background around the enlarged box that is looked at, as a share of the box's sides."""


class GrabCut:
    """Boxes of the run's reference detector, refined with GrabCut: colours inside against colours around.

    Each person is cut out alone, from the box and a ring around it, reduced so that the longer side has ``side``
    pixels. Inside the box pixels start as probable person, in the margin as probable background, and beyond the
    margin they are certain background, so a mask never leaves the enlarged box. Where less than ``least`` of the
    box is left as person the cut has failed and the filled box is the mask. Every cut starts from the same
    random numbers.

    Args:
        margin: by how much a box is enlarged at each edge, as a share of its width and height, 0 to 1.
        iterations: rounds of GrabCut, at least 1.
        side: longer side of what is cut, in pixels, at least 32.
        least: smallest share of the box that a mask may have, 0 to 1.

    Source: Rother, Kolmogorov, Blake, "GrabCut: Interactive Foreground Extraction using Iterated Graph Cuts",
    SIGGRAPH 2004; as in OpenCV.
    """

    meta = ModelMeta(
        name="grabcut",
        version=1,
        role="segmenter",
        source=Source(
            citation="Rother, Kolmogorov, Blake: GrabCut: Interactive Foreground Extraction using Iterated Graph "
            "Cuts, ACM Transactions on Graphics 23(3), 2004",
            licence="Apache-2.0 (OpenCV)",
            url="https://docs.opencv.org/4.x/d8/d83/tutorial_py_grabcut.html",
        ),
    )
    starts_from: Literal["annotations", "objects", "nothing"] = "objects"

    def __init__(self, *, margin: float = 0.05, iterations: int = 1, side: int = 160, least: float = 0.2) -> None:
        self.margin = number("margin", margin, low=0, high=1)
        self.iterations = whole("iterations", iterations)
        self.side = whole("side", side, low=32)
        self.least = number("least", least, low=0, high=1)

    def require(self) -> None:
        """Raise Unavailable when OpenCV is missing."""
        require_library("cv2", distribution="'opencv-python-headless>=4.10,<5'")

    def segment(self, images: Sequence[Image], known: Sequence[Detections]) -> list[Detections | Failure]:
        """The people in ``known`` with masks; boxes outside the picture are left out."""
        return [
            with_masks(people, [self._mask(image, box) for box in people.boxes])
            for image, people in zip(images, known, strict=True)
        ]

    def _mask(self, image: Image, box: NDArray[np.float32]) -> Mask:
        import cv2

        height, width = image.shape[:2]
        whole_box = filled_box(box, height, width)
        left, top, right, bottom = enlarged(box, height, width, self.margin + _CONTEXT)
        if right - left < 2 or bottom - top < 2:
            return whole_box
        crop = image[top:bottom, left:right]
        allowed = filled_box(box, height, width, self.margin)[top:bottom, left:right]
        start = np.where(whole_box[top:bottom, left:right], cv2.GC_PR_FGD, cv2.GC_PR_BGD)
        start = np.where(allowed, start, cv2.GC_BGD).astype(np.uint8)
        found = self._cut(crop, start) & allowed
        if found.sum() < self.least * whole_box.sum():
            return whole_box
        mask = np.zeros((height, width), np.bool_)
        mask[top:bottom, left:right] = found
        return mask

    def _cut(self, crop: Image, start: NDArray[np.uint8]) -> Mask:
        """Foreground of a crop, (height, width); ``start`` says what each pixel is thought to be."""
        import cv2

        height, width = start.shape
        scale = min(1.0, self.side / max(height, width))
        size = (max(2, round(width * scale)), max(2, round(height * scale)))
        small = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)
        state = cv2.resize(start, size, interpolation=cv2.INTER_NEAREST)
        if len(np.unique(state % 2)) < 2:  # nothing around the box, or nothing inside: no colours to compare
            return np.zeros((height, width), np.bool_)
        cv2.setRNGSeed(0)
        models = np.zeros((1, 65)), np.zeros((1, 65))
        cv2.grabCut(small, state, (0, 0, 0, 0), *models, self.iterations, cv2.GC_INIT_WITH_MASK)
        soft = cv2.resize((state % 2).astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
        return soft >= 0.5
