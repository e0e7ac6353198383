"""People and objects by an object detector of the ``transformers`` library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.core.errors import ConfigError
from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.scenes import CLASSES
from unveil.core.types import Detections, Image
from unveil.core.validation import number
from unveil.models import hub

if TYPE_CHECKING:
    from unveil.models.hf_scene import SceneModel

TAIL = 0.05
"""Smallest score of a detection that is returned, for curves."""

_SPELLING = {"motorbike": "motorcycle", "aeroplane": "airplane"}
"""Names of PASCAL VOC, which some models use for the classes of COCO."""


class HfObjectDetector:
    """The ten object classes by a detector of the ``transformers`` library, such as RT-DETR or DETR.

    Pictures pass the network one by one, as many at a time as there are cores. Detections with a score below
    0.05, and those of other classes, are not returned. The model must be on this machine:
    ``unveil weights fetch PekingU/rtdetr_r18vd``.

    Args:
        model: name on the Hugging Face hub, of any model for object detection.
        folder: where the model lies, instead of the places where it is looked for by name.
        threshold: score from which the detector says that the object is there, in (0, 1].

    Source: of the default, Zhao et al., "DETRs Beat YOLOs on Real-time Object Detection", CVPR 2024.
    """

    meta = ModelMeta(
        name="hf",
        version=1,
        role="object_detector",
        source=Source(
            citation=f"A pre-trained network; the default is {hub.RTDETR.citation}",
            licence=f"of the default: {hub.RTDETR.licence}",
            url=hub.RTDETR.url,
        ),
    )
    not_identity = ("folder",)

    def __init__(self, *, model: str = hub.RTDETR.name, folder: str = "", threshold: float = 0.5) -> None:
        self.model = hub.check_name(model)
        self.folder = folder
        self.threshold = number("threshold", threshold, above=0, high=1)

    def require(self) -> None:
        """Raise Unavailable when the library or the model is missing."""
        hub.require_model(self.model, self.folder, also=[hub.PROCESSOR])

    def content_fingerprint(self) -> str:
        """Hash of the weights and their configuration: part of the identity."""
        return hub.content_fingerprint(hub.find_model(self.model, self.folder))

    @cached_property
    def _network(self) -> SceneModel:
        from unveil.models.hf_scene import open_model

        return open_model(
            "AutoModelForObjectDetection", hub.find_model(self.model, self.folder, also=[hub.PROCESSOR])
        )

    @cached_property
    def _classes(self) -> dict[int, str]:
        """Those of the model's classes that are kept: number -> name."""
        every = {number: _SPELLING.get(name, name) for number, name in self._network.names.items()}
        kept = {number: name for number, name in every.items() if name in CLASSES}
        if not kept:
            known = ", ".join(sorted(every.values())[:5])
            raise ConfigError(f"the model {self.model} knows none of {', '.join(CLASSES)}; it knows {known}, ...")
        return kept

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """People and objects in each picture, surest first.

        Raises:
            ConfigError: when the model knows none of the classes.
            Unavailable: at the first call, when the model is missing or damaged.
        """
        from unveil.models.parallel import on_every_core

        network, classes = self._network, self._classes
        return on_every_core(lambda image: _one(network, classes, image), images)


def _one(network: SceneModel, classes: dict[int, str], image: Image) -> Detections:
    (found,) = network.processor.post_process_object_detection(
        network.outputs(image), threshold=TAIL, target_sizes=[image.shape[:2]]
    )
    boxes, scores, numbers = (_numbers(found[key]) for key in ("boxes", "scores", "labels"))
    known = np.isin(numbers, list(classes)) & (boxes[:, :2] < boxes[:, 2:]).all(axis=1)
    order = np.flatnonzero(known)
    order = order[np.lexsort((*boxes[order].T, -scores[order]))]
    labels = tuple(classes[int(number)] for number in numbers[order])
    return Detections(boxes[order].astype(np.float32), scores[order].astype(np.float32), labels=labels)


def _numbers(tensor: Any) -> np.ndarray:
    return tensor.numpy()
