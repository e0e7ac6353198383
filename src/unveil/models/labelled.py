"""Labelled pictures of a training set in memory: what a classifier learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.core.errors import DataError
from unveil.core.roles import TrainingSet
from unveil.core.types import Failure, Image, Sample
from unveil.models.letterbox import letterbox

FILL = 114
"""Value of the canvas where a picture leaves it free."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Pictures of one split.

    Attributes:
        pictures: (n, height, width, 3) uint8: each letterboxed, so that the whole of it is seen.
        truth: (n, labels) bool: which attributes each shows. Safe pictures show none.
        left_out: how many could not be read, such as those that a method gave no picture for.
    """

    pictures: NDArray[np.uint8]
    truth: NDArray[np.bool_]
    left_out: int

    def __len__(self) -> int:
        return len(self.pictures)


def read_splits(data: TrainingSet, width: int, height: int) -> tuple[Labelled, Labelled]:
    """The pictures to learn from, and those that tell when to stop.

    Args:
        data: the training set.
        width, height: of the canvas, in pixels; so many bytes times three per picture are held in memory.

    Raises:
        DataError: when there are no labels, a split has no picture, or no label can be learnt or validated.
    """
    if not data.labels:
        raise DataError("the dataset has no labels: there is nothing for a classifier to learn")
    train = _read(data, "train", data.train, width, height)
    validation = _read(data, "validation", data.validation, width, height)
    if not train.truth.any():
        raise DataError(f"none of the {len(train)} pictures of the train split shows any of the labels")
    if not decided(validation.truth).any():
        raise DataError(
            f"no label is positive in some and negative in other of the {len(validation)} pictures of the "
            "validation split: nothing tells when to stop training"
        )
    return train, validation


def decided(truth: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Labels (labels,) that are positive in some and negative in other rows: only they have a precision."""
    return np.asarray(truth.any(axis=0) & ~truth.all(axis=0))


def canvases(images: Sequence[Image], width: int, height: int) -> NDArray[np.uint8]:
    """Each picture letterboxed: (n, height, width, 3)."""
    sheet = np.empty((len(images), height, width, 3), np.uint8)
    for canvas, image in zip(sheet, images, strict=True):
        canvas[:] = letterbox(image, width, height, FILL)[0]
    return sheet


def _read(data: TrainingSet, name: str, samples: Sequence[Sample], width: int, height: int) -> Labelled:
    if not samples:
        raise DataError(f"the {name} split has no pictures")
    sheet = np.empty((len(samples), height, width, 3), np.uint8)
    truth = np.zeros((len(samples), len(data.labels)), np.bool_)
    count = 0
    for sample in samples:
        image = data.read(sample.id)
        if isinstance(image, Failure):
            continue
        sheet[count] = letterbox(image, width, height, FILL)[0]
        truth[count] = [label in sample.labels for label in data.labels]
        count += 1
    if not count:
        raise DataError(f"none of the {len(samples)} pictures of the {name} split can be read")
    return Labelled(sheet[:count], truth[:count], len(samples) - count)
