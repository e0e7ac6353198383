"""k-Same in the coefficient space of a principal component analysis of the faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Gallery, Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Failure, Image, Sample
from unveil.core.validation import whole
from unveil.methods.averages import resized
from unveil.methods.ksame_partition import one_in_k
from unveil.methods.people import Person, assign, faceless, nearest_groups, people_of, too_few

_BATCH = 256
"""Smallest number of portraits that one step of the analysis takes in, unless there are fewer."""


class KSameEigen:
    """k-Same-Eigen: faces are compared and averaged by their eigenface coefficients.

    One portrait per person (the photo nearest to the mean of the person's embeddings) is brought to
    ``side`` x ``side`` pixels; principal components are learnt from all portraits in batches;
    people are divided greedily into groups of at least k by their coefficients; each group gets the
    picture of its mean coefficients, enlarged to the size of the protected photo. The paper works at the
    pictures' own size; ``side`` bounds memory and time, and outputs are as soft as it makes them. Aligned
    crops are assumed. Recognizer embeddings only choose the portraits and tell which photos have a face.

    Args:
        k: smallest number of people per group, at least 2.
        components: number of eigenfaces, at least 1; never more than the portraits allow.
        side: edge in pixels at which faces are described, at least 1.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="k_same_eigen",
        version=1,
        scope="dataset",
        deterministic=True,
        needs=("detector", "recognizer"),
        source=Source(
            "E. M. Newton, L. Sweeney, B. Malin, Preserving Privacy by De-identifying Face Images, IEEE TKDE "
            "17(2), 2005, pp. 232-243: k-Same-Eigen",
            url="https://doi.org/10.1109/TKDE.2005.32",
        ),
    )

    def __init__(self, *, k: int = 10, components: int = 64, side: int = 64) -> None:
        self.k = whole("k", k, low=2)
        self.components = whole("components", components)
        self.side = whole("side", side)

    @property
    def guarantee(self) -> Guarantee | None:
        """At most one of k people is named correctly."""
        return one_in_k(self.k)

    def fit(self, gallery: Gallery) -> None:
        """Learn the components, divide the people, and make each group's face."""
        self.people_, self.refused_, portraits = self._portraits(gallery)
        photos = {photo for person in self.people_ for photo in person.photos}
        self.group_, self.faces_ = dict.fromkeys(photos, 0), []
        if len(self.people_) < self.k:
            return
        pca, batches = self._learn(portraits)
        coefficients = np.concatenate([pca.transform(rows) for rows in batches])
        groups = nearest_groups(coefficients, self.k)
        self.group_ = dict(assign(self.people_, [group.tolist() for group in groups]))
        for group in groups:
            face = pca.inverse_transform(coefficients[group].mean(axis=0, keepdims=True))[0]
            square = face.reshape(self.side, self.side, 3)
            self.faces_.append(np.rint(np.clip(square, 0, 255)).astype(np.uint8))

    def _portraits(self, gallery: Gallery) -> tuple[list[Person], dict[str, Failure], NDArray[np.uint8]]:
        """People with a readable portrait, why the photos of the others are refused, portraits as rows."""
        people: list[Person] = []
        refused: dict[str, Failure] = {}
        rows: list[Image] = []
        for person in people_of(gallery)[0]:
            picture = gallery.read(person.portrait)
            if isinstance(picture, Failure):
                failure = Failure(picture.reason, f"portrait {person.portrait}: {picture.detail}")
                refused |= dict.fromkeys(person.photos, failure)
            else:
                people.append(person)
                rows.append(resized(picture, (self.side, self.side)).reshape(-1))
        return people, refused, np.asarray(rows, np.uint8)

    def _learn(self, portraits: NDArray[np.uint8]) -> tuple[Any, list[NDArray[np.uint8]]]:
        """The fitted analysis, and the portraits in batches that fit into memory as floats."""
        from sklearn.decomposition import IncrementalPCA

        # Each step must bring at least as many faces as there are components.
        wanted = min(self.components, *portraits.shape)
        batches = np.array_split(portraits, max(1, len(portraits) // max(_BATCH, wanted)))
        pca = IncrementalPCA(n_components=wanted)
        for rows in batches:
            pca.partial_fit(rows.astype(np.float32))
        return pca, batches

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Faces of mean coefficients; ``no_face`` without an embedding, ``too_few`` below k people."""
        return [self._face(i, s) for i, s in zip(images, context.samples, strict=True)]

    def _face(self, image: Image, sample: Sample) -> Image | Failure:
        if sample.id in self.refused_:
            return self.refused_[sample.id]
        if sample.id not in self.group_:
            return faceless(sample)
        if not self.faces_:
            return too_few(self.k, len(self.people_), "the gallery")
        face = resized(self.faces_[self.group_[sample.id]], image.shape)
        return face.copy()
