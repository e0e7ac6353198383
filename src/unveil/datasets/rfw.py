"""Racial Faces in-the-Wild, test set: four races, each with people in folders and prescribed pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from unveil.core.protocols import DatasetMeta, Entry
from unveil.core.types import Pair
from unveil.datasets.folder import Folder
from unveil.datasets.pairlist import read_pairs
from unveil.datasets.selection import check_count, first_identities

RACES = ("Caucasian", "African", "Asian", "Indian")
"""The published names. They stay: Caucasian is not BFW's White, nor African its Black."""

_FOLD_SIZE = 600  # 300 mated, then 300 non-mated pairs; ten folds per race
_CITATION = (
    "Wang, Deng, Hu, Tao, Huang: Racial Faces in-the-Wild: Reducing Racial Bias by Information Maximization "
    "Adaptation Network, ICCV 2019"
)


class RFW:
    """About 10,000 photos of about 3,000 people per race.

    ``data/{race}/{identity}/{identity}_{number:04d}.jpg`` and ``txts/{race}/{race}_pairs.txt``, where an
    identity is a Freebase id such as ``m.0xnkj``. The other lists (``_images``, ``_people``, ``_lmk``) are not
    needed. An id that stands under two races is one person.

    Args:
        root: the folder that holds ``data`` and ``txts`` (``test`` in the published archive). Without
            ``txts``, no pairs are prescribed.
        limit: keep all photos of this many people, taken in turn from each race, and the pairs between them.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    def __init__(self, *, root: str, limit: int | None = None) -> None:
        check_count("limit", limit)
        self._folder = Folder(
            root=root,
            pattern="data/{race}/{identity}/{file}",
            name="RFW",
            values={"race": {race: race for race in RACES}},
            citation=_CITATION,
            licence="non-commercial research, on request",
            url="http://whdeng.cn/RFW/testing.html",
        )
        self._limit = limit

    @property
    def root(self) -> Path:
        """Folder that holds every photo."""
        return self._folder.root

    @cached_property
    def meta(self) -> DatasetMeta:
        """Terms and groupings; pairs where ``txts`` is."""
        meta = self._folder.meta
        return replace(meta, has=meta.has | {"pairs"}) if (self.root / "txts").is_dir() else meta

    def entries(self) -> Iterator[Entry]:
        """Every photo.

        Raises:
            DataError: when the folder does not have this layout.
        """
        return iter(first_identities(list(self._folder.entries()), self._limit, self.meta.groupings))

    def pairs(self) -> list[Pair]:
        """The prescribed pairs of all races, ten folds each; with ``limit``, those with both photos kept.

        Raises:
            DataError: when a race has no list, or one is malformed or names an absent photo; names the line.
        """
        if "pairs" not in self.meta.has:
            return []
        photos = {entry.path.rpartition(".")[0]: entry.path for entry in self._folder.entries()}
        races = dict.fromkeys(path.split("/")[1] for path in photos)
        found: list[Pair] = []
        for race in races:
            file = self.root / "txts" / race / f"{race}_pairs.txt"
            found += read_pairs(file, partial(_find, photos, race), fold_size=_FOLD_SIZE)
        kept = {entry.path for entry in self.entries()}
        return [pair for pair in found if pair.left in kept and pair.right in kept]


def _find(photos: dict[str, str], race: str, name: str, number: int) -> str | None:
    return photos.get(f"data/{race}/{name}/{name}_{number:04d}")
