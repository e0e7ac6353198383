"""AgeDB: photos of known people over their whole lives, described by the names of the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from unveil.core.errors import DataError
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.types import Pair
from unveil.datasets.ages import DECADES, check_bounds, describe_age, read_age
from unveil.datasets.selection import check_count, first_identities
from unveil.datasets.spelling import Spelling
from unveil.datasets.tree import Tree

_META = DatasetMeta(
    name="AgeDB",
    version=1,
    source=Source(
        "Moschoglou, Papaioannou, Sagonas, Deng, Kotsia, Zafeiriou: AgeDB: The First Manually Collected, "
        "In-the-Wild Age Database, CVPR Workshops 2017",
        "non-commercial research, on request",
        "https://ibug.doc.ic.ac.uk/resources/agedb/",
    ),
    groupings=("gender",),
    has=frozenset({"identity", "demographics"}),
)
_SPELLING = Spelling({"gender": {"f": "Female", "m": "Male"}})


class AgeDB:
    """Photos of known people over their whole lives, with name, gender and age (16,488 photos of 568 people).

    Each photo is called ``{number}_{name}_{age}_{m or f}.jpg``, such as ``0_MariaCallas_35_f.jpg``; all lie in one
    folder. Folders below it are looked into, too.

    Attributes of a photo: ``gender`` (Female, Male), ``age`` (years) and ``age_group``. The age group is no
    grouping by itself, because one person stands in several; ``fairness.groupings`` may name it.

    Source: Moschoglou et al., CVPRW 2017; names as public programs that read the files describe them.

    Args:
        root: the folder.
        age_bounds: ages in years at which the next age group begins, rising; empty leaves ``age_group`` out.
        limit: keep all photos of this many people, one woman and one man in turn.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    meta = _META

    def __init__(self, *, root: str, age_bounds: Sequence[int] = DECADES, limit: int | None = None) -> None:
        if not root:
            raise ValueError("root must not be empty")
        check_count("limit", limit)
        self._root = Path(root)
        self._bounds = check_bounds(age_bounds)
        self._limit = limit

    @property
    def root(self) -> Path:
        """Folder that holds every photo."""
        return self._root

    def entries(self) -> Iterator[Entry]:
        """Every photo, sorted folder by folder.

        Raises:
            DataError: when there is none, or the name of one is not of the published form; names file, rule and
                value.
        """
        tree = Tree(self._root, self.meta.name)
        found = [self._read_name(path) for path in tree.pictures()]
        if not found:
            raise DataError(
                f"AgeDB: expected photos as 0_MariaCallas_35_f.jpg in {str(self._root)!r}, found {tree.contents()}"
            )
        return iter(first_identities(found, self._limit, self.meta.groupings))

    def pairs(self) -> list[Pair]:
        """None: the photos come without a list of comparisons."""
        return []

    def _read_name(self, path: str) -> Entry:
        where = f"AgeDB: {path!r}"
        match PurePosixPath(path).stem.split("_"):
            case [number, *name, age, gender] if number.isdigit() and any(name):
                described = describe_age(read_age(age, where), self._bounds)
                known = {"gender": _SPELLING.write("gender", gender, where), **described}
                return Entry(path, "_".join(name), attributes=known)
        raise DataError(f"{where}: expected a name as number_person_age_gender, such as 0_MariaCallas_35_f.jpg")
