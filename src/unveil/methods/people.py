"""The people of a gallery, and their division into groups of at least k: what the k-Same family stands on.

The 1/k statement of k-Same needs person-specific sets of faces: one entry per person. So the unit here is the
*person*, never the photo. Otherwise a cluster of ten photos could show one person ten times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Gallery
from unveil.core.types import Failure, Reason, Sample

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Person:
    """One person, or one class of a person's photos.

    Attributes:
        portrait: id of the photo whose embedding is nearest to the mean of the person's embeddings.
        photos: ids of all photos in which a face was found.
        group: value of the attribute that must be kept, ``""`` when there is none.
    """

    portrait: str
    photos: tuple[str, ...]
    group: str = ""


def who(sample: Sample) -> str:
    """The person's name; a photo of an unknown person counts as a person of its own."""
    return f"identity {sample.identity}" if sample.identity else f"photo {sample.id}"


def unit_length(vectors: Vectors) -> Vectors:
    """Rows of length 1, so that Euclidean and cosine distance order alike; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, np.where(lengths > 0, lengths, 1), dtype=np.float32)


def people_of(gallery: Gallery, attribute: str = "") -> tuple[list[Person], Vectors]:
    """People of a gallery in the order of their first photo, and the mean embedding of each.

    Args:
        gallery: samples in which no face was found are left out.
        attribute: when given, a person is counted once per value of it, so that every value can be kept;
            photos without it form a value of their own, ``""``.

    Returns:
        The people, and their vectors (people, dimension) of unit length.
    """
    ids, embeddings = gallery.embeddings()
    samples = {sample.id: sample for sample in gallery.samples}
    rows: dict[tuple[str, str], list[int]] = {}
    for row, sample_id in enumerate(ids):
        sample = samples[sample_id]
        rows.setdefault((who(sample), sample.attributes.get(attribute, "")), []).append(row)
    vectors = unit_length(np.asarray(embeddings, np.float32))
    means = np.zeros((len(rows), vectors.shape[1]), np.float32)
    people = []
    for number, ((_, group), mine) in enumerate(rows.items()):
        means[number] = vectors[mine].mean(axis=0)
        portrait = mine[int(np.argmax(vectors[mine] @ means[number]))]
        people.append(Person(ids[portrait], tuple(ids[row] for row in mine), group))
    return people, unit_length(means)


def nearest_groups(vectors: NDArray[np.floating], k: int) -> list[NDArray[np.intp]]:
    """A partition into groups of k near neighbours; the last one takes what is left, up to 2k - 1.

    The greedy rule of k-Same (Newton, Sweeney, Malin 2005): take the first one left, with its k - 1
    nearest among those left, until fewer than 2k are left.

    Args:
        vectors: (n, dimension) with n >= k.
        k: smallest group.
    """
    left, groups = np.arange(len(vectors)), []
    while len(left) >= 2 * k:
        order = _by_distance(vectors, left, left[0])
        groups.append(left[order[:k]])
        left = np.sort(left[order[k:]])
    return [*groups, left]


def furthest_groups(vectors: NDArray[np.floating], k: int) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """A partition into pairs of groups that lie far apart, each of at least k.

    Take the first one left with its k - 1 nearest, and the one furthest from it with its k - 1 nearest
    (k-Same-furthest, Meng and Sun 2014); when fewer than 4k are left, they are halved into the last pair.

    Args:
        vectors: (n, dimension) with n >= 2k.
        k: smallest group.
    """
    left, pairs = np.arange(len(vectors)), []
    while len(left) >= 4 * k:
        order = _by_distance(vectors, left, left[0])
        near, rest = left[order[:k]], left[order[k:]]
        back = _by_distance(vectors, rest, rest[-1])
        pairs.append((near, rest[back[:k]]))
        left = np.sort(rest[back[k:]])
    order = _by_distance(vectors, left, left[0])
    half = len(left) // 2
    return [*pairs, (left[order[:half]], left[order[half:]])]


def _by_distance(vectors: NDArray[np.floating], members: NDArray[np.intp], seed: np.intp) -> NDArray[np.intp]:
    """Order of members by distance from the seed, which comes first; equals in the order of members."""
    distance = ((vectors[members] - vectors[seed]) ** 2).sum(axis=1)
    distance[members == seed] = -1
    return np.argsort(distance, kind="stable")


def too_few(needed: int, found: int, what: str) -> Failure:
    """The Failure of a gallery, or a class of it, that has not enough people."""
    return Failure(Reason.TOO_FEW, f"needs at least {needed} people with a face in {what}, {found} found")


def faceless(sample: Sample) -> Failure:
    """The Failure of a photo that has no embedding in the gallery."""
    return Failure(Reason.NO_FACE, f"{sample.id}: the recognizer found no face in it, so it belongs to no group")


def assign(people: Sequence[Person], groups: Sequence[Sequence[int]]) -> Mapping[str, int]:
    """Photo id -> number of the group its person is in."""
    return {photo: g for g, members in enumerate(groups) for m in members for photo in people[m].photos}
