"""The promises of models that learn from the pictures of a run, whatever they learn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unveil.core.errors import DataError
from unveil.core.roles import TrainingSet
from unveil.core.types import Detections, Failure, Image, Reason, Sample
from unveil.testing.rules import expect

_SEED = 7
_LOST = 2


@dataclass(frozen=True, slots=True)
class Version:
    """A training set of which some pictures are lost, as a protection method may leave it.

    Attributes:
        whole: the training set.
        labels, train, validation: as in :class:`unveil.core.roles.TrainingSet`.
        lost: ids of samples whose pictures are Failures.
    """

    whole: TrainingSet
    labels: tuple[str, ...]
    train: Sequence[Sample]
    validation: Sequence[Sample]
    lost: frozenset[str]

    def read(self, sample_id: str) -> Image | Failure:
        """The picture, or a Failure where it is lost."""
        if sample_id in self.lost:
            return Failure(Reason.MISSING, f"{sample_id}: the method gave no picture")
        return self.whole.read(sample_id)

    def objects(self, sample_id: str) -> Detections | Failure:
        """What truly is in the original."""
        return self.whole.objects(sample_id)


def check_trainable(model: Any, data: TrainingSet) -> Any:
    """Train a model twice on pictures some of which are lost, and load what came out.

    Args:
        model: offers ``train`` and ``load`` (:class:`unveil.core.roles.Trainable`).
        data: to learn from.

    Returns:
        The model that has learnt.

    Raises:
        AssertionError: says which promise is broken.
    """
    lost = frozenset(sample.id for sample in data.train[:_LOST])
    version = Version(data, data.labels, data.train, data.validation, lost)
    epochs = model.epochs
    expect(isinstance(epochs, int) and epochs >= 1, model, f"epochs must be a whole number from 1, not {epochs!r}")
    before = _visible(model)
    told: list[int] = []
    weights = model.train(version, _SEED, told.append)
    expect(isinstance(weights, bytes), model, f"train must give bytes, not {type(weights).__name__}")
    expect(_is_safetensors(weights), model, "train must give a safetensors file")
    right = all(amount >= 0 for amount in told) and 1 <= sum(told) <= epochs
    expect(right, model, f"told of {sum(told)} epochs, of at most {epochs}")
    expect(weights == model.train(version, _SEED, _ignore), model, "gave other weights for the same data and seed")
    expect(before == _visible(model), model, "training changed the component: it may only give weights")
    _check_refusals(model, version)
    return model.load(weights)


def _check_refusals(model: Any, version: Version) -> None:
    everything = frozenset(sample.id for sample in version.train)
    for what, data in (
        ("the train split is empty", replace(version, train=())),
        ("no picture of the train split can be read", replace(version, lost=everything)),
    ):
        try:
            model.train(data, _SEED, _ignore)
        except DataError as error:
            expect("train" in str(error), model, f"when {what}, the error must say so, not: {error}")
        else:
            expect(False, model, f"must raise DataError when {what}")


def _visible(model: Any) -> dict[str, Any]:
    return {key: value for key, value in vars(model).items() if not key.startswith("_")}


def _ignore(done: int) -> None:
    """Nobody watches."""


def _is_safetensors(weights: bytes) -> bool:
    length = int.from_bytes(weights[:8], "little")
    return 0 < length <= len(weights) - 8 and re.match(rb"\s*\{", weights[8 : 8 + length]) is not None
