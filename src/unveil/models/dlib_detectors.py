"""dlib's two face detectors: HOG features with a sliding window, and a convolutional network.

Boxes may reach over the border; neither gives landmarks. dlib's boxes hold their right and bottom pixels, so
one is added to get edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Image
from unveil.models.dlib_alignment import locate_dlib
from unveil.models.weights import require_library

if TYPE_CHECKING:
    import dlib

_CNN_FILE = "mmod_human_face_detector.dat"
_CNN_HASH = "4cb19393e2fbaf2b1609a9319ad5386618c886a6234ec1b971f3e87c85d87fe6"

_CNN_SIDE = 20
"""Smallest side of a picture, in pixels: the network finds no smaller face, and dlib overruns memory at 8."""


class DlibHog:
    """Frontal faces by histograms of oriented gradients.

    Args:
        upsample: how often the picture is doubled first, 0 to 4. The smallest face found is 80 pixels at 0,
            40 at 1; one doubling is the default because pictures of 112 pixels need it: of 25 photos reduced to
            that size a face is found in 10 without and in 21 with it.
        adjust: what is added to the detector's threshold; negative finds more and errs more.

    Source: Dalal and Triggs, CVPR 2005; King, "Max-Margin Object Detection", arXiv:1502.00046, 2015.
    """

    meta = ModelMeta(
        name="dlib",
        version=1,
        role="detector",
        source=Source(
            citation="Dalal, Triggs: Histograms of Oriented Gradients for Human Detection, CVPR 2005; King: "
            "Max-Margin Object Detection, arXiv:1502.00046, 2015",
            licence="BSL-1.0",
            url="http://dlib.net/face_detector.py.html",
        ),
    )

    def __init__(self, *, upsample: int = 1, adjust: float = 0.0) -> None:
        _check_upsample(upsample)
        if not math.isfinite(adjust):
            raise ValueError(f"adjust must be a finite number, not {adjust!r}")
        self.upsample = upsample
        self.adjust = adjust

    def require(self) -> None:
        """Raise Unavailable when dlib is missing."""
        require_library("dlib", distribution="dlib-bin")

    @cached_property
    def _detector(self) -> dlib.fhog_object_detector:
        import dlib

        return dlib.get_frontal_face_detector()

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in each picture, best score first; the score is the margin, 0 at the threshold."""
        return [self._one(image) for image in images]

    def _one(self, image: Image) -> Detections:
        found, scores, _ = self._detector.run(np.ascontiguousarray(image), self.upsample, self.adjust)
        return _detections(found, scores)


class DlibCnn:
    """Faces in many poses by a small convolutional network; slow.

    A picture of 112 x 112 pixels takes 0.2 s on one core with one doubling, one of 250 x 250 pixels 1 s: fifty
    times as long as the HOG detector.

    Args:
        upsample: how often the picture is doubled first, 0 to 4; each doubling costs four times the time. One
            is the default because the network sees no faces below about 80 pixels otherwise.

    Source: King, "Max-Margin Object Detection", arXiv:1502.00046, 2015.
    """

    meta = ModelMeta(
        name="dlib_cnn",
        version=1,
        role="detector",
        source=Source(
            citation="King: Max-Margin Object Detection, arXiv:1502.00046, 2015",
            licence="CC0-1.0 (weights)",
            url="http://dlib.net/cnn_face_detector.py.html",
        ),
        weights={_CNN_FILE: _CNN_HASH},
    )

    def __init__(self, *, upsample: int = 1) -> None:
        _check_upsample(upsample)
        self.upsample = upsample

    def require(self) -> None:
        """Raise Unavailable when dlib or the network's weights are missing."""
        locate_dlib(_CNN_FILE, _CNN_HASH)

    @cached_property
    def _detector(self) -> dlib.cnn_face_detection_model_v1:
        import dlib

        return dlib.cnn_face_detection_model_v1(str(locate_dlib(_CNN_FILE, _CNN_HASH)))

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in each picture, best score first.

        Raises:
            Unavailable: at the first call, when the weights are missing or not the known ones.
        """
        return [self._one(image) for image in images]

    def _one(self, image: Image) -> Detections:
        if min(image.shape[:2]) < _CNN_SIDE:
            return Detections.empty()
        found = self._detector(np.ascontiguousarray(image), self.upsample)
        return _detections((one.rect for one in found), [one.confidence for one in found])


def _check_upsample(upsample: int) -> None:
    if not (isinstance(upsample, int) and 0 <= upsample <= 4):
        raise ValueError(f"upsample must be a whole number from 0 to 4, not {upsample!r}")


def _detections(rectangles: Iterable[dlib.rectangle], scores: Iterable[float]) -> Detections:
    edges = [(one.left(), one.top(), one.right() + 1, one.bottom() + 1) for one in rectangles]
    boxes = np.array(edges, np.float32).reshape(-1, 4)
    confidence = np.array(list(scores), np.float32)
    order = np.argsort(-confidence, kind="stable")
    return Detections(boxes[order], confidence[order])
