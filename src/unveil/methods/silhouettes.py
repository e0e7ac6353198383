"""The people of a picture as their masks show them, for every method that protects people.

The rules, the same for all of them:

* A person is the set of pixels of the mask, and nothing else changes; the box of a person is the smallest
  around the mask, not the annotated one, so that no part of a mask is left out.
* ``margin`` grows each mask in all directions by that share of the short side of its box.
* Nobody there (no people): the picture as it is. A Failure of the segmenter is the method's Failure.
* A person whose mask is missing, empty or of another size than the picture cannot be protected, and one whose
  pixels are all the same afterwards has not been (a mosaic whose cells are pixels). The others are, and the
  result is a :class:`unveil.core.types.Protected` that says who still stands there, and why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import ProtectionContext
from unveil.core.types import Detections, Failure, Image, Protected, Sample

Mask: TypeAlias = NDArray[np.bool_]
Result: TypeAlias = Image | Protected | Failure
"""What becomes of one picture."""


@dataclass(frozen=True, slots=True)
class Silhouette:
    """One person with a usable mask.

    Attributes:
        box: left, top, right, bottom of the mask in whole pixels.
        mask: ``bool`` (bottom - top, right - left).
        landmarks: ``float32`` (17, 2) as in :data:`unveil.core.scenes.KEYPOINTS`, or None.
        where: how messages call the person.
    """

    box: tuple[int, int, int, int]
    mask: Mask
    landmarks: NDArray[np.float32] | None
    where: str

    def crop(self, image: Image) -> Image:
        """The person's box in a picture, as a view."""
        left, top, right, bottom = self.box
        return image[top:bottom, left:right]

    def paste(self, image: Image, edited: Image) -> None:
        """Write an edited box into a picture, where the mask is set."""
        overlay(self.crop(image), edited, self.mask)


def overlay(image: Image, other: Image, mask: Mask) -> None:
    """Write the pixels of another picture of the same size into a picture, where the mask is set.

    Args:
        image: (height, width, 3); its rows may be parts of longer rows.
        other: (height, width, 3).
        mask: ``bool`` (height, width).
    """
    import cv2

    # A hundred times faster than NumPy's copyto.
    cv2.copyTo(np.ascontiguousarray(other), np.ascontiguousarray(mask).view(np.uint8), image)


Edit: TypeAlias = Callable[[Image, Sequence[Silhouette], Sample], Image]
"""Original, the people in it (one at least) and its sample -> new picture; does not write to its input."""


def protect_people(
    images: Sequence[Image],
    context: ProtectionContext,
    edit: Edit,
    *,
    margin: float,
    objection: Callable[[Silhouette], str] = lambda person: "",
) -> list[Result]:
    """Apply an edit to the people of each picture.

    Args:
        images: originals; not written to.
        context: of the batch.
        edit: called once for each picture in which somebody can be protected.
        margin: share of the short side of a mask's box by which the mask grows, at least 0.
        objection: why the method cannot protect a person whose mask is usable, or ``""``.
    """

    def protect(image: Image, people: Detections | Failure, sample: Sample) -> Result:
        if isinstance(people, Failure):
            return people
        found, unprotected = silhouettes(people, image.shape, margin)
        reasons = [objection(person) for person in found]
        unprotected += [f"{p.where}: {reason}" for p, reason in zip(found, reasons, strict=True) if reason]
        chosen = [person for person, reason in zip(found, reasons, strict=True) if not reason]
        protected = edit(image, chosen, sample) if chosen else image
        unprotected += [_unchanged(p) for p in chosen if not _changed(p, image, protected)]
        return Protected(protected, tuple(unprotected)) if unprotected else protected

    found = context.people(images)
    return [protect(i, p, s) for i, p, s in zip(images, found, context.samples, strict=True)]


def silhouettes(people: Detections, shape: tuple[int, ...], margin: float) -> tuple[list[Silhouette], list[str]]:
    """People with a usable mask, and one line for each of the others.

    Args:
        people: of one picture.
        shape: of the picture, (height, width, ...).
        margin: as for :func:`protect_people`.
    """
    found, unusable = [], []
    for index in range(len(people)):
        where = f"person at ({', '.join(f'{value:.0f}' for value in people.boxes[index])})"
        mask = None if people.masks is None else people.masks[index]
        if (fault := _fault(mask, shape)) or mask is None:
            unusable.append(f"{where}: {fault}")
            continue
        marks = None if people.landmarks is None else people.landmarks[index]
        box, part = _grown(mask, margin)
        found.append(Silhouette(box, part, marks, where))
    return found, unusable


def union(people: Sequence[Silhouette], shape: tuple[int, ...]) -> Mask:
    """All masks in one: ``bool`` (height, width)."""
    everybody = np.zeros(shape[:2], bool)
    for person in people:
        left, top, right, bottom = person.box
        everybody[top:bottom, left:right] |= person.mask
    return everybody


def _changed(person: Silhouette, before: Image, after: Image) -> bool:
    """Whether any pixel of the person did; row by row, as the first ones mostly tell."""
    rows = zip(person.crop(before), person.crop(after), person.mask, strict=True)
    return any((old[mask] != new[mask]).any() for old, new, mask in rows)


def _unchanged(person: Silhouette) -> str:
    left, top, right, bottom = person.box
    return f"{person.where}: the method changed none of its pixels, in a box of {right - left}x{bottom - top}"


def _fault(mask: Mask | None, shape: tuple[int, ...]) -> str:
    if mask is None:
        return "no mask is known"
    if mask.shape != shape[:2]:
        (height, width), (rows, columns) = shape[:2], mask.shape
        return f"mask is {columns}x{rows} pixels, the picture {width}x{height}"
    return "" if mask.any() else "mask has 0 pixels"


def _grown(mask: Mask, margin: float) -> tuple[tuple[int, int, int, int], Mask]:
    """Box of the grown mask, and the mask in it."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    reach = margin * min(bottom - top, right - left)
    if reach < 1:
        return (left, top, right, bottom), mask[top:bottom, left:right]
    import cv2

    more = min(math.ceil(reach), max(mask.shape))
    left, top = max(0, left - more), max(0, top - more)
    right, bottom = min(mask.shape[1], right + more), min(mask.shape[0], bottom + more)
    outside = np.logical_not(mask[top:bottom, left:right]).view(np.uint8)
    distance = cv2.distanceTransform(outside, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return (left, top, right, bottom), np.asarray(distance <= reach)
