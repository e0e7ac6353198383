from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.types import Sample
from unveil.methods.people import furthest_groups, nearest_groups, people_of

from .material import MemoryGallery

sizes = st.integers(2, 6)


@given(sizes, st.integers(0, 40), st.integers(0, 5))
def test_nearest_groups_are_a_partition(k: int, more: int, seed: int) -> None:
    n = k + more
    groups = nearest_groups(np.random.default_rng(seed).standard_normal((n, 3)), k)
    assert sorted(np.concatenate(groups)) == list(range(n))
    assert all(k <= len(group) < 2 * k for group in groups)


@given(sizes, st.integers(0, 60), st.integers(0, 5))
def test_furthest_groups_are_a_partition_in_pairs(k: int, more: int, seed: int) -> None:
    n = 2 * k + more
    pairs = furthest_groups(np.random.default_rng(seed).standard_normal((n, 3)), k)
    assert sorted(np.concatenate([g for pair in pairs for g in pair])) == list(range(n))
    assert all(len(group) >= k for pair in pairs for group in pair)


def test_equal_vectors_are_still_divided() -> None:
    same = np.ones((11, 4))
    assert sorted(np.concatenate(nearest_groups(same, 3))) == list(range(11))
    assert [len(g) for pair in furthest_groups(same, 2) for g in pair] == [2, 2, 3, 4]


def test_near_people_are_grouped_and_far_ones_paired() -> None:
    line = np.array([0.0, 100, 1, 101, 2, 102])[:, None]
    assert [g.tolist() for g in nearest_groups(line, 3)] == [[0, 2, 4], [1, 3, 5]]
    ((near, far),) = furthest_groups(line, 3)
    assert (sorted(near), sorted(far)) == ([0, 2, 4], [1, 3, 5])


def test_people_have_their_photos_and_their_most_typical_one() -> None:
    gallery = MemoryGallery(people=2, photos=3)
    gallery.vectors[:3] = [[1] + [0] * 15, [0.9, 0.1] + [0] * 14, [0, 1] + [0] * 14]
    gallery.without_face("p1/0.png")
    people, vectors = people_of(gallery)
    assert [p.photos for p in people] == [("p0/0.png", "p0/1.png", "p0/2.png"), ("p1/1.png", "p1/2.png")]
    assert people[0].portrait == "p0/1.png"  # between the other two
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


def test_photos_of_unknown_people_are_people_of_their_own() -> None:
    gallery = MemoryGallery(people=1, photos=3)
    gallery.samples = [Sample(s.id, s.dataset, s.content_hash) for s in gallery.samples]
    assert len(people_of(gallery)[0]) == 3


def test_a_person_counts_once_per_value_of_the_attribute() -> None:
    gallery = MemoryGallery(people=1, photos=2)
    first, second = gallery.samples
    gallery.samples = [
        Sample(first.id, "d", "h", "p0", attributes={"smile": "yes"}),
        Sample(second.id, "d", "h", "p0"),
    ]
    people, _ = people_of(gallery, "smile")
    assert [(p.group, p.photos) for p in people] == [("yes", (first.id,)), ("", (second.id,))]
