from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.errors import DataError
from unveil.core.types import Failure, Image, Reason, Sample
from unveil.methods.ksame_eigen import KSameEigen
from unveil.methods.ksame_partition import KSameFurthest, KSamePixel

from .material import Context, MemoryGallery


def protect(method: Any, gallery: MemoryGallery) -> list[Image | Failure]:
    method.fit(gallery)
    shape = next(p.shape for p in gallery.pictures.values() if isinstance(p, np.ndarray))
    return method.protect([np.zeros(shape, np.uint8)] * len(gallery.samples), Context(gallery.samples))


def sharers(gallery: MemoryGallery, results: list[Image | Failure]) -> list[set[str]]:
    """The people behind each output that occurs."""
    people: dict[bytes, set[str]] = defaultdict(set)
    for one, result in zip(gallery.samples, results, strict=True):
        if isinstance(result, np.ndarray):
            people[result.tobytes()].add(one.identity)
    return list(people.values())


METHODS = [
    KSamePixel,
    KSameFurthest,
    lambda k: KSameEigen(k=k, side=8),
    lambda k: KSamePixel(k=k, attribute="gender"),
]


@pytest.mark.parametrize("make", METHODS)
@settings(max_examples=8, deadline=None)
@given(k=st.integers(2, 4), more=st.integers(0, 9), photos=st.integers(1, 3))
def test_every_output_is_shared_by_at_least_k_people(make: Any, k: int, more: int, photos: int) -> None:
    gallery = MemoryGallery(people=4 * k + more, photos=photos)
    results = protect(make(k=k), gallery)
    assert all(isinstance(r, np.ndarray) for r in results)
    groups = sharers(gallery, results)
    assert min(len(people) for people in groups) >= k
    assert sum(len(people) for people in groups) == 4 * k + more  # a person is in one group only


@pytest.mark.parametrize("make", METHODS)
def test_no_recognizer_names_more_than_one_in_k(make: Any) -> None:
    """The best attacker knows everybody's output and still has to answer each output with one name."""
    k, gallery = 3, MemoryGallery(people=13, photos=2)
    groups = sharers(gallery, protect(make(k=k), gallery))
    answers = [min(people) for people in groups]
    right = sum(name in people for name, people in zip(answers, groups, strict=True))
    assert right / 13 <= 1 / k
    assert f"1/{k}" in make(k=k).guarantee.statement


@pytest.mark.parametrize("make", METHODS)
def test_a_photo_without_a_face_is_refused(make: Any) -> None:
    gallery = MemoryGallery(people=9)
    gallery.without_face("p3/1.png")
    method = make(k=2)
    results = dict(zip([s.id for s in gallery.samples], protect(method, gallery), strict=True))
    refused = results["p3/1.png"]
    assert isinstance(refused, Failure)
    assert refused.reason is Reason.NO_FACE
    assert isinstance(results["p3/0.png"], np.ndarray)


@pytest.mark.parametrize(
    ("method", "detail"),
    [
        (KSamePixel(k=6), "needs at least 6 people with a face in the gallery, 5 found"),
        (KSameEigen(k=6), "needs at least 6 people with a face in the gallery, 5 found"),
        (KSameFurthest(k=3), "needs at least 6 people with a face in the gallery (two groups of k = 3), 5 found"),
    ],
)
def test_too_few_people_are_refused_with_both_numbers(method: Any, detail: str) -> None:
    assert set(protect(method, MemoryGallery(people=5, photos=4))) == {Failure(Reason.TOO_FEW, detail)}


@pytest.mark.parametrize("method", [KSamePixel(k=2), KSameEigen(k=2), KSameFurthest(k=2)])
def test_an_empty_gallery(method: Any) -> None:
    gallery = MemoryGallery(people=1, photos=1)
    gallery.without_face("p0/0.png")
    (result,) = protect(method, gallery)
    assert isinstance(result, Failure)
    assert result.reason is Reason.NO_FACE


