"""The small object detector once it is trained: what its network's maps say about a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from unveil.core.errors import DataError
from unveil.core.roles import ModelMeta
from unveil.core.scenes import CLASSES
from unveil.core.types import Detections, Image
from unveil.models.letterbox import letterbox
from unveil.models.parallel import fair_share, on_every_core
from unveil.models.small_detector_data import FILL
from unveil.models.small_detector_network import CentreNet, corners
from unveil.models.suppression import keep_surest

TAIL = 0.05
"""Smallest score of a detection that is returned, for curves."""

_OVERLAP = 0.5
"""Boxes of one class that overlap a surer one by more than this are the same object."""

_CANDIDATES = 200
_BATCH = 16


class TrainedSmallDetector:
    """A trained :class:`unveil.models.small_detector.SmallDetector`; scores below 0.05 are not returned.

    Args:
        meta: of the component that was trained.
        state: what the network learnt.
        facts: how it was trained; ``width``, ``side``, ``classes`` and ``threshold`` are used.

    Raises:
        DataError: when state and facts do not fit together.
    """

    def __init__(self, meta: ModelMeta, state: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
        self.meta = meta
        try:
            self.threshold = float(facts["threshold"])
            self._classes: Sequence[str] = facts["classes"]
            self._size: tuple[int, int] = (facts["side"], facts["side"] * 3 // 4)
            self._network = CentreNet(len(self._classes), facts["width"]).eval()
            self._network.load_state_dict(state)
        except (KeyError, TypeError, RuntimeError) as error:
            raise DataError(f"the trained weights do not fit what their header says: {error}") from error

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """People and objects in each picture, surest first."""
        size = min(_BATCH, fair_share(len(images)))
        batches = [images[start : start + size] for start in range(0, len(images), size)]
        return [found for batch in on_every_core(self._batch, batches) for found in batch]

    def _batch(self, images: Sequence[Image]) -> list[Detections]:
        fitted = [letterbox(image, *self._size, FILL) for image in images]
        found = find(self._network, [canvas for canvas, _ in fitted])
        return [
            Detections(_inside(objects.boxes / scale, image), objects.scores, labels=objects.labels)
            for image, objects, (_, scale) in zip(images, found, fitted, strict=True)
        ]


def as_input(canvases: Sequence[Image]) -> Tensor:
    """Canvases of one size as the network wants them: float (n, 3, height, width)."""
    return torch.from_numpy(np.stack(canvases)).permute(0, 3, 1, 2).float()


def find(network: CentreNet, canvases: Sequence[Image]) -> list[Detections]:
    """Objects on each canvas, in its pixels, surest first."""
    with torch.inference_mode():
        maps = network(as_input(canvases))
        heats = (torch.sigmoid(maps.centre)[:, None] * maps.kind.softmax(dim=1)).numpy()
        places = corners(maps.distances).flatten(2).numpy()
    return [_read(heat, boxes.T) for heat, boxes in zip(heats, places, strict=True)]


def _read(heat: NDArray[np.float32], boxes: NDArray[np.float32]) -> Detections:
    """Objects of one picture, from the scores (classes, h, w) and boxes (h * w, 4) of its cells."""
    scores = heat.reshape(len(heat), -1)
    best = np.argsort(-scores, axis=None, kind="stable")[:_CANDIDATES]
    classes, cells = np.unravel_index(best[scores.ravel()[best] >= TAIL], scores.shape)
    values, places = scores[classes, cells], boxes[cells]
    kept = keep_surest(places, values, classes, _OVERLAP)
    return Detections(places[kept], values[kept], labels=tuple(CLASSES[i] for i in classes[kept]))


def _inside(boxes: NDArray[np.float32], image: Image) -> NDArray[np.float32]:
    """Boxes cut at the border of their picture; each keeps some area."""
    height, width = image.shape[:2]
    low = np.clip(boxes[:, :2], 0, np.array([width, height], np.float32) - 1)
    high = np.clip(boxes[:, 2:], low + 1, np.maximum([width, height], low + 1))
    return np.concatenate([low, high], axis=1).astype(np.float32)
