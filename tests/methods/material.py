"""Real pixels, real boxes and real embeddings for the tests of methods: small, made on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unveil.core import fingerprint
from unveil.core.scenes import KEYPOINTS, PERSON
from unveil.core.types import Detections, Failure, Image, Reason, Sample


class Context:
    """A protection context over given boxes; without boxes no face is found anywhere.

    The people are ``people`` in every picture, else they fill the boxes and stand upright in them.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        boxes: Sequence[Sequence[float]] = (),
        landmarks: NDArray[np.float32] | None = None,
        seed: int = 7,
        people: Detections | Failure | None = None,
    ) -> None:
        self.samples = samples
        self.root = Path()
        self._boxes, self._landmarks, self._seed, self._people = boxes, landmarks, seed, people

    def rng(self, sample: Sample) -> np.random.Generator:
        return fingerprint.rng(self._seed, sample.id)

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        boxes = np.asarray(self._boxes, np.float32).reshape(-1, 4)
        return [Detections(boxes, np.ones(len(boxes), np.float32), self._landmarks) for _ in images]

    def people(self, images: Sequence[Image]) -> list[Detections | Failure]:
        if self._people is not None:
            return [self._people for _ in images]
        return [crowd(image.shape, self._boxes) for image in images]


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


STANDING = np.array([
    (0.5, 0.09), (0.54, 0.07), (0.46, 0.07), (0.58, 0.08), (0.42, 0.08), (0.75, 0.19), (0.25, 0.19), (0.85, 0.36),
    (0.15, 0.36), (0.9, 0.5), (0.1, 0.5), (0.66, 0.5), (0.34, 0.5), (0.68, 0.73), (0.32, 0.73), (0.7, 0.95),
    (0.3, 0.95),
])  # fmt: skip
"""Keypoints of somebody who stands upright, as shares of the box."""


def crowd(shape: tuple[int, ...], boxes: Sequence[Sequence[float]], *, round_masks: bool = False) -> Detections:
    """People with masks and keypoints: each fills its box, or the ellipse in it."""
    if not boxes:
        return Detections.empty()
    rows, columns = np.mgrid[: shape[0], : shape[1]] + 0.5
    masks, points = [], []
    for left, top, right, bottom in boxes:
        x, y = (columns - left) / (right - left), (rows - top) / (bottom - top)
        far = np.hypot(2 * x - 1, 2 * y - 1) if round_masks else np.maximum(abs(2 * x - 1), abs(2 * y - 1))
        masks.append(far <= 1)
        points.append(STANDING * [right - left, bottom - top] + [left, top])
    assert len(STANDING) == len(KEYPOINTS)
    return Detections(
        np.asarray(boxes, np.float32),
        np.ones(len(boxes), np.float32),
        np.asarray(points, np.float32),
        (PERSON,) * len(boxes),
        np.asarray(masks),
    )