def test_pixel_is_the_mean_of_the_portraits() -> None:
    gallery = MemoryGallery(people=3, photos=1)
    wanted = np.rint(np.mean(gallery.originals(), axis=0)).astype(np.uint8)
    for result in protect(KSamePixel(k=3), gallery):
        assert np.array_equal(result, wanted)


def test_people_with_many_photos_do_not_weigh_more() -> None:
    gallery = MemoryGallery(people=2, photos=5)
    first = [s for s in gallery.samples if s.identity == "p0"]
    keep = {s.id for s in first} | {"p1/0.png"}
    for one in gallery.samples:
        if one.id not in keep:
            gallery.without_face(one.id)
    gallery.pictures.update(dict.fromkeys((s.id for s in first), np.full((12, 10, 3), 40, np.uint8)))
    gallery.pictures["p1/0.png"] = np.full((12, 10, 3), 100, np.uint8)
    gallery.samples = [s for s in gallery.samples if s.id in keep]
    assert all((r == 70).all() for r in protect(KSamePixel(k=2), gallery))


def test_select_keeps_the_attribute_apart() -> None:
    gallery = MemoryGallery(people=13, photos=2)
    results = protect(KSamePixel(k=3, attribute="gender"), gallery)
    values: dict[bytes, set[str]] = defaultdict(set)
    for one, result in zip(gallery.samples, results, strict=True):
        assert isinstance(result, np.ndarray)
        values[result.tobytes()].add(one.attributes["gender"])
    assert all(len(seen) == 1 for seen in values.values())
    method = KSamePixel(attribute="gender")
    assert "with the same gender" in method.guarantee.statement
    assert method.meta.name == "k_same_select"


def test_select_refuses_only_the_class_that_is_too_small() -> None:
    gallery = MemoryGallery(people=7, photos=1)  # four women, three men
    results = protect(KSamePixel(k=4, attribute="gender"), gallery)
    for one, result in zip(gallery.samples, results, strict=True):
        if one.attributes["gender"] == "F":
            assert isinstance(result, np.ndarray)
        else:
            assert result == Failure(
                Reason.TOO_FEW, "needs at least 4 people with a face in the class gender = M, 3 found"
            )


def test_select_of_an_attribute_that_nobody_has() -> None:
    with pytest.raises(DataError, match=r"no sample has 'smile'; it has: gender"):
        KSamePixel(attribute="smile").fit(MemoryGallery(people=3))


def test_select_with_unknown_values() -> None:
    gallery = MemoryGallery(people=4, photos=1)
    gallery.samples[3] = Sample("p3/0.png", "memory", "h", "p3")
    *_, last = protect(KSamePixel(k=2, attribute="gender"), gallery)
    assert last == Failure(
        Reason.TOO_FEW, "needs at least 2 people with a face in the class gender = unknown, 1 found"
    )


def test_furthest_holds_nothing_of_the_person() -> None:
    gallery = MemoryGallery(people=4, photos=1)
    levels = [0, 10, 200, 210]
    for one, level in zip(gallery.samples, levels, strict=True):
        gallery.pictures[one.id] = np.full((12, 10, 3), level, np.uint8)
    angles = np.array([0.0, 0.1, 3.0, 3.1])
    gallery.vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    results = protect(KSameFurthest(k=2), gallery)
    assert [int(r[0, 0, 0]) for r in results] == [205, 205, 5, 5]


@pytest.mark.parametrize("method", [KSamePixel(k=3), KSameFurthest(k=2)])
def test_an_unreadable_portrait_fails_its_group(method: Any) -> None:
    gallery = MemoryGallery(people=6, photos=1)
    gallery.broken("p0/0.png")
    results = protect(method, gallery)
    reasons = [r.reason for r in results if isinstance(r, Failure)]
    assert reasons
    assert set(reasons) == {Reason.UNDECODABLE}
    assert len(reasons) < len(results)
