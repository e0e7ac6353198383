"""FairFace: faces balanced by race, with gender and range of age."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.types import Pair
from unveil.datasets.folder import Folder
from unveil.datasets.selection import check_count, first_identities
from unveil.datasets.splits import choose_splits

_META = DatasetMeta(
    name="FairFace",
    version=1,
    source=Source(
        "Karkkainen, Joo: FairFace: Face Attribute Dataset for Balanced Race, Gender, and Age for Bias "
        "Measurement and Mitigation, WACV 2021",
        "CC BY 4.0",
        "https://github.com/joojs/fairface",
    ),
    groupings=("gender", "race"),
    has=frozenset({"demographics"}),
)
_LISTS = {"train": "fairface_label_train.csv", "validation": "fairface_label_val.csv"}
_AGES = ("0-2", "3-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "more than 70")
_RACES = {
    **{race: race for race in ("White", "Black", "Indian", "East Asian", "Southeast Asian", "Middle Eastern")},
    "Latino_Hispanic": "Latino Hispanic",
}
_MERGED = _RACES | {"East Asian": "Asian", "Southeast Asian": "Asian"}


class FairFace:
    """Faces balanced by race, with gender, seven races and nine ranges of age (86,744 and 10,954 pictures).

    Expected below the root, as published: ``train/<n>.jpg`` with ``fairface_label_train.csv``, and ``val/<n>.jpg``
    with ``fairface_label_val.csv``. The lists have the columns file, age, gender and race; service_test is not
    needed. Who the people are is not known.

    Attributes of a picture: ``gender``, ``race`` and ``age_range`` as published, such as ``20-29`` or
    ``more than 70``. The exact age is not known, hence there is no attribute ``age``.

    Source: Karkkainen, Joo, WACV 2021; the lists are those in the authors' repository.

    Args:
        root: the folder.
        split: pictures to read: ``validation``, ``train`` or ``all``.
        races: 7 as published, or 6, where East and Southeast Asian are Asian, as the estimators of DeepFace say.
        limit: keep this many pictures, taken in turn from each gender and race.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    meta = _META

    def __init__(
        self,
        *,
        root: str,
        split: Literal["train", "validation", "all"] = "validation",
        races: Literal[6, 7] = 7,
        limit: int | None = None,
    ) -> None:
        if isinstance(races, bool) or races not in (6, 7):
            raise ValueError(f"races must be 6 or 7, not {races!r}")
        check_count("limit", limit)
        values = {
            "age": {age: age for age in _AGES},
            "gender": {"Female": "Female", "Male": "Male"},
            "race": _RACES if races == 7 else _MERGED,
        }
        self._folders = {
            name: Folder(root=root, labels=_LISTS[name], name=_META.name, attributes=tuple(values), values=values)
            for name in choose_splits(split, _LISTS)
        }
        self._root = Path(root)
        self._limit = limit

    @property
    def root(self) -> Path:
        """Folder that holds every picture."""
        return self._root

    def entries(self) -> Iterator[Entry]:
        """Every picture, in the order of the lists.

        Raises:
            DataError: when a list is missing or malformed, names a missing picture or one outside of the root, or
                has a value that is not published; names file, line, rule and value.
        """
        found = [
            replace(entry, split=split, attributes=_rename_age(entry.attributes))
            for split, folder in self._folders.items()
            for entry in folder.entries()
        ]
        return iter(first_identities(found, self._limit, self.meta.groupings))

    def pairs(self) -> list[Pair]:
        """None: who is shown is not known."""
        return []


def _rename_age(attributes: Mapping[str, str]) -> dict[str, str]:
    """The published ``age`` is a range: it must not be taken for a number of years."""
    return {"age_range" if name == "age" else name: value for name, value in attributes.items()}
