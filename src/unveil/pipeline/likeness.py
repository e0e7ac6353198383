"""How alike faces are: from their embeddings, or from a recognizer that only compares two pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Templates
from unveil.core.similarity import similarity_of
from unveil.core.types import Face, Failure, Image
from unveil.engine.guard import guarded

_CHUNK = 8192
"""Pairs of vectors compared at once: bounds the memory."""

_PAIRS = 16
"""Pairs of pictures in memory at once."""

Side = tuple[Callable[[str], Image | Failure], Mapping[str, Face | None]]
"""Reads the picture of a sample; and the face that was found in it."""


def by_vectors(
    protected: Templates, originals: Templates, probes: Sequence[str], references: Sequence[str], distance: str
) -> NDArray[np.float32]:
    """Similarity of each pair of embeddings, float32 (n,)."""
    similarity = np.empty(len(probes), np.float32)
    for start in range(0, len(probes), _CHUNK):
        part = slice(start, start + _CHUNK)
        left, right = protected.vectors(probes[part]), originals.vectors(references[part])
        similarity[part] = similarity_of(left, right, distance)
    return similarity


def by_pairs(
    recognizer: Any,
    probes: Sequence[str],
    references: Sequence[str],
    sides: Sequence[Side],
    tell: Callable[[int], None],
) -> list[float | Failure]:
    """Similarity of each pair of pictures, a few at a time.

    Args:
        recognizer: compares (:class:`unveil.core.roles.Recognizer`).
        probes, references: ids of the samples of each pair.
        sides: of the probes, and of the references.
        tell: is called with the number of pairs done.
    """
    results: list[float | Failure] = []
    for start in range(0, len(probes), _PAIRS):
        ids = (probes[start : start + _PAIRS], references[start : start + _PAIRS])
        left, right = (
            [(read(one), faces[one]) for one in some] for (read, faces), some in zip(sides, ids, strict=True)
        )
        lost = [
            next((p for p, _ in pair if isinstance(p, Failure)), None) for pair in zip(left, right, strict=True)
        ]
        there = [i for i, failure in enumerate(lost) if failure is None]

        def call(chosen: Sequence[int], left: Any = left, right: Any = right) -> Sequence[float | Failure]:
            return recognizer.compare([left[i] for i in chosen], [right[i] for i in chosen])

        found = dict(zip(there, guarded(call, there), strict=True))
        results += [found[i] if failure is None else failure for i, failure in enumerate(lost)]
        tell(len(lost))
    return results
