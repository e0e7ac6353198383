"""Drawn scenes with labels: a training set for classifiers, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unveil.core.types import Detections, Failure, Image, Sample
from unveil.testing.toy_scenes import scene

SHOWN = ("bicycle", "car", "airplane", "traffic light")
"""Kinds of shapes that are labels of a scene when they are visible in it."""

NEVER = "religion"
"""A label that no scene shows."""


@dataclass(slots=True)
class ToyLabels:
    """Scenes to learn labels from (:class:`unveil.core.roles.TrainingSet`).

    Attributes:
        labels: the vocabulary.
        train, validation, test: samples of each split.
        scenes: sample id -> picture, and what is in it.
    """

    labels: tuple[str, ...]
    train: Sequence[Sample]
    validation: Sequence[Sample]
    test: Sequence[Sample]
    scenes: Mapping[str, tuple[Image, Detections]]

    @classmethod
    def draw(cls, *, train: int, validation: int, test: int = 0) -> ToyLabels:
        """So many scenes of each split."""
        scenes = {f"{number:04}.png": scene(number) for number in range(train + validation + test)}
        names = ["train"] * train + ["validation"] * validation + ["test"] * test
        samples = [
            Sample(path, "toy", path, split=split, labels=frozenset(SHOWN) & frozenset(found.labels or ()))
            for split, (path, (_, found)) in zip(names, scenes.items(), strict=True)
        ]
        return cls(
            (*SHOWN, NEVER),
            samples[:train],
            samples[train : train + validation],
            samples[train + validation :],
            scenes,
        )

    def read(self, sample_id: str) -> Image | Failure:
        """The drawn scene."""
        return self.scenes[sample_id][0].copy()

    def objects(self, sample_id: str) -> Detections | Failure:
        """What was drawn."""
        return self.scenes[sample_id][1]
