"""What people who looked at pictures decided about them: in a CSV, or in the file of the tool tkteach."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from unveil.core.errors import DataError
from unveil.datasets.labels import open_labels
from unveil.datasets.scene_labels import check_labels

DROP = "drop"
_NOTHING = "nothing"
_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_KEY = re.compile(r"^\(.\)\s*")  # tkteach: "(C) Casual clothing" is chosen by the key C


@dataclass(frozen=True, slots=True)
class Sheet:
    """Decisions about pictures.

    Attributes:
        name: of the file.
        decided: picture's id -> label -> whether the picture shows it. A label that is not there was not looked
            at.
        dropped: ids of pictures that are to be left out.
    """

    name: str
    decided: Mapping[str, Mapping[str, bool]]
    dropped: frozenset[str]


def read_sheet(file: Path, names: Sequence[str]) -> Sheet:
    """Read decisions.

    A CSV has a column ``file`` or ``path`` (a picture's id, with or without folder and ending), one column per
    label that was looked at with 1, 0 or nothing (not looked at), and perhaps a column ``drop`` with 1 where the
    picture is to be left out.

    A file of tkteach (``.db``, ``.sqlite``) has pictures and categories; categories are labels, ``drop`` or
    ``nothing``, perhaps after a key in parentheses. A picture with a category was looked at for all categories;
    one without any is taken for not seen yet, because the tool lists pictures as soon as it opens a folder.

    Args:
        file: CSV or SQLite file.
        names: the labels that there are.

    Raises:
        DataError: when the file is not of this form; names line or category, and value.
    """
    return _from_tkteach(file, names) if file.suffix.lower() in _SUFFIXES else _from_csv(file, names)


def _from_csv(file: Path, names: Sequence[str]) -> Sheet:
    labels = open_labels(file)
    if not labels.lists_pictures:
        raise DataError(f"{file.name} line 1: expected a column 'file' or 'path', one row per picture")
    columns = [column for column in labels.columns if column not in (labels.key, DROP)]
    check_labels(columns, names, f"{file.name} line 1")
    decided, dropped = {}, set()
    for where, row in labels.rows():
        picture = PurePosixPath(row[labels.key]).stem
        if strange := [value for key, value in row.items() if key != labels.key and value not in ("", "0", "1")]:
            raise DataError(f"{where}: expected 1, 0 or nothing, found {strange[0]!r:.40}")
        if picture in decided:
            raise DataError(f"{where}: the picture {picture!r} stands twice")
        decided[picture] = {column: row[column] == "1" for column in columns if row[column]}
        if row.get(DROP) == "1":
            dropped.add(picture)
    return Sheet(file.name, decided, frozenset(dropped))


def _from_tkteach(file: Path, names: Sequence[str]) -> Sheet:
    if not file.is_file():
        raise DataError(f"annotations {str(file)!r}: no such file")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
            categories = dict(database.execute("SELECT id, categoryName FROM categories").fetchall())
            rows = database.execute(
                "SELECT imagePath, category_id FROM labels JOIN images ON images.id = labels.image_id"
            ).fetchall()
    except sqlite3.Error as error:
        raise DataError(f"{file.name}: not a file of tkteach: {error}") from error
    meanings = {number: _KEY.sub("", str(name)).strip().lower() for number, name in categories.items()}
    offered = [meaning for meaning in meanings.values() if meaning not in (DROP, _NOTHING)]
    check_labels(offered, names, f"{file.name}: categories")
    chosen: dict[str, tuple[str, set[str]]] = {}
    for path, category in rows:
        if category not in meanings:
            raise DataError(f"{file.name}: the picture {path!r:.60} has the unknown category {category!r}")
        picture = PurePosixPath(str(path).replace("\\", "/")).stem  # the tool writes paths as its system does
        first, meant = chosen.setdefault(picture, (path, set()))
        if first != path:
            raise DataError(f"{file.name}: the picture {picture!r} stands twice: {first!r:.60} and {path!r:.60}")
        meant.add(meanings[category])
    return Sheet(
        file.name,
        {picture: {label: label in meant for label in offered} for picture, (_, meant) in chosen.items()},
        frozenset(picture for picture, (_, meant) in chosen.items() if DROP in meant),
    )
