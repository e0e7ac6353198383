"""Face detector YuNet through OpenCV's FaceDetectorYN."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Image
from unveil.core.validation import number, whole
from unveil.models.pool import Pool
from unveil.models.weights import require_library
from unveil.models.weights_records import YUNET, find

if TYPE_CHECKING:
    import cv2

_CANDIDATES = 5000
"""So many of a picture's surest boxes are compared with each other; OpenCV's own default."""

_LEAST_SIDE = 64
"""Smaller pictures get a black rim to the right and below, as OpenCV adds one up to multiples of 32.

With 32 pixels a side, OpenCV 4.14 computes on memory that nobody wrote: other faces at every call. From 64 pixels
on, its outputs equal those of ONNX Runtime within 0.001.
"""


class YuNet:
    """Boxes, scores and five landmarks by a network of 75,000 parameters; fast, and good at small faces.

    Boxes may reach over the border; their centres do not. Faces come best score first.

    Args:
        threshold: least score of a face, in (0, 1). OpenCV's default of 0.9 is stricter: of 113 faces that MTCNN
            finds in 120 photos it finds 110, the default here all.
        overlap: boxes that overlap a surer one by more than this are dropped, in (0, 1].
        longest: pictures with a longer side, in pixels, are reduced to it first, at least 32.

    Raises:
        ValueError: for a parameter outside its range.

    Source: Wu, Peng and Yu, "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research, 2023.
    """

    meta = ModelMeta(
        name="yunet",
        version=1,
        role="detector",
        source=Source(
            citation="Wu, Peng, Yu: YuNet: A Tiny Millisecond-level Face Detector, Machine Intelligence Research, "
            "2023",
            licence="MIT",
            url="https://github.com/ShiqiYu/libfacedetection",
        ),
        weights={YUNET.name: YUNET.sha256},
    )

    def __init__(self, *, threshold: float = 0.7, overlap: float = 0.3, longest: int = 640) -> None:
        self.threshold = number("threshold", threshold, above=0, high=1)
        self.overlap = number("overlap", overlap, above=0, high=1)
        self.longest = whole("longest", longest, low=32)

    def require(self) -> None:
        """Raise Unavailable when the weights or OpenCV are missing."""
        require_library("cv2", distribution="'opencv-python-headless>=4.10,<5'")
        find(YUNET)

    @cached_property
    def _networks(self) -> Pool[cv2.FaceDetectorYN]:
        import cv2

        file, settings = str(find(YUNET)), (self.threshold, self.overlap, _CANDIDATES)
        return Pool(lambda: cv2.FaceDetectorYN.create(file, "", (self.longest, self.longest), *settings))

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in each picture; landmarks are (n, 5, 2).

        Raises:
            Unavailable: at the first call, when the weights are missing or not the known ones.
        """
        from unveil.models.parallel import on_every_core

        networks = self._networks

        def one(image: Image) -> Detections:
            with networks.lend() as network:
                return self._one(network, image)

        return on_every_core(one, images)

    def _one(self, network: cv2.FaceDetectorYN, image: Image) -> Detections:
        import cv2

        height, width = image.shape[:2]
        reduction = min(1.0, self.longest / max(height, width))
        size = (max(1, round(width * reduction)), max(1, round(height * reduction)))
        if reduction < 1:
            image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        canvas = np.zeros((max(size[1], _LEAST_SIDE), max(size[0], _LEAST_SIDE), 3), np.uint8)
        canvas[: size[1], : size[0]] = image[..., ::-1]  # BGR
        network.setInputSize(canvas.shape[1::-1])
        _, found = network.detect(canvas)
        if found is None:
            return Detections.empty()
        centre = found[:, :2] + found[:, 2:4] / 2
        found = found[((centre >= 0) & (centre <= size)).all(axis=1)]  # not on the rim
        scale = np.array([width / size[0], height / size[1]], np.float32)
        found = found[np.lexsort((*found[:, :4].T, -found[:, 14]))]  # of equal scores the order must be fixed
        corner, extent = found[:, :2] * scale, found[:, 2:4] * scale
        boxes = np.concatenate([corner, corner + extent], axis=1)
        marks = found[:, 4:14].reshape(-1, 5, 2) * scale
        return Detections(boxes, np.ascontiguousarray(found[:, 14]), marks)
