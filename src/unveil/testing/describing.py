"""The promises of models that describe whole pictures: classifiers and image encoders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unveil.core.roles import TrainingSet
from unveil.core.types import Image
from unveil.testing.learning import check_trainable
from unveil.testing.people import AWKWARD
from unveil.testing.rules import check_untouched, expect
from unveil.testing.sight import check_model
from unveil.testing.toy_labels import ToyLabels
from unveil.testing.toy_scenes import scene

_TOLERANCE = 2e-3
"""Batches may be computed in another order of additions; in shares of the largest number."""


def check_classifier(classifier: Any, *, data: TrainingSet | None = None) -> None:
    """Check a classifier; one that learns is trained twice on drawn scenes, and what it became is checked.

    Args:
        classifier: an instance; give one that learns few epochs.
        data: for it to learn from; drawn scenes without.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(classifier, "classifier")
    if hasattr(classifier, "train"):
        taught: TrainingSet = data or ToyLabels.draw(train=24, validation=12)
        ready = check_trainable(classifier, taught)
        told = tuple(ready.labels)
        expect(told == taught.labels, classifier, f"learnt the labels {told}, not {taught.labels} in this order")
    else:
        ready = classifier
    labels = ready.labels
    expect(
        bool(labels) and len(set(labels)) == len(labels), classifier, f"labels must be distinct names: {labels}"
    )
    scores = _described(classifier, ready.classify, len(labels))
    expect(bool((scores >= 0).all() and (scores <= 1).all()), classifier, "scores must be in [0, 1]")


def check_image_encoder(encoder: Any) -> None:
    """Check an image encoder on drawn scenes and on awkward pictures, such as one of 1 x 1 pixel.

    Args:
        encoder: an instance.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(encoder, "image_encoder")
    dimension = encoder.dimension
    expect(isinstance(dimension, int) and dimension >= 1, encoder, f"dimension cannot be {dimension!r}")
    vectors = _described(encoder, encoder.encode, dimension)
    expect(not np.allclose(vectors[0], vectors[1]), encoder, "two scenes have the same vector")


def _described(model: Any, describe: Callable[[Sequence[Image]], Any], width: int) -> Any:
    """One row per picture, the same in every batch; also of no picture at all."""
    images = [scene(number)[0] for number in range(3)]
    images += [np.full((*size, 3), 200, np.uint8) for size in AWKWARD.values()]
    copies = [image.copy() for image in images]
    rows = describe(images)
    check_untouched(model, images, copies)
    for count, given in ((len(images), rows), (0, describe([]))):
        right = isinstance(given, np.ndarray) and given.dtype == np.float32 and given.shape == (count, width)
        what = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
        expect(right, model, f"must give float32 ({count}, {width}) for {count} pictures, not {what}")
    expect(bool(np.isfinite(rows).all()), model, "every number must be finite")
    tolerance = _TOLERANCE * max(1e-3, float(np.abs(rows).max()))
    expect(np.allclose(rows, describe(images), atol=tolerance), model, "other numbers when called again")
    for position, image in enumerate(images):
        same = np.allclose(rows[position], describe([image])[0], atol=tolerance)
        expect(same, model, f"other numbers for picture {position} in a batch of its own")
    return rows
