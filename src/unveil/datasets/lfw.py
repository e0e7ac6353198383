"""Labeled Faces in the Wild: people in folders and prescribed pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from unveil.core.protocols import DatasetMeta, Entry
from unveil.core.types import Pair
from unveil.datasets.folder import Folder
from unveil.datasets.pairlist import read_pairs
from unveil.datasets.selection import check_count, first_identities

_CITATION = (
    "Huang, Ramesh, Berg, Learned-Miller: Labeled Faces in the Wild: A Database for Studying Face Recognition "
    "in Unconstrained Environments, UMass Amherst Technical Report 07-49, 2007"
)


class LFW:
    """13,233 photos of 5,749 people as ``{name}/{name}_{number:04d}.jpg``.

    Args:
        root: the folder that holds one folder per person.
        pairs: a list in the format of ``pairs.txt``, relative to the root or absolute. Default: ``pairs.txt``
            in the root; without that file, no pairs are prescribed.
        labels: a CSV with gender, race or other facts, as for :class:`unveil.datasets.folder.Folder`: one row
            per person (column ``identity``) or per photo (column ``path``). LFW itself publishes none.
        limit: keep all photos of this many people, and the pairs between them.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    def __init__(
        self, *, root: str, pairs: str | None = None, labels: str | None = None, limit: int | None = None
    ) -> None:
        check_count("limit", limit)
        self._folder = Folder(
            root=root,
            pattern="{identity}/{file}",
            labels=labels,
            name="LFW",
            citation=_CITATION,
            licence="none stated; photos of news agencies, for research",
            url="http://vis-www.cs.umass.edu/lfw/",
        )
        self._pairs = pairs
        self._limit = limit

    @property
    def root(self) -> Path:
        """Folder that holds every photo."""
        return self._folder.root

    @cached_property
    def meta(self) -> DatasetMeta:
        """Terms, and what is there: pairs where a list is, demographics where a CSV is."""
        meta = self._folder.meta
        return replace(meta, has=meta.has | {"pairs"}) if self._pairs_file else meta

    def entries(self) -> Iterator[Entry]:
        """Every photo.

        Raises:
            DataError: when the folder does not have this layout.
        """
        return iter(first_identities(list(self._folder.entries()), self._limit, self.meta.groupings))

    def pairs(self) -> list[Pair]:
        """The prescribed pairs; with ``limit``, those of which both photos are kept.

        Raises:
            DataError: when the list is malformed or names an absent photo; names the line.
        """
        if self._pairs_file is None:
            return []
        photos = {entry.path.rpartition(".")[0]: entry.path for entry in self._folder.entries()}
        found = read_pairs(self._pairs_file, lambda name, n: photos.get(f"{name}/{name}_{n:04d}"))
        kept = {entry.path for entry in self.entries()}
        return [pair for pair in found if pair.left in kept and pair.right in kept]

    @cached_property
    def _pairs_file(self) -> Path | None:
        file = self.root / (self._pairs or "pairs.txt")
        return file if self._pairs or file.is_file() else None
