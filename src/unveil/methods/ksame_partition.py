"""k-Same over a partition of the people: the forms whose 1/k statement is a theorem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unveil.core.errors import DataError
from unveil.core.protocols import Gallery, Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Failure, Image, Sample
from unveil.core.validation import whole
from unveil.methods.averages import GroupAverages
from unveil.methods.people import assign, faceless, furthest_groups, nearest_groups, people_of, too_few


def one_in_k(k: int, *, within: str = "") -> Guarantee:
    """The guarantee of a partition into groups of at least k people with one output each.

    Args:
        k: smallest group.
        within: attribute inside whose values the groups are formed, or ``""``.
    """
    inside = f" with the same {within}, which stays visible" if within else ""
    return Guarantee(
        f"every output is shared by at least {k} people{inside}, so no recognizer names the right person for "
        f"more than 1/{k} of the people of a group, whatever it was trained on (all people in the "
        "gallery, pictures of one size, no other information attached)",
        "Newton, Sweeney, Malin 2005 (IEEE TKDE 17(2)), theorem on k-Same",
    )


class KSamePixel:
    """k-Same-Pixel, and with an attribute k-Same-Select: one mean face per group of at least k people.

    People are divided greedily into groups of near neighbours by the mean of their embeddings. Every photo
    of everybody in a group is replaced by one picture: the mean of the members' portraits, each person's
    most typical photo. All people weigh the same, however many photos they have.

    With ``attribute`` the groups are formed inside each of its values (k-Same-Select of Gross et al.), so that
    this value survives; the guarantee then holds among the people who share it. Photos without the
    attribute form a class of their own.

    The mean is taken over whole pictures at the size of the protected one: aligned crops are assumed.
    Where sizes differ, the size itself tells people apart.

    Args:
        k: smallest number of people per group, at least 2. The paper varies k; 10 as in ``k_same_average``.
        attribute: name of the attribute that must be kept, such as ``gender``, or ``""`` for none.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="k_same_pixel",
        version=1,
        scope="dataset",
        deterministic=True,
        needs=("detector", "recognizer"),
        source=Source(
            "E. M. Newton, L. Sweeney, B. Malin, Preserving Privacy by De-identifying Face Images, IEEE TKDE "
            "17(2), 2005, pp. 232-243",
            url="https://doi.org/10.1109/TKDE.2005.32",
        ),
    )

    def __init__(self, *, k: int = 10, attribute: str = "") -> None:
        self.k = whole("k", k, low=2)
        if not isinstance(attribute, str):
            raise ValueError(f"attribute must be a text, got {attribute!r}")
        self.attribute = attribute
        if attribute:
            citation = (
                "R. Gross, E. Airoldi, B. Malin, L. Sweeney, Integrating Utility into Face De-identification, "
                "PET 2005, LNCS 3856, pp. 227-242"
            )
            self.meta = replace(self.meta, name="k_same_select", source=Source(citation))

    @property
    def guarantee(self) -> Guarantee | None:
        """At most one of k people is named correctly."""
        return one_in_k(self.k, within=self.attribute)

    def fit(self, gallery: Gallery) -> None:
        """Divide the people into groups.

        Raises:
            DataError: when no sample of the gallery has the attribute.
        """
        if self.attribute and not any(self.attribute in s.attributes for s in gallery.samples):
            known = ", ".join(sorted({name for sample in gallery.samples for name in sample.attributes}))
            raise DataError(f"k_same_select: no sample has {self.attribute!r}; it has: {known or 'none'}")
        people, vectors = people_of(gallery, self.attribute)
        values = np.array([person.group for person in people], dtype=object)
        groups: list[list[int]] = []
        self.refused_: dict[str, Failure] = {}
        for value in dict.fromkeys(values):
            mine = np.flatnonzero(values == value)
            if len(mine) >= self.k:
                groups += [mine[g].tolist() for g in nearest_groups(vectors[mine], self.k)]
                continue
            where = f"the class {self.attribute} = {value or 'unknown'}" if self.attribute else "the gallery"
            failure = too_few(self.k, len(mine), where)
            self.refused_ |= {photo: failure for m in mine for photo in people[m].photos}
        self.group_ = assign(people, groups)
        self.averages_ = GroupAverages(gallery, [[people[m].portrait for m in g] for g in groups])

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Mean faces; ``no_face`` without an embedding, ``too_few`` where there are fewer than k people."""
        return [self._mean(i, s) for i, s in zip(images, context.samples, strict=True)]

    def _mean(self, image: Image, sample: Sample) -> Image | Failure:
        if sample.id in self.refused_:
            return self.refused_[sample.id]
        if sample.id not in self.group_:
            return faceless(sample)
        return self.averages_.get(self.group_[sample.id], image.shape)


class KSameFurthest:
    """k-Same-furthest: groups in pairs far apart, each replaced by the mean face of the other.

    The output of a person's photos is made of other people only, those most unlike in their pair of groups.
    Portraits, sizes and the assumption of aligned crops are as in ``k_same_pixel``. Fewer than 2k people
    cannot be paired.

    Args:
        k: smallest number of people per group, at least 2.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="k_same_furthest",
        version=1,
        scope="dataset",
        deterministic=True,
        needs=("detector", "recognizer"),
        source=Source(
            "L. Meng, Z. Sun, Face De-identification with Perfect Privacy Protection, MIPRO 2014, pp. 1234-1239"
        ),
    )

    def __init__(self, *, k: int = 10) -> None:
        self.k = whole("k", k, low=2)

    @property
    def guarantee(self) -> Guarantee | None:
        """At most one of k people is named correctly."""
        return one_in_k(self.k)

    def fit(self, gallery: Gallery) -> None:
        """Divide the people into pairs of groups."""
        people, vectors = people_of(gallery)
        self.people_ = len(people)
        pairs = furthest_groups(vectors, self.k) if self.people_ >= 2 * self.k else []
        groups = [group.tolist() for pair in pairs for group in pair]
        photos = {photo for person in people for photo in person.photos}
        self.group_ = assign(people, groups) if groups else dict.fromkeys(photos, 0)
        self.averages_ = GroupAverages(gallery, [[people[m].portrait for m in g] for g in groups])

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Mean faces of others; ``no_face`` without an embedding, ``too_few`` for fewer than 2k people."""
        return [self._mean(i, s) for i, s in zip(images, context.samples, strict=True)]

    def _mean(self, image: Image, sample: Sample) -> Image | Failure:
        if sample.id not in self.group_:
            return faceless(sample)
        if self.people_ < 2 * self.k:
            return too_few(2 * self.k, self.people_, f"the gallery (two groups of k = {self.k})")
        # Groups stand in pairs 0-1, 2-3, ...: the other one has the number with the last bit turned.
        return self.averages_.get(self.group_[sample.id] ^ 1, image.shape)
