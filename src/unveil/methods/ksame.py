"""k-Same over pixels in its plain form: every face becomes the mean of itself and its nearest faces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Gallery, Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Failure, Image, Sample
from unveil.core.validation import flag, whole
from unveil.methods.averages import average, resized
from unveil.methods.people import Vectors, faceless, too_few, unit_length, who


class KSameAverage:
    """K-Same-Pixel as FairDeFace uses it: the mean of the face and its k - 1 nearest by embedding.

    Every face has its own neighbours, the groups overlap, and this form has **no guarantee**: each output
    holds its own original with weight 1/k, and outputs differ from face to face, so a recognizer can and
    does match them. With ``distinct_identities=False``, the published form, the neighbours are mostly
    other photos of the same person, and the output is a clean average of that very person. Distinct
    identities are necessary for the 1/k statement but do not suffice: that takes a partition
    (``k_same_pixel``).

    The mean is taken over whole pictures: aligned crops are assumed. Pictures of another size are resized
    to the size of the protected one. k is not stated in the paper; the default 10 is that of
    infraface/FDeID-Toolbox.

    Args:
        k: number of faces in each mean, at least 2.
        distinct_identities: take the neighbours from other people, one photo of each.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="k_same_average",
        version=1,
        scope="dataset",
        deterministic=True,
        needs=("detector", "recognizer"),
        source=Source(
            "E. M. Newton, L. Sweeney, B. Malin, Preserving Privacy by De-identifying Face Images, IEEE TKDE "
            "17(2), 2005, pp. 232-243, in the form of FairDeFace (K-Same-Pixel-ArcFace)",
            url="https://doi.org/10.1109/TKDE.2005.32",
        ),
    )

    def __init__(self, *, k: int = 10, distinct_identities: bool = False) -> None:
        self.k = whole("k", k, low=2)
        self.distinct_identities = flag("distinct_identities", distinct_identities)

    @property
    def guarantee(self) -> Guarantee | None:
        """None, whatever k: see the class."""
        return None

    def fit(self, gallery: Gallery) -> None:
        """Keep the embeddings; pictures are read when they are needed."""
        ids, embeddings = gallery.embeddings()
        people = {sample.id: who(sample) for sample in gallery.samples}
        self.gallery_ = gallery
        self.ids_ = list(ids)
        self.row_ = {sample_id: row for row, sample_id in enumerate(ids)}
        self.vectors_: Vectors = unit_length(np.asarray(embeddings, np.float32))
        names = [people[sample_id] for sample_id in ids]
        self.person_: NDArray[np.intp] = np.unique(np.array(names, str), return_inverse=True)[1]
        self.people_ = len(set(names))

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Means; ``no_face`` without an embedding, ``too_few`` for a gallery of fewer than k people."""
        return [self._mean(i, s) for i, s in zip(images, context.samples, strict=True)]

    def _mean(self, image: Image, sample: Sample) -> Image | Failure:
        if sample.id not in self.row_:
            return faceless(sample)
        if self.people_ < self.k:
            return too_few(self.k, self.people_, "the gallery")
        total = image.astype(np.float32)
        for row in self._neighbours(self.row_[sample.id]):
            other = self.gallery_.read(self.ids_[row])
            if isinstance(other, Failure):
                return Failure(other.reason, f"neighbour of {sample.id}: {other.detail}")
            total += resized(other, image.shape)
        return average(total, self.k)

    def _neighbours(self, row: int) -> NDArray[np.intp]:
        """Rows of the k - 1 nearest other faces, nearest first; equals in the order of the gallery."""
        similarity: NDArray[np.float32] = self.vectors_ @ self.vectors_[row]
        order: NDArray[np.intp] = np.argsort(-similarity, kind="stable")
        if self.distinct_identities:
            order = order[self.person_[order] != self.person_[row]]
            firsts = np.unique(self.person_[order], return_index=True)[1]
            order = order[np.sort(firsts)]
        else:
            order = order[order != row]
        return order[: self.k - 1]
