"""What an evaluation of whole pictures sees of a cell (:class:`unveil.core.protocols.SceneContext`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from unveil.core.fingerprint import rng
from unveil.core.protocols import Version
from unveil.core.roles import Trainable
from unveil.core.types import Detections, Failure, Image, Protected, Sample
from unveil.pipeline.pictures import Pictures
from unveil.pipeline.plan import PlannedCell
from unveil.pipeline.protect import UNPROTECTED, Protector
from unveil.pipeline.training import Training


@dataclass(frozen=True, slots=True)
class SceneView:
    """One cell's view of its dataset.

    Attributes:
        planned: the cell.
        seed: of the run.
        versions: ``original`` and ``protected`` pictures.
        protector: the cell's method at work.
        training: of the dataset.
        tell: is called with the number of pictures done.
        trained: provenance of the weights that were used.
    """

    planned: PlannedCell
    seed: int
    versions: Mapping[Version, Pictures]
    protector: Protector
    training: Training
    tell: Callable[[int], None]
    trained: list[dict[str, Any]] = field(default_factory=list)

    @property
    def samples(self) -> pd.DataFrame:
        """The readable samples of the dataset."""
        return self.planned.dataset.frame

    @property
    def labels(self) -> tuple[str, ...]:
        """Privacy attributes of the dataset."""
        labels: tuple[str, ...] = self.planned.dataset.built.component.meta.labels
        return labels

    @property
    def method(self) -> str:
        """Label of the method."""
        return self.planned.cell.method

    @property
    def finds_people(self) -> bool:
        """Whether the method asks where people are."""
        return self.protector.finder is not None

    def rng(self, *key: str) -> np.random.Generator:
        """Random stream of this key."""
        return rng(self.seed, *key)

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        """Pictures one by one."""
        # Timing reads originals alone; telling while it protects would take a part of the time.
        timing = self.planned.evaluation.component.meta.unit == "frame"
        counts = version == "protected" or self.method == UNPROTECTED or timing
        for picture in self.versions[version].images(sample_ids):
            yield picture
            if counts:
                self.tell(1)

    def objects(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
        """What truly is in the originals."""
        return [self.training.truth.objects(sample) for sample in self._samples(sample_ids)]

    def people(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
        """The people whom the method was to protect; nobody for a method that does not look for people."""
        finder = self.protector.finder
        if finder is None:
            return [Detections.empty() for _ in sample_ids]
        samples = self._samples(sample_ids)
        images = list(self.versions["original"].images(sample_ids))
        found: list[Detections | Failure] = [i if isinstance(i, Failure) else Detections.empty() for i in images]
        seen = [i for i, image in enumerate(images) if not isinstance(image, Failure)]
        people = finder.find([samples[i] for i in seen], [images[i] for i in seen])  # type: ignore[misc]
        for position, result in zip(seen, people, strict=True):
            found[position] = result
        return found

    def model(self, role: str, trained_on: Version = "original") -> Any:
        """A model of the cell, ready for use."""
        built = self.planned.models[role]
        if not isinstance(built.component, Trainable):
            return built.component
        adapts = trained_on == "protected" and self.method != UNPROTECTED
        version = self.method if adapts else UNPROTECTED
        originals = self.versions["original"] if adapts else None
        model, key = self.training.model(built, self.versions[trained_on], version, originals)
        if (provenance := self.training.provenance[key]) not in self.trained:
            self.trained.append(provenance)
        return model

    def protect(
        self, images: Sequence[Image], people: Sequence[Detections]
    ) -> Sequence[Image | Protected | Failure]:
        """Run the method on these pictures, with these people in them."""
        samples = [Sample(f"frame {i}", self.planned.cell.dataset, "") for i in range(len(images))]
        context = dataclasses.replace(self.protector.context(samples), finder=_Given(people))
        results: Sequence[Image | Protected | Failure] = self.protector.method.component.protect(images, context)
        return results

    def _samples(self, sample_ids: Sequence[str]) -> list[Sample]:
        return [self.versions["original"].samples[sample_id] for sample_id in sample_ids]


@dataclass(frozen=True, slots=True)
class _Given:
    """People who are known already."""

    people: Sequence[Detections]

    def find(self, samples: Sequence[Sample], images: Sequence[Image]) -> list[Detections | Failure]:
        return list(self.people)
