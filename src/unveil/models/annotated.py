"""People where the dataset says they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Failure, Image, Reason
from unveil.models.person_masks import Mask, filled_box, with_masks


class Annotated:
    """The people that the dataset names, with its masks and keypoints.

    Where the dataset has no mask of a person, the filled box is the mask: too much is protected rather than
    nothing. A picture of which masks and pixels do not fit together is a Failure (``bad_annotation``).
    """

    meta = ModelMeta(
        name="annotated",
        version=1,
        role="segmenter",
        source=Source(citation="The masks, boxes and keypoints of the dataset itself"),
    )
    starts_from: Literal["annotations", "objects", "nothing"] = "annotations"

    def segment(self, images: Sequence[Image], known: Sequence[Detections]) -> list[Detections | Failure]:
        """The people in ``known`` with a mask each; scores, boxes and keypoints as they are."""
        return [_one(image, people) for image, people in zip(images, known, strict=True)]


def _one(image: Image, people: Detections) -> Detections | Failure:
    height, width = image.shape[:2]
    if people.masks is not None and people.masks.shape[1:] != (height, width):
        rows, columns = people.masks.shape[1:]
        rule = f"masks must have the size of their picture, {width}x{height} pixels, not {columns}x{rows}"
        return Failure(Reason.BAD_ANNOTATION, rule)
    masks: list[Mask] = []
    for index, box in enumerate(people.boxes):
        mask = np.zeros(0, np.bool_) if people.masks is None else people.masks[index]
        if not mask.any():
            mask = filled_box(box, height, width)
        if not mask.any():
            rule = f"a box must touch its picture of {width}x{height} pixels, not lie at {box.tolist()}"
            return Failure(Reason.BAD_ANNOTATION, rule)
        masks.append(mask)
    return with_masks(people, masks)
