from __future__ import annotations

import numpy as np
import pytest

from unveil.core.types import Failure, Image, Reason
from unveil.methods.ksame import KSameAverage

from .material import Context, MemoryGallery, picture, sample


def protect(method: KSameAverage, gallery: MemoryGallery, sample_id: str) -> Image | Failure:
    method.fit(gallery)
    image = gallery.pictures[sample_id]
    assert isinstance(image, np.ndarray)
    return method.protect([image], Context([sample(sample_id)]))[0]


def mean(gallery: MemoryGallery, *ids: str) -> Image:
    return np.rint(np.mean([gallery.pictures[i] for i in ids], axis=0)).astype(np.uint8)


def test_the_plain_form_averages_a_person_with_himself() -> None:
    gallery = MemoryGallery(people=5, photos=3)
    result = protect(KSameAverage(k=3), gallery, "p2/1.png")
    assert np.array_equal(result, mean(gallery, "p2/0.png", "p2/1.png", "p2/2.png"))


def test_distinct_identities_take_one_photo_of_each_other_person() -> None:
    gallery = MemoryGallery(people=5, photos=3)
    protect(KSameAverage(k=4, distinct_identities=True), gallery, "p2/1.png")
    people = [sample_id.split("/")[0] for sample_id in gallery.reads]
    assert len(people) == len(set(people)) == 3
    assert "p2" not in people


def test_the_neighbours_are_the_nearest_by_embedding() -> None:
    gallery = MemoryGallery(people=4, photos=1)
    angles = np.array([0.0, 0.3, 2.0, 0.1])
    gallery.vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    gallery.vectors[1] *= 9  # length does not count
    result = protect(KSameAverage(k=3), gallery, "p0/0.png")
    assert np.array_equal(result, mean(gallery, "p0/0.png", "p3/0.png", "p1/0.png"))


@pytest.mark.parametrize("distinct", [False, True])
def test_never_promises_anything(distinct: bool) -> None:
    assert KSameAverage(distinct_identities=distinct).guarantee is None


def test_too_few_people_are_refused_with_both_numbers() -> None:
    result = protect(KSameAverage(k=4), MemoryGallery(people=3, photos=9), "p0/0.png")
    assert result == Failure(Reason.TOO_FEW, "needs at least 4 people with a face in the gallery, 3 found")


def test_a_photo_without_a_face_is_refused() -> None:
    gallery = MemoryGallery(people=4)
    gallery.without_face("p1/0.png")
    result = protect(KSameAverage(k=3), gallery, "p1/0.png")
    assert isinstance(result, Failure)
    assert result.reason is Reason.NO_FACE


def test_a_gallery_without_any_face() -> None:
    gallery = MemoryGallery(people=2, photos=1)
    gallery.without_face("p0/0.png")
    gallery.without_face("p1/0.png")
    result = protect(KSameAverage(k=2), gallery, "p0/0.png")
    assert isinstance(result, Failure)
    assert result.reason is Reason.NO_FACE


def test_an_unreadable_neighbour_is_named() -> None:
    gallery = MemoryGallery(people=4)
    gallery.broken("p0/1.png")
    result = protect(KSameAverage(k=3), gallery, "p0/0.png")
    assert result == Failure(Reason.UNDECODABLE, "neighbour of p0/0.png: p0/1.png: gone")


def test_neighbours_of_other_sizes_are_brought_to_the_size_of_the_face() -> None:
    gallery = MemoryGallery(people=2, photos=1)
    gallery.pictures["p1/0.png"] = np.full((50, 40, 3), 200, np.uint8)
    result = protect(KSameAverage(k=2), gallery, "p0/0.png")
    assert np.array_equal(result, np.rint(gallery.pictures["p0/0.png"] / 2 + 100).astype(np.uint8))


def test_reads_k_minus_one_pictures_per_output() -> None:
    gallery = MemoryGallery(people=20, photos=2)
    method = KSameAverage(k=5)
    method.fit(gallery)
    assert gallery.reads == []
    method.protect([picture(12, 10)] * 3, Context(gallery.samples[:3]))
    assert len(gallery.reads) == 3 * 4
