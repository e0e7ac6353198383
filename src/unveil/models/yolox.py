"""People and objects by YOLOX-nano, trained on COCO, run in ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.scenes import CLASSES
from unveil.core.types import Detections, Image
from unveil.core.validation import number
from unveil.models.letterbox import letterbox
from unveil.models.suppression import keep_surest
from unveil.models.weights import require_library
from unveil.models.weights_records import YOLOX_NANO, find

if TYPE_CHECKING:
    import onnxruntime

TAIL = 0.05
"""Smallest score of a detection that is returned, for curves."""

_SIDE = 416
_STRIDES = (8, 16, 32)
_FILL = 114
# Of the 80 classes that the graph knows, the first ten are `CLASSES`, in the same order.

_CANDIDATES = 300
"""So many of a picture's surest boxes are compared with each other."""


class YoloxNano:
    """The ten object classes by YOLOX-nano, 0.9 million parameters, trained on COCO; 416 pixels.

    The score is objectness times class probability. Pictures pass the graph one by one, as many at a time as
    there are cores: its batch size is fixed at 1. Detections with a score below 0.05 are not returned.

    Args:
        threshold: score from which the detector says that the object is there, in (0, 1].
        overlap: boxes of one class that overlap a surer one by more than this are dropped, in (0, 1].

    Source: Ge, Liu, Wang, Li, Sun, "YOLOX: Exceeding YOLO Series in 2021", arXiv:2107.08430, 2021; section 2.1
    (decoupled head, anchor-free). AP on COCO 25.8 % (published).
    """

    meta = ModelMeta(
        name="yolox_nano",
        version=1,
        role="object_detector",
        source=Source(
            citation="Ge, Liu, Wang, Li, Sun: YOLOX: Exceeding YOLO Series in 2021, arXiv:2107.08430, 2021",
            licence="Apache-2.0",
            url="https://arxiv.org/abs/2107.08430",
        ),
        weights={YOLOX_NANO.name: YOLOX_NANO.sha256},
    )

    def __init__(self, *, threshold: float = 0.3, overlap: float = 0.5) -> None:
        self.threshold = number("threshold", threshold, above=0, high=1)
        self.overlap = number("overlap", overlap, above=0, high=1)

    def require(self) -> None:
        """Raise Unavailable when the weights or ONNX Runtime are missing."""
        require_library("onnxruntime", distribution="onnxruntime")
        find(YOLOX_NANO)

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # every core takes pictures of its own
        return onnxruntime.InferenceSession(str(find(YOLOX_NANO)), options, providers=["CPUExecutionProvider"])

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """People and objects in each picture, surest first.

        Raises:
            Unavailable: at the first call, when the weights are missing or not the known ones.
        """
        from unveil.models.parallel import on_every_core

        session = self._session
        return on_every_core(lambda image: self._one(session, image), images)

    def _one(self, session: onnxruntime.InferenceSession, image: Image) -> Detections:
        canvas, scale = letterbox(image, _SIDE, _SIDE, _FILL)
        batch = canvas[None, :, :, ::-1].transpose(0, 3, 1, 2).astype(np.float32)  # BGR, 0 to 255
        (output,) = session.run(None, {"images": batch})
        boxes, scores, classes = decode(output[0])
        boxes = boxes / scale
        kept = keep_surest(boxes, scores, classes, self.overlap)
        return Detections(boxes[kept], scores[kept], labels=tuple(CLASSES[i] for i in classes[kept]))


def decode(output: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.intp]]:
    """Boxes in pixels of the canvas, scores and classes of what the graph gives for one picture.

    Args:
        output: (3549, 85): centre and logarithm of the size in units of the stride, objectness, 80 classes.

    Returns:
        Boxes (n, 4), scores (n,) of at least :data:`TAIL`, indices (n,) into ``CLASSES``.
    """
    every = output[:, 4:5] * output[:, 5:]
    best = every.argmax(axis=1)
    scores = every[np.arange(len(every)), best]
    chosen = np.flatnonzero((scores >= TAIL) & (best < len(CLASSES)))
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")[:_CANDIDATES]]
    cells, stride = _grid()
    centres = (output[chosen, :2] + cells[chosen]) * stride[chosen]
    halves = np.exp(output[chosen, 2:4]) * stride[chosen] / 2
    boxes = np.concatenate([centres - halves, centres + halves], axis=1).astype(np.float32)
    return boxes, scores[chosen].astype(np.float32), best[chosen]


@cache
def _grid() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Column and row (n, 2) of every cell, and its stride (n, 1)."""
    cells, strides = [], []
    for stride in _STRIDES:
        count = _SIDE // stride
        rows, columns = np.mgrid[:count, :count]
        cells.append(np.stack([columns, rows], axis=2).reshape(-1, 2))
        strides.append(np.full((count * count, 1), stride))
    return np.concatenate(cells).astype(np.float32), np.concatenate(strides).astype(np.float32)
