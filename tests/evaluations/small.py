"""Small templates: a status and a vector for each photo, given one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.fingerprint import rng
from unveil.core.similarity import similarity_of


class Templates:
    """Implements :class:`unveil.core.protocols.Templates` over arrays."""

    def __init__(self, status: Mapping[str, str], vectors: Mapping[str, Sequence[float]]) -> None:
        ids = list(status)
        states = np.array(list(status.values()), dtype=object)
        self.faces = pd.DataFrame(
            {
                "status": states,
                "reason": np.where(states == "ok", "", "because"),
                "n_faces": (states == "ok").astype(np.int32),
                "score": np.where(states == "ok", 0.9, np.nan),
                "face_area": np.where(states == "ok", 0.3, np.nan),
            },
            index=pd.Index(ids, name="sample_id"),
        )
        width = len(next(iter(vectors.values()))) if vectors else 1
        blank = [np.nan] * width
        self._rows = {i: np.asarray(vectors[i] if s == "ok" else blank, np.float32) for i, s in status.items()}
        self._width = width

    def vectors(self, sample_ids: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self._rows[i] for i in sample_ids], np.float32).reshape(len(sample_ids), self._width)


class Context:
    """Implements :class:`unveil.core.protocols.EvaluationContext`."""

    def __init__(
        self,
        samples: pd.DataFrame,
        original: Templates,
        protected: Templates,
        distance: Literal["cosine", "euclidean"] = "cosine",
        method: str = "mine",
    ) -> None:
        self.samples = samples
        self.distance = distance
        self.method = method
        self._versions = {"original": original, "protected": protected}

    def templates(self, version: Literal["original", "protected"]) -> Templates:
        return self._versions[version]

    def compare(self, protected: Sequence[str], originals: Sequence[str]) -> list[float]:
        left, right = self._versions["protected"].vectors(protected), self._versions["original"].vectors(originals)
        return list(similarity_of(left, right, self.distance))

    def rng(self, *key: str) -> np.random.Generator:
        return rng(7, *key)


def people(photos: Mapping[str, int], groups: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Samples of people with that many photos each; ``""`` is nobody known."""
    rows = [(f"{who or 'unknown'}/{n}.jpg", who) for who, count in photos.items() for n in range(count)]
    index = pd.Index([path for path, _ in rows], name="sample_id")
    group = [(groups or {}).get(who, "") for _, who in rows]
    return pd.DataFrame({"identity": [who for _, who in rows], "demographic_group": group}, index=index)


def template(
    samples: pd.DataFrame, *, noise: float = 0.1, status: Mapping[str, str] | None = None, width: int = 5
) -> Templates:
    """Photos of a person lie close together, the closer the less noise; all are ``ok`` but those in ``status``."""
    states = {i: (status or {}).get(i, "ok") for i in samples.index}
    vectors = {
        i: rng("who", who).normal(size=width) + noise * rng("photo", i, noise).normal(size=width)
        for i, who in samples["identity"].items()
    }
    return Templates(states, vectors)
