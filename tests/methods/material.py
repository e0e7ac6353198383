"""Real pixels, real boxes and real embeddings for the tests of methods: small, made on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unveil.core import fingerprint
from unveil.core.types import Detections, Failure, Image, Reason, Sample


class Context:
    """A protection context over given boxes; without boxes no face is found anywhere."""

    def __init__(
        self,
        samples: Sequence[Sample],
        boxes: Sequence[Sequence[float]] = (),
        landmarks: NDArray[np.float32] | None = None,
        seed: int = 7,
    ) -> None:
        self.samples = samples
        self.root = Path()
        self._boxes, self._landmarks, self._seed = boxes, landmarks, seed

    def rng(self, sample: Sample) -> np.random.Generator:
        return fingerprint.rng(self._seed, sample.id)

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        boxes = np.asarray(self._boxes, np.float32).reshape(-1, 4)
        return [Detections(boxes, np.ones(len(boxes), np.float32), self._landmarks) for _ in images]


class MemoryGallery:
    """People with several photos each; embeddings of one person lie close together."""

    def __init__(self, people: int, photos: int = 2, shape: tuple[int, int] = (12, 10), seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.samples = [
            Sample(f"p{p}/{n}.png", "memory", f"{p}-{n}", f"p{p}", attributes={"gender": "FM"[p % 2]})
            for p in range(people)
            for n in range(photos)
        ]
        self.pictures: dict[str, Image | Failure] = {
            s.id: random.integers(0, 256, (*shape, 3), dtype=np.uint8) for s in self.samples
        }
        self.ids = [s.id for s in self.samples]
        centres = np.repeat(random.standard_normal((people, 16)), photos, axis=0)
        self.vectors = (centres + 0.05 * random.standard_normal(centres.shape)).astype(np.float32)
        self.reads: list[str] = []

    def read(self, sample_id: str) -> Image | Failure:
        self.reads.append(sample_id)
        return self.pictures[sample_id]

    def embeddings(self) -> tuple[list[str], NDArray[np.float32]]:
        return list(self.ids), self.vectors

    def without_face(self, sample_id: str) -> None:
        row = self.ids.index(sample_id)
        del self.ids[row]
        self.vectors = np.delete(self.vectors, row, axis=0)

    def broken(self, sample_id: str) -> None:
        self.pictures[sample_id] = Failure(Reason.UNDECODABLE, f"{sample_id}: gone")

    def originals(self) -> list[Image]:
        return [p for p in self.pictures.values() if not isinstance(p, Failure)]


def sample(sample_id: str = "a.png", **more: str) -> Sample:
    return Sample(sample_id, "memory", "0" * 64, **more)


def picture(height: int, width: int, seed: int = 0) -> Image:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
