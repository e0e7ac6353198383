"""What an evaluation of faces sees of a cell (:class:`unveil.core.protocols.FaceContext`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from unveil.core.fingerprint import rng
from unveil.core.protocols import Version
from unveil.core.types import Failure, Image
from unveil.images import encode_png
from unveil.pipeline.likeness import Side, by_pairs, by_vectors
from unveil.pipeline.pictures import Pictures
from unveil.pipeline.plan import PlannedCell
from unveil.pipeline.protect import UNPROTECTED
from unveil.pipeline.templates import FaceTemplates
from unveil.store.run import RunStore

Distance = Literal["cosine", "euclidean"]


@dataclass(frozen=True, slots=True)
class FaceView:
    """One cell's view of the faces of its dataset.

    Attributes:
        planned: the cell.
        seed: of the run.
        faces, pictures: ``original`` and ``protected`` versions.
        store: the run's folder, for pictures that belong to the results; None when none may be kept.
        tell: is called with the number of pictures, or of pairs, done.
        withheld: names of pictures that would have been kept.
    """

    planned: PlannedCell
    seed: int
    faces: Mapping[Version, FaceTemplates]
    pictures: Mapping[Version, Pictures]
    store: RunStore | None
    tell: Callable[[int], None]
    withheld: list[str] = field(default_factory=list)

    @property
    def samples(self) -> pd.DataFrame:
        """The readable samples of the dataset."""
        return self.planned.dataset.frame

    @property
    def method(self) -> str:
        """Label of the method."""
        return self.planned.cell.method

    @property
    def distance(self) -> Distance:
        """How embeddings are compared."""
        distance: Distance = self.model("recognizer").distance
        return distance

    def rng(self, *key: str) -> np.random.Generator:
        """Random stream of this key."""
        return rng(self.seed, *key)

    def templates(self, version: Version) -> FaceTemplates:
        """Faces of the originals or of the protected pictures."""
        return self.faces[version]

    def compare(self, protected: Sequence[str], originals: Sequence[str]) -> list[float | Failure]:
        """Similarity of protected pictures to originals: of their vectors, or pair by pair."""
        recognizer = self.model("recognizer")
        if hasattr(recognizer, "embed"):
            self.tell(len(protected))
            versions = self.faces["protected"], self.faces["original"]
            return list(by_vectors(*versions, protected, originals, recognizer.distance))
        sides = [self._side("protected", protected), self._side("original", originals)]
        return by_pairs(recognizer, protected, originals, sides, self.tell)

    def _side(self, version: Version, sample_ids: Sequence[str]) -> Side:
        found = self.faces[version].found(sample_ids)
        return self.pictures[version].read, dict(zip(sample_ids, found, strict=True))

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        """Pictures one by one."""
        counts = version == "protected" or self.method == UNPROTECTED
        for picture in self.pictures[version].images(sample_ids):
            yield picture
            if counts:
                self.tell(1)

    def model(self, role: str) -> Any:
        """A model of the cell."""
        return self.planned.models[role].component

    def keep(self, name: str, picture: Image) -> None:
        """Store a picture for the report, in ``pictures/<cell>/<name>.png`` of the run's folder.

        Raises:
            ValueError: for a name that is not one of a file.
        """
        if not re.fullmatch(r"\w[\w .-]{0,120}", name):
            raise ValueError(f"a picture's name must be letters, digits, '_', '-', '.' and spaces, not {name!r}")
        if self.store is None:
            self.withheld.append(name)
        else:
            self.store.put_picture(self.planned.cell.id, name, encode_png(picture))
