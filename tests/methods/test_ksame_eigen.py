from __future__ import annotations

import numpy as np

from unveil.core.types import Failure, Reason
from unveil.methods.ksame_eigen import KSameEigen

from .material import Context, MemoryGallery, picture


def test_with_all_components_the_face_is_the_mean_of_the_group() -> None:
    gallery = MemoryGallery(people=3, photos=1, shape=(8, 8))
    method = KSameEigen(k=3, components=3, side=8)
    method.fit(gallery)
    (result,) = method.protect([picture(8, 8)], Context(gallery.samples[:1]))
    wanted = np.mean(gallery.originals(), axis=0)
    assert np.abs(result - wanted).max() <= 0.51


def test_few_components_learn_the_directions_in_which_faces_differ() -> None:
    """Faces are base + a * u + b * v: two components describe them without loss."""
    rng = np.random.default_rng(0)
    gallery = MemoryGallery(people=12, photos=1, shape=(8, 8))
    base, u, v = rng.uniform(100, 150, (8, 8, 3)), rng.uniform(-1, 1, (8, 8, 3)), rng.uniform(-1, 1, (8, 8, 3))
    weights = np.array([[-40, 0], [40, 0], [0, 40]])[np.arange(12) // 4] + rng.uniform(-2, 2, (12, 2))
    for one, (a, b) in zip(gallery.samples, weights, strict=True):
        gallery.pictures[one.id] = np.rint(base + a * u + b * v).astype(np.uint8)
    method = KSameEigen(k=4, components=2, side=8)
    method.fit(gallery)
    results = method.protect([picture(8, 8)] * 12, Context(gallery.samples))
    for start in (0, 4, 8):
        group = np.mean(gallery.originals()[start : start + 4], axis=0)
        assert np.abs(results[start] - group).max() < 2
        assert np.array_equal(results[start], results[start + 3])


def test_learns_in_batches() -> None:
    gallery = MemoryGallery(people=530, photos=1, shape=(6, 6))
    method = KSameEigen(k=5, components=20, side=6)
    method.fit(gallery)
    assert len(method.faces_) == 106
    assert len(gallery.reads) == 530


def test_output_has_the_size_of_the_photo() -> None:
    gallery = MemoryGallery(people=4, photos=1)
    method = KSameEigen(k=2, side=16)
    method.fit(gallery)
    (result,) = method.protect([picture(31, 57)], Context(gallery.samples[:1]))
    assert result.shape == (31, 57, 3)


def test_an_unreadable_portrait_fails_its_person_only() -> None:
    gallery = MemoryGallery(people=5, photos=1)
    gallery.broken("p2/0.png")
    method = KSameEigen(k=2, side=8)
    method.fit(gallery)
    results = method.protect([picture(8, 8)] * 5, Context(gallery.samples))
    assert [isinstance(r, Failure) for r in results] == [False, False, True, False, False]
    assert results[2] == Failure(Reason.UNDECODABLE, "portrait p2/0.png: p2/0.png: gone")
