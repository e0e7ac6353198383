"""Similarity from vectors, and from a recognizer that only compares pictures."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from unveil.core.similarity import similarity_of
from unveil.core.types import Face, Failure, Reason
from unveil.pipeline.likeness import by_pairs, by_vectors

FACE = Face(np.array([0, 0, 4, 4], np.float32))
PICTURES = {name: np.full((4, 4, 3), level, np.uint8) for level, name in enumerate("abcdefghijklmnopqrstuvwx")}


def compare(left, right):
    """Alike are pictures of like brightness; the letter `c` breaks whatever it is part of."""
    if any(image[0, 0, 0] == 2 for image, _ in left):
        raise RuntimeError("broken")
    assert all(face is FACE for side in (left, right) for _, face in side)
    pairs = zip(left, right, strict=True)
    return [1 - abs(float(a[0, 0, 0]) - float(b[0, 0, 0])) / 100 for (a, _), (b, _) in pairs]


def side(lost: str = ""):
    def read(name: str):
        return Failure(Reason.MISSING, f"{name} is gone") if name in lost else PICTURES[name]

    return read, dict.fromkeys(PICTURES, FACE)


def test_pairs_are_compared_in_order_and_one_that_breaks_costs_itself_alone() -> None:
    probes = list(PICTURES)
    references = probes[1:] + probes[:1]
    told: list[int] = []
    recognizer = SimpleNamespace(compare=compare)
    found = by_pairs(recognizer, probes, references, [side(), side(lost="f")], told.append)
    assert sum(told) == len(probes)
    for position, (probe, result) in enumerate(zip(probes, found, strict=True)):
        if probe == "c":
            assert isinstance(result, Failure) and result.reason is Reason.EXCEPTION
        elif probe == "e":
            assert isinstance(result, Failure) and result.reason is Reason.MISSING
        else:
            apart = 1 if position + 1 < len(probes) else len(probes) - 1
            assert result == pytest.approx(1 - apart / 100)


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
def test_vectors_in_pieces_are_as_in_one(distance: str) -> None:
    vectors = np.random.default_rng(0).normal(size=(9000, 5)).astype(np.float32)
    templates = SimpleNamespace(vectors=lambda ids: vectors[list(ids)])
    ids = list(range(9000))
    back = ids[::-1]
    found = by_vectors(templates, templates, ids, back, distance)
    assert np.allclose(found, similarity_of(vectors, vectors[::-1], distance), atol=1e-6)
