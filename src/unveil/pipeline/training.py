"""Models that learn from the run's own pictures: trained once per version, kept as weights with provenance."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unveil.core.errors import DataError
from unveil.core.fingerprint import bytes_hash, digest
from unveil.core.types import Detections, Failure, Image, Sample
from unveil.engine.progress import Progress
from unveil.pipeline.components import Built
from unveil.pipeline.pictures import Pictures
from unveil.pipeline.protect import UNPROTECTED
from unveil.pipeline.truth import Truth
from unveil.store.artifacts import Artifacts

TRAIN, VALIDATION = "train", "validation"


@dataclass(frozen=True, slots=True)
class Lessons:
    """One version of a dataset to learn from (:class:`unveil.core.roles.TrainingSet`)."""

    labels: tuple[str, ...]
    train: Sequence[Sample]
    validation: Sequence[Sample]
    pictures: Pictures
    truth: Truth

    def read(self, sample_id: str) -> Image | Failure:
        """One picture of this version."""
        return self.pictures.read(sample_id)

    def objects(self, sample_id: str) -> Detections | Failure:
        """What truly is in the original picture."""
        return self.truth.objects(self.pictures.samples[sample_id])


@dataclass(slots=True)
class Training:
    """Trains the models of one dataset, or finds them trained.

    Attributes:
        truth: of the dataset.
        seed: of the run.
        artifacts: where weights are kept.
        progress: is told of epochs.
        provenance: digest of the training -> how those weights came about, of all that were used.
    """

    truth: Truth
    seed: int
    artifacts: Artifacts
    progress: Progress
    provenance: dict[str, dict[str, Any]] = field(default_factory=dict)
    _ready: dict[str, Any] = field(default_factory=dict)

    def model(
        self, built: Built, pictures: Pictures, version: str, originals: Pictures | None = None
    ) -> tuple[Any, str]:
        """A model trained on one version of the pictures.

        Args:
            built: trainable component.
            pictures: the version.
            version: what to call it: the label of the method.
            originals: for a protected version: a model that can be refined starts from what it learnt on them.

        Returns:
            The model, and the digest under which :attr:`provenance` knows it.

        Raises:
            DataError: when the version has nothing to learn from.
        """
        key = self._key(built, pictures, originals)
        if (model := self._ready.pop(key, None)) is None:
            model = built.component.load(self._weights(built, pictures, version, originals))
        self._ready = {**dict(list(self._ready.items())[-_KEPT:]), key: model}  # the last used stands last
        return model, key

    def _key(self, built: Built, pictures: Pictures, originals: Pictures | None) -> str:
        """Everything that the weights depend on."""
        samples = [s for s in self.truth.dataset.samples if s.split in (TRAIN, VALIDATION)]
        keys = [(s.id, s.split, pictures.keys[s.id]) for s in samples]
        reference = self.truth.reference.fingerprint if self.truth.reference and not self.truth.annotated else ""
        start = self._key(built, originals, None) if originals and hasattr(built.component, "refine") else ""
        return digest("train", self.truth.dataset.hash, built.fingerprint, self.seed, keys, reference, start)

    def _weights(self, built: Built, pictures: Pictures, version: str, originals: Pictures | None) -> bytes:
        key = self._key(built, pictures, originals)
        path = self.artifacts.path("weights", key, ".safetensors")
        note = path.with_suffix(".json")
        if not (path.is_file() and note.is_file()):
            started = time.perf_counter()
            data = self._lessons(built, pictures, version)
            weights = self._train(built, data, version, originals)
            facts = {
                "component": built.target,
                "label": built.label,
                "params": dict(built.params),
                "fingerprint": built.fingerprint,
                "dataset": self.truth.dataset.built.label,
                "dataset_hash": self.truth.dataset.hash,
                "version": version,
                "seed": self.seed,
                "pictures": {"train": len(data.train), "validation": len(data.validation)},
                "seconds": round(time.perf_counter() - started, 1),
                "sha256": bytes_hash(weights),
                "learned": _header(weights),
            }
            text = json.dumps(facts, indent=2, ensure_ascii=False, default=str) + "\n"
            self.artifacts.put(path, weights)
            self.artifacts.put(note, text.encode())
        self.provenance[key] = json.loads(note.read_text(encoding="utf-8"))
        return path.read_bytes()

    def _lessons(self, built: Built, pictures: Pictures, version: str) -> Lessons:
        dataset = self.truth.dataset
        train, validation = ([s for s in dataset.samples if s.split == split] for split in (TRAIN, VALIDATION))
        if not any(pictures.keys[sample.id] for sample in train):
            where = f"{dataset.built.label} · {version}"
            raise DataError(f"{built.label} cannot learn from {where}: no training picture is protected")
        return Lessons(dataset.built.component.meta.labels, train, validation, pictures, self.truth)

    def _train(self, built: Built, data: Lessons, version: str, originals: Pictures | None) -> bytes:
        component = built.component
        if originals is not None and hasattr(component, "refine"):
            start = self._weights(built, originals, UNPROTECTED, None)
            with self.progress.step(
                f"refining {built.label} · {version}", component.refine_epochs, "epochs"
            ) as tell:
                refined: bytes = component.refine(data, self.seed, tell, start)
            return refined
        with self.progress.step(f"training {built.label} · {version}", component.epochs, "epochs") as tell:
            trained: bytes = component.train(data, self.seed, tell)
        return trained


_KEPT = 3
"""Trained models held in memory beside the last used: classifier and detector of originals and of a method."""


def _header(weights: bytes) -> Mapping[str, Any]:
    """What a component wrote into the header of its safetensors file, such as epochs and scores."""
    length = int.from_bytes(weights[:8], "little")
    header: dict[str, Any] = json.loads(weights[8 : 8 + length])
    return header.get("__metadata__", {})
