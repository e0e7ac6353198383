"""Scenes of which a test decides what is in them, what they look like after protection, and who looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unveil.core.fingerprint import rng
from unveil.core.protocols import Version
from unveil.core.types import Detections, Failure, Image, Reason

MISSING = Failure(Reason.MISSING, "the method gave no picture")


def boxed(*found: tuple[str, float, tuple[float, float, float, float]]) -> Detections:
    """Detections from label, score and box."""
    boxes = np.array([box for *_, box in found], np.float32).reshape(-1, 4)
    scores = np.array([score for _, score, _ in found], np.float32)
    return Detections(boxes, scores, labels=tuple(label for label, *_ in found))


class Known:
    """Finds what is written down for a picture: the value of its first pixel is its number."""

    threshold = 0.5

    def __init__(self, found: Mapping[int, Detections]) -> None:
        self._found = found

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        return [self._found.get(int(image[0, 0, 0]), Detections.empty()) for image in images]


def numbered(number: int, size: tuple[int, int] = (40, 60)) -> Image:
    """A picture of one colour: its number."""
    return np.full((*size, 3), number, np.uint8)


class Album:
    """Implements :class:`unveil.core.protocols.SceneContext` over given pictures."""

    def __init__(
        self,
        original: Mapping[str, Image | Failure],
        protected: Mapping[str, Image | Failure],
        *,
        models: Mapping[tuple[str, Version], Any] | None = None,
        truth: Mapping[str, Detections | Failure] | None = None,
        positive: Mapping[str, Sequence[str]] | None = None,
        labels: tuple[str, ...] = (),
        method: str = "mine",
    ) -> None:
        shapes = [(0, 0) if isinstance(image, Failure) else image.shape[:2] for image in original.values()]
        self.samples = pd.DataFrame(
            {
                "identity": "",
                "split": "",
                "labels": [tuple((positive or {}).get(i, ())) for i in original],
                "width": [width for _, width in shapes],
                "height": [height for height, _ in shapes],
            },
            index=pd.Index(list(original), name="sample_id"),
        )
        self.labels = labels
        self.method = method
        self.finds_people = True
        self.asked: list[int] = []
        self._pictures = {"original": original, "protected": protected}
        self._models = models or {}
        self._truth = truth or {}

    def rng(self, *key: str) -> np.random.Generator:
        return rng(7, *key)

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        self.asked.append(len(sample_ids))
        return (self._pictures[version][i] for i in sample_ids)

    def objects(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
        return [self._truth.get(i, Detections.empty()) for i in sample_ids]

    def people(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
        return self.objects(sample_ids)

    def model(self, role: str, trained_on: Version = "original") -> Any:
        return self._models[role, trained_on]


def observed(evaluation: Any, context: Any, threat_model: str = "") -> pd.DataFrame:
    """Plan and observe."""
    units = evaluation.units(context.samples, threat_model, [], np.random.default_rng(0))
    frame: pd.DataFrame = evaluation.observe(units, threat_model, context)
    return frame


class Learner:
    """A model that learns in the run (:class:`unveil.core.roles.Trainable`)."""

    epochs = 1

    def train(self, data: Any, seed: int, tell: Any) -> bytes:
        return b""

    def load(self, weights: bytes) -> Learner:
        return self
