"""Protect one shard: originals in, protected pictures into the cache, one row per picture."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unveil.core.fingerprint import digest, rng
from unveil.core.schema import PROTECTIONS
from unveil.core.types import Detections, Failure, Image, Reason, Sample
from unveil.engine.guard import guarded
from unveil.images import read_image, valid_image
from unveil.pipeline.components import Built
from unveil.store.artifacts import Artifacts

UNPROTECTED = "original"
"""Registered name of the method that changes nothing: its pictures are the dataset's own files."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a method may ask for while it protects a batch (:class:`unveil.core.protocols.ProtectionContext`)."""

    samples: Sequence[Sample]
    root: Path
    seed: int
    fingerprint: str
    detector: Any

    def rng(self, sample: Sample) -> np.random.Generator:
        """Random stream of this picture."""
        return rng(self.seed, "protect", self.fingerprint, sample.id)

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in these pictures."""
        return self.detector.detect(images)


@dataclass(frozen=True, slots=True)
class Protector:
    """One method at work on one dataset.

    Attributes:
        method: built method.
        dataset: name of the dataset in the run; ``root``: its folder.
        scope_hash: index hash of the dataset when the method looks at all of it, else ``""``.
        seed: of the run.
        detector: for methods that protect regions.
        artifacts: cache for the protected pictures.
    """

    method: Built
    dataset: str
    root: Path
    scope_hash: str
    seed: int
    detector: Any
    artifacts: Artifacts

    def image_key(self, sample: Sample) -> str:
        """Name of a protected picture in the cache: everything it depends on."""
        if self.method.label == UNPROTECTED:
            return sample.content_hash
        identity = (self.method.fingerprint, self.scope_hash, self.seed, sample.id, sample.content_hash)
        return digest("protect", *identity)

    def read(self, sample: Sample, image_key: str) -> Image | Failure:
        """A protected picture from where it was stored."""
        if self.method.label == UNPROTECTED:
            return read_image(self.root / sample.id)
        return self.artifacts.image(image_key)

    def protect(self, samples: Sequence[Sample]) -> tuple[pa.Table, list[Image | Failure]]:
        """Protect a shard. Returns its rows of the protections table, and the pictures."""
        originals = [read_image(self.root / sample.id) for sample in samples]
        start = time.perf_counter()
        results = self._run(samples, originals)
        elapsed = (time.perf_counter() - start) / max(1, len(samples))
        rows = [self._row(s, r, elapsed) for s, r in zip(samples, results, strict=True)]
        return pa.Table.from_pylist(rows, schema=PROTECTIONS), results

    def _run(self, samples: Sequence[Sample], originals: list[Image | Failure]) -> list[Image | Failure]:
        results: list[Image | Failure] = list(originals)
        readable = [i for i, image in enumerate(originals) if not isinstance(image, Failure)]
        if not self.method.component.meta.deterministic:
            # Another try would give another picture; what an interrupted run has already stored counts.
            for i in readable:
                if self.artifacts.has_image(key := self.image_key(samples[i])):
                    results[i] = self.artifacts.image(key)
            readable = [i for i in readable if results[i] is originals[i]]

        def call(positions: Sequence[int]) -> list[Image | Failure]:
            batch = [samples[i] for i in positions]
            context = Context(batch, self.root, self.seed, self.method.fingerprint, self.detector)
            return list(self.method.component.protect([originals[i] for i in positions], context))

        for position, result in zip(readable, guarded(call, readable), strict=True):
            results[position] = _checked(result)
        return results

    def _row(self, sample: Sample, result: Image | Failure, elapsed: float) -> dict[str, Any]:
        row = {
            "dataset": self.dataset,
            "method": self.method.label,
            "sample_id": sample.id,
            "elapsed_s": elapsed,
        }
        if isinstance(result, Failure):
            return {
                **row,
                "status": "failed",
                "reason": str(result.reason),
                "detail": self.method.masked(result.detail),
            }
        key = self.image_key(sample)
        stored = "" if self.method.label == UNPROTECTED else self.artifacts.put_image(key, result)
        done = {"status": "ok", "reason": "", "detail": "", "image_key": key, "output_hash": stored}
        return {**row, **done}


def _checked(result: Any) -> Image | Failure:
    if isinstance(result, Failure) or valid_image(result):
        return result
    shape = f"{result.dtype} {result.shape}" if isinstance(result, np.ndarray) else type(result).__name__
    return Failure(Reason.BAD_OUTPUT, f"the method returned {shape}; it must be uint8 (height, width, 3)")
