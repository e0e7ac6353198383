"""People by a segmentation network of the ``transformers`` library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from unveil.core.errors import ConfigError
from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.scenes import PERSON
from unveil.core.types import Detections, Failure, Image
from unveil.core.validation import number
from unveil.models import hub
from unveil.models.person_masks import Mask, bounds

if TYPE_CHECKING:
    from unveil.models.hf_scene import SceneModel


class HfSegmenter:
    """People by a network of the ``transformers`` library for instance or semantic segmentation.

    A network for instances (Mask2Former, MaskFormer, DETR, EoMT) names each person with a score. One for classes
    (SegFormer, BEiT, DPT) names the pixels of all people: every connected region is one person with score 1, so
    people who touch are one. The model must be on this machine:
    ``unveil weights fetch facebook/mask2former-swin-tiny-coco-instance``.

    Args:
        model: name on the Hugging Face hub, of any model for segmentation that knows the class ``person``.
        folder: where the model lies, instead of the places where it is looked for by name.
        threshold: score from which a person is taken, in (0, 1].
        least: smallest share of the picture that a person covers, 0 to 1; smaller regions are dropped.

    Source: of the default, Cheng et al., "Masked-attention Mask Transformer for Universal Image Segmentation",
    CVPR 2022.
    """

    meta = ModelMeta(
        name="hf",
        version=1,
        role="segmenter",
        source=Source(
            citation=f"A pre-trained network; the default is {hub.MASK2FORMER.citation}",
            licence=f"of the default: {hub.MASK2FORMER.licence}",
            url=hub.MASK2FORMER.url,
        ),
    )
    starts_from: Literal["annotations", "objects", "nothing"] = "nothing"
    not_identity = ("folder",)

    def __init__(
        self,
        *,
        model: str = hub.MASK2FORMER.name,
        folder: str = "",
        threshold: float = 0.5,
        least: float = 0.0005,
    ) -> None:
        self.model = hub.check_name(model)
        self.folder = folder
        self.threshold = number("threshold", threshold, above=0, high=1)
        self.least = number("least", least, low=0, high=1)

    def require(self) -> None:
        """Raise Unavailable when the library or the model is missing."""
        hub.require_model(self.model, self.folder, also=[hub.PROCESSOR])

    def content_fingerprint(self) -> str:
        """Hash of the weights and their configuration: part of the identity."""
        return hub.content_fingerprint(hub.find_model(self.model, self.folder))

    @cached_property
    def _network(self) -> SceneModel:
        from unveil.models.hf_library import configuration, library
        from unveil.models.hf_scene import open_model

        folder = hub.find_model(self.model, self.folder, also=[hub.PROCESSOR])
        instances = type(configuration(folder)) in library().MODEL_FOR_UNIVERSAL_SEGMENTATION_MAPPING
        kind = "AutoModelForUniversalSegmentation" if instances else "AutoModelForSemanticSegmentation"
        network = open_model(kind, folder)
        if PERSON not in network.names.values():
            known = ", ".join(sorted(network.names.values())[:5])
            raise ConfigError(f"the model {self.model} knows no class {PERSON!r}; it knows {known}, ...")
        return network

    def segment(self, images: Sequence[Image], known: Sequence[Detections]) -> list[Detections | Failure]:
        """People in each picture, surest first; what is known of them is not used.

        Raises:
            ConfigError: when the model knows no people.
            Unavailable: at the first call, when the model is missing or damaged.
        """
        from unveil.models.parallel import on_every_core

        network = self._network
        return list(on_every_core(lambda image: self._one(network, image), images))

    def _one(self, network: SceneModel, image: Image) -> Detections:
        found = _instances(network, image, self.threshold)
        found = [(mask, score) for mask, score in found if mask.sum() > self.least * mask.size]
        if not found:
            return Detections.empty()
        found.sort(key=lambda one: -one[1])
        masks, scores = zip(*found, strict=True)
        boxes = np.stack([bounds(mask) for mask in masks])
        return Detections(
            boxes, np.array(scores, np.float32), labels=(PERSON,) * len(found), masks=np.stack(masks)
        )


def _instances(network: SceneModel, image: Image, threshold: float) -> list[tuple[Mask, float]]:
    """Every person's mask (height, width) and score."""
    outputs, size = network.outputs(image), [image.shape[:2]]
    person = next(number for number, name in network.names.items() if name == PERSON)
    if not hasattr(outputs, "masks_queries_logits") and not hasattr(outputs, "pred_masks"):
        (classes,) = network.processor.post_process_semantic_segmentation(outputs, target_sizes=size)
        return [(mask, 1.0) for mask in _regions(classes.numpy() == person)]
    (found,) = network.processor.post_process_instance_segmentation(
        outputs, threshold=threshold, target_sizes=size
    )
    owners = found["segmentation"].numpy()
    return [
        (owners == segment["id"], float(segment["score"]))
        for segment in found["segments_info"]
        if segment["label_id"] == person
    ]


def _regions(mask: Mask) -> list[Mask]:
    """The connected regions of a mask."""
    import cv2

    count, labels = cv2.connectedComponents(mask.astype(np.uint8))
    return [labels == label for label in range(1, count)]
