"""What is annotated in one picture, in the terms of this package."""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from unveil.core.scenes import KEYPOINTS, PERSON
from unveil.core.types import Detections, Failure, Reason
from unveil.datasets.coco_annotations import Annotations, Picture, Record, category_of
from unveil.datasets.coco_masks import to_mask
from unveil.datasets.numbers import finite_numbers


def to_detections(picture: Picture, annotations: Annotations) -> Detections | Failure:
    """Objects of a picture: boxes, labels and, where the file has any of people, masks and keypoints.

    A person without a segmentation, or with one that covers no pixel, is masked by the whole box: a method must
    not leave somebody out because nobody drew an outline. Other objects have an empty mask then.

    Returns:
        Detections with score 1, in the order of the file; a Failure with reason ``bad_annotation`` that names
        the file, the annotation, the rule and the value.
    """
    boxes, labels, masks, points = [], [], [], []
    for record in picture.records:
        try:
            label = _label(record, annotations)
            box = _box(record, picture)
            boxes.append(box)
            labels.append(label)
            if annotations.has_masks:
                masks.append(_mask(record, picture, box if label == PERSON else None))
            if annotations.has_keypoints:
                points.append(_points(record))
        except ValueError as problem:
            return Failure(
                Reason.BAD_ANNOTATION, f"{annotations.file}: {picture.name}: annotation {record['id']}: {problem}"
            )
    count = len(boxes)
    return Detections(
        np.array(boxes, np.float32).reshape(count, 4),
        np.ones(count, np.float32),
        np.array(points, np.float32).reshape(count, len(KEYPOINTS), 2) if annotations.has_keypoints else None,
        tuple(labels),
        np.array(masks, np.bool_).reshape(count, picture.height, picture.width) if annotations.has_masks else None,
    )


def _label(record: Record, annotations: Annotations) -> str:
    if (label := category_of(record, annotations.categories)) is None:
        raise ValueError(
            f"category_id must be one of the file's categories, not {record.get('category_id')!r:.40}"
        )
    return label


def _box(record: Record, picture: Picture) -> tuple[float, float, float, float]:
    left, top, width, height = finite_numbers(record.get("bbox"), "a bbox", 4)
    if width <= 0 or height <= 0:
        raise ValueError(f"a bbox must have an area, not the size {width:g}x{height:g}")
    if left >= picture.width or top >= picture.height or left + width <= 0 or top + height <= 0:
        size = f"{picture.width}x{picture.height}"
        raise ValueError(f"the bbox {record['bbox']!r:.60} lies outside of the picture of {size} pixels")
    return left, top, left + width, top + height


def _mask(record: Record, picture: Picture, box: tuple[float, ...] | None) -> NDArray[np.bool_]:
    if record.get("segmentation"):
        mask = to_mask(record["segmentation"], picture.height, picture.width)
    else:
        mask = np.zeros((picture.height, picture.width), np.bool_)
    if box is not None and not mask.any():
        left, top, right, bottom = box
        mask[max(0, floor(top)) : ceil(bottom), max(0, floor(left)) : ceil(right)] = True
    return mask


def _points(record: Record) -> NDArray[np.float32]:
    """Keypoints (17, 2); NaN where the visibility is 0."""
    if "keypoints" not in record:
        return np.full((len(KEYPOINTS), 2), np.nan, np.float32)
    numbers = finite_numbers(record["keypoints"], "keypoints", 3 * len(KEYPOINTS))
    x, y, visible = np.array(numbers).reshape(-1, 3).T
    if not np.isin(visible, (0, 1, 2)).all():
        raise ValueError("the visibility of a keypoint is 0, 1 or 2")
    return np.where(visible[:, None] > 0, np.stack([x, y], axis=1), np.nan).astype(np.float32)
