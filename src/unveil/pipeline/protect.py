"""Protect one shard: originals in, protected pictures into the cache, one row per picture."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from unveil.core.fingerprint import digest, rng
from unveil.core.schema import PROTECTIONS
from unveil.core.types import Detections, Failure, Image, Protected, Reason, Sample
from unveil.engine.guard import guarded
from unveil.images import read_image, valid_image
from unveil.pipeline.components import Built
from unveil.store.artifacts import Artifacts

UNPROTECTED = "original"
"""Registered name of the method that changes nothing: its pictures are the dataset's own files."""


class Finder(Protocol):
    """Finds the people in pictures."""

    def find(self, samples: Sequence[Sample], images: Sequence[Image]) -> list[Detections | Failure]:
        """People of each picture."""


class OriginalsFinder(Finder, Protocol):
    """Finds the people in originals of a dataset."""

    def told(self, sample: Sample) -> str | bool:
        """What the dataset tells about the people of a sample; whatever is found depends on it."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a method may ask for while it protects a batch (:class:`unveil.core.protocols.ProtectionContext`)."""

    samples: Sequence[Sample]
    root: Path
    seed: int
    fingerprint: str
    detector: Any
    finder: Finder | None

    def rng(self, sample: Sample) -> np.random.Generator:
        """Random stream of this picture."""
        return rng(self.seed, "protect", self.fingerprint, sample.id)

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in these pictures."""
        return self.detector.detect(images)

    def people(self, images: Sequence[Image]) -> list[Detections | Failure]:
        """People in the pictures of the batch."""
        assert self.finder is not None, "the method must name 'segmenter' among its needs"
        return self.finder.find(self.samples, images)


@dataclass(frozen=True, slots=True)
class Protector:
    """One method at work on one dataset.

    Attributes:
        method: built method.
        dataset: name of the dataset in the run; ``root``: its folder.
        scope_hash: index hash of the dataset when the method looks at all of it, else ``""``.
        seed: of the run.
        detector: for methods that protect faces; ``finder``: for methods that protect people.
        artifacts: cache for the protected pictures.
    """

    method: Built
    dataset: str
    root: Path
    scope_hash: str
    seed: int
    detector: Any
    finder: OriginalsFinder | None
    artifacts: Artifacts

    def image_key(self, sample: Sample) -> str:
        """Name of a protected picture in the cache: everything it depends on."""
        if self.method.label == UNPROTECTED:
            return sample.content_hash
        people = () if self.finder is None else (self.finder.told(sample),)
        identity = (self.method.fingerprint, self.scope_hash, self.seed, sample.id, sample.content_hash)
        return digest("protect", *identity, *people)

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
        pictures = [result.image if isinstance(result, Protected) else result for result in results]
        return pa.Table.from_pylist(rows, schema=PROTECTIONS), pictures

    def _run(
        self, samples: Sequence[Sample], originals: list[Image | Failure]
    ) -> list[Image | Protected | Failure]:
        results: list[Image | Protected | Failure] = list(originals)
        readable = [i for i, image in enumerate(originals) if not isinstance(image, Failure)]
        if not self.method.component.meta.deterministic:
            # Another try would give another picture; what an interrupted run has already stored counts.
            for i in readable:
                if self.artifacts.has_image(key := self.image_key(samples[i])):
                    results[i] = self.artifacts.image(key)
            readable = [i for i in readable if results[i] is originals[i]]

        def call(positions: Sequence[int]) -> list[Image | Protected | Failure]:
            context = self.context([samples[i] for i in positions])
            return list(self.method.component.protect([originals[i] for i in positions], context))

        for position, result in zip(readable, guarded(call, readable), strict=True):
            results[position] = _checked(result)
        return results

    def context(self, samples: Sequence[Sample]) -> Context:
        """What the method may ask for while it protects these pictures."""
        return Context(samples, self.root, self.seed, self.method.fingerprint, self.detector, self.finder)

    def _row(self, sample: Sample, result: Image | Protected | Failure, elapsed: float) -> dict[str, Any]:
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
        image, left = (result.image, result.unprotected) if isinstance(result, Protected) else (result, ())
        return {
            **row,
            "status": "partial" if left else "ok",
            "reason": "unprotected_region" if left else "",
            "detail": "; ".join(left),
            "n_unprotected": len(left),
            "image_key": key,
            "output_hash": "" if self.method.label == UNPROTECTED else self.artifacts.put_image(key, image),
        }


def _checked(result: Any) -> Image | Protected | Failure:
    image = result.image if isinstance(result, Protected) else result
    if isinstance(image, Failure) or valid_image(image):
        return result
    shape = f"{image.dtype} {image.shape}" if isinstance(image, np.ndarray) else type(image).__name__
    return Failure(Reason.BAD_OUTPUT, f"the method returned {shape}; it must be uint8 (height, width, 3)")
