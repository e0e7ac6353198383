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

    def model(self, built: Built, pictures: Pictures, version: str) -> tuple[Any, str]:
        """A model trained on one version of the pictures.

        Args:
            built: trainable component.
            pictures: the version.
            version: what to call it: the label of the method.

        Returns:
            The model, and the digest under which :attr:`provenance` knows it.

        Raises:
            DataError: when the version has nothing to learn from.
        """
        dataset = self.truth.dataset
        chosen = {split: [s for s in dataset.samples if s.split == split] for split in (TRAIN, VALIDATION)}
        keys = [[(s.id, pictures.keys[s.id]) for s in samples] for samples in chosen.values()]
        reference = self.truth.reference.fingerprint if self.truth.reference and not self.truth.annotated else ""
        key = digest("train", dataset.hash, built.fingerprint, self.seed, keys, reference)
        if key not in self._ready:
            data = Lessons(
                dataset.built.component.meta.labels, chosen[TRAIN], chosen[VALIDATION], pictures, self.truth
            )
            weights = self._weights(key, built, data, version)
            self._ready = {key: built.component.load(weights)} | dict(list(self._ready.items())[-_KEPT:])
        return self._ready[key], key

    def _weights(self, key: str, built: Built, data: Lessons, version: str) -> bytes:
        label = self.truth.dataset.built.label
        path = self.artifacts.path("weights", key, ".safetensors")
        note = path.with_suffix(".json")
        if not (path.is_file() and note.is_file()):
            if not any(data.pictures.keys[sample.id] for sample in data.train):
                raise DataError(
                    f"{built.label} cannot learn from {label} · {version}: no training picture is protected"
                )
            started = time.perf_counter()
            title = f"training {built.label} · {version}"
            with self.progress.step(title, built.component.epochs, "epochs") as tell:
                weights: bytes = built.component.train(data, self.seed, tell)
            facts = {
                "component": built.target,
                "label": built.label,
                "params": dict(built.params),
                "fingerprint": built.fingerprint,
                "dataset": label,
                "dataset_hash": self.truth.dataset.hash,
                "version": version,
                "seed": self.seed,
                "pictures": {"train": len(data.train), "validation": len(data.validation)},
                "seconds": round(time.perf_counter() - started, 1),
                "sha256": bytes_hash(weights),
                "learned": _header(weights),
            }
            self.artifacts.put(path, weights)
            self.artifacts.put(
                note, (json.dumps(facts, indent=2, ensure_ascii=False, default=str) + "\n").encode()
            )
        self.provenance[key] = json.loads(note.read_text(encoding="utf-8"))
        return path.read_bytes()


_KEPT = 3
"""Trained models held in memory beside the newest one: the originals' classifier and detector, and one more."""


def _header(weights: bytes) -> Mapping[str, Any]:
    """What a component wrote into the header of its safetensors file, such as epochs and scores."""
    length = int.from_bytes(weights[:8], "little")
    header: dict[str, Any] = json.loads(weights[8 : 8 + length])
    return header.get("__metadata__", {})
