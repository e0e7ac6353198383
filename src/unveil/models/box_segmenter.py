"""People as filled boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Failure, Image
from unveil.core.validation import number
from unveil.models.person_masks import filled_box, with_masks


class BoxSegmenter:
    """The boxes of the run's reference detector, filled: protects more than the person.

    Args:
        margin: by how much a box is enlarged at each edge, as a share of its width and height, 0 to 1.
    """

    meta = ModelMeta(
        name="box",
        version=1,
        role="segmenter",
        source=Source(citation="The boxes of the reference detector"),
    )
    starts_from: Literal["annotations", "objects", "nothing"] = "objects"

    def __init__(self, *, margin: float = 0.0) -> None:
        self.margin = number("margin", margin, low=0, high=1)

    def segment(self, images: Sequence[Image], known: Sequence[Detections]) -> list[Detections | Failure]:
        """The people in ``known`` with their boxes as masks; boxes outside the picture are left out."""
        return [self._one(image, people) for image, people in zip(images, known, strict=True)]

    def _one(self, image: Image, people: Detections) -> Detections:
        height, width = image.shape[:2]
        return with_masks(people, [filled_box(box, height, width, self.margin) for box in people.boxes])
