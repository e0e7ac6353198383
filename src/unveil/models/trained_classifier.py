"""A multi-label classifier that has learnt, and how it comes back from its weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.errors import DataError
from unveil.core.roles import ModelMeta
from unveil.core.types import Image

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, slots=True)
class TrainedClassifier:
    """A classifier that is ready for use (:class:`unveil.core.roles.Classifier`).

    Attributes:
        meta: of the component that trained it.
        labels: what it tells, in the order of the scores.
        network: pictures (n, 3, height, width) in 0..1 -> logits (n, labels), in evaluation mode.
        width, height: of the canvas that pictures are letterboxed to.
        provenance: how it was trained.
    """

    meta: ModelMeta
    labels: tuple[str, ...]
    network: nn.Module
    width: int
    height: int
    provenance: Mapping[str, Any]

    def classify(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Scores (n, labels) in [0, 1]."""
        from unveil.models.labelled import canvases
        from unveil.models.training import BATCH, scores_of

        scores = np.empty((len(images), len(self.labels)), np.float32)
        for start in range(0, len(images), BATCH):  # canvases of one batch at a time are in memory
            sheet = canvases(images[start : start + BATCH], self.width, self.height)
            scores[start : start + BATCH] = scores_of(self.network, sheet)
        return scores


def load_classifier(weights: bytes, meta: ModelMeta, build: Callable[[int], nn.Module]) -> TrainedClassifier:
    """The classifier with these weights.

    Args:
        weights: what training gave.
        meta: of the component that trained them.
        build: a network for a number of labels; its own weights are replaced, all of them.

    Raises:
        DataError: when they were not trained by this component with these parameters.
    """
    from unveil.models.trained import unpack

    state, facts = unpack(weights, meta.name)
    network = build(len(facts["labels"]))
    try:
        network.load_state_dict(state)
    except RuntimeError as error:
        raise DataError(
            f"these weights do not fit the network of {meta.name!r} as it is set up: {error}"
        ) from error
    width, height = facts["canvas"]
    return TrainedClassifier(meta, tuple(facts["labels"]), network.eval(), width, height, facts)
