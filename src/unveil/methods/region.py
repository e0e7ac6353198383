"""Where a method acts: on the whole picture, on every detected face, or on every person.

One rule for all of them: ``region="face"`` means every detected face box, enlarged by ``margin`` times
its own width (left and right) and height (above and below), cut at the border of the picture. A picture
in which no face is found is a Failure: handing it out unchanged would publish it unprotected.
``region="person"`` means the box of every person's mask, of which only the pixels of the mask change; masks,
``margin`` and what becomes of people without a mask are explained in :mod:`unveil.methods.silhouettes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import MethodMeta, ProtectionContext
from unveil.core.types import Detections, Failure, Image, Reason, Sample
from unveil.core.validation import choice, number
from unveil.methods.silhouettes import Result, Silhouette, protect_people

Where: TypeAlias = Literal["image", "face", "person"]
Edit: TypeAlias = Callable[[Image], Image]
"""Original region -> protected region of the same shape; does not write to its input."""


@dataclass(frozen=True, slots=True)
class Region:
    """The region rule with its parameters.

    Attributes:
        kind: ``image``, ``face`` or ``person``.
        margin: share by which a face box or a mask grows, at least 0; unused for the whole image.

    Raises:
        ValueError: for another kind, or a margin that is negative or not finite.
    """

    kind: Where
    margin: float

    def __post_init__(self) -> None:
        choice("region", self.kind, get_args(Where))
        number("margin", self.margin, low=0)

    def meta(self, meta: MethodMeta) -> MethodMeta:
        """``meta`` with what finds faces or people among its needs."""
        needs = {"image": meta.needs, "face": ("detector",), "person": ("segmenter",)}
        return replace(meta, needs=needs[self.kind])

    def protect(
        self, images: Sequence[Image], context: ProtectionContext, edit_for: Callable[[Sample], Edit]
    ) -> list[Result]:
        """Apply a method to its region of each picture.

        Args:
            images: originals; not written to.
            context: of the batch.
            edit_for: gives the edit of one sample. Called once per sample, so that a random method draws
                all regions of a picture from one stream.
        """
        if self.kind == "image":
            return [edit_for(sample)(image) for image, sample in zip(images, context.samples, strict=True)]
        if self.kind == "person":
            return protect_people(
                images,
                context,
                lambda image, people, sample: _people(image, people, edit_for(sample)),
                margin=self.margin,
            )
        found = context.detect(images)
        return [
            self._faces(image, faces, sample, edit_for)
            for image, faces, sample in zip(images, found, context.samples, strict=True)
        ]

    def protect_randomly(
        self,
        images: Sequence[Image],
        context: ProtectionContext,
        edit: Callable[[Image, np.random.Generator], Image],
    ) -> list[Result]:
        """As :meth:`protect`, with an edit that also takes the random stream of the picture."""

        def edit_for(sample: Sample) -> Edit:
            rng = context.rng(sample)
            return lambda image: edit(image, rng)

        return self.protect(images, context, edit_for)

    def _faces(
        self, image: Image, faces: Detections, sample: Sample, edit_for: Callable[[Sample], Edit]
    ) -> Result:
        boxes = pixel_boxes(faces.boxes, image.shape, self.margin)
        if not boxes:
            return no_face(sample, image)
        edit, protected = edit_for(sample), image.copy()
        # Where boxes overlap, the later edit sees the earlier one's result: no original pixel is used twice.
        for left, top, right, bottom in boxes:
            protected[top:bottom, left:right] = edit(protected[top:bottom, left:right])
        return protected


def _people(image: Image, people: Sequence[Silhouette], edit: Edit) -> Image:
    protected = image.copy(order="C")
    for person in people:  # where boxes overlap, as for faces
        person.paste(protected, edit(person.crop(protected)))
    return protected


def no_face(sample: Sample, image: Image) -> Failure:
    """The Failure of a picture in which the method needs a face and none is found."""
    height, width = image.shape[:2]
    return Failure(
        Reason.NO_FACE, f"{sample.id}: needs at least one detected face, 0 found in {width}x{height} pixels"
    )


def pixel_boxes(
    boxes: NDArray[np.float32], shape: tuple[int, ...], margin: float
) -> list[tuple[int, int, int, int]]:
    """Face boxes on the pixel grid: enlarged, rounded outwards, cut at the border; empty ones left out.

    Args:
        boxes: (n, 4) left, top, right, bottom.
        shape: of the picture, (height, width, ...).
        margin: share of width and height added on each side.

    >>> pixel_boxes(np.array([[2.5, 1, 6.5, 5]], np.float32), (8, 8, 3), 0.25)
    [(1, 0, 8, 6)]
    """
    if not len(boxes):
        return []
    grown = boxes.astype(np.float64)
    more = margin * np.tile(grown[:, 2:] - grown[:, :2], 2)
    grown += more * [-1, -1, 1, 1]
    height, width = shape[:2]
    limits = np.array([width, height, width, height])
    low = np.clip(np.floor(grown[:, :2]), 0, limits[:2])
    high = np.clip(np.ceil(grown[:, 2:]), 0, limits[2:])
    rows = np.hstack([low, high]).astype(int).tolist()
    return [(a, b, c, d) for a, b, c, d in rows if c > a and d > b]
