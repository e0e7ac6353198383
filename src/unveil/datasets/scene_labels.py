"""Privacy attributes of pictures in a CSV: a column ``labels`` with names between bars."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import PurePosixPath

from unveil.core.errors import DataError
from unveil.datasets.labels import Labels

COLUMN = "labels"


def read_scene_labels(labels: Labels, names: Sequence[str]) -> dict[str, frozenset[str]]:
    """Picture -> attributes that it shows; an empty value means: none of them.

    Args:
        labels: a CSV with one row per picture and the column ``labels``.
        names: the attributes that there are.

    Raises:
        DataError: for another name; says line, value and near names.
    """
    found = {}
    for where, row in labels.rows():
        shown = [name.strip() for name in row[COLUMN].split("|")] if row[COLUMN] else []
        found[PurePosixPath(row[labels.key]).as_posix()] = check_labels(shown, names, where)
    return found


def check_labels(shown: Sequence[str], names: Sequence[str], where: str) -> frozenset[str]:
    """The attributes of one picture.

    Raises:
        DataError: when one is not among ``names``.
    """
    for name in shown:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1) or [", ".join(names)]
            raise DataError(f"{where}: the label {name!r} is not known; did you mean {near[0]}?")
    return frozenset(shown)
