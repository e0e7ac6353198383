"""A CSV that says what is known about pictures or people."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unveil.core.errors import DataError

_PICTURE_KEYS = ("path", "file")


@dataclass(frozen=True, slots=True)
class Labels:
    """The header of a labels file; the rows are read anew at each use.

    Attributes:
        file: the CSV: UTF-8 (with or without byte order mark), comma separated, first line = column names.
        columns: its columns.
        key: the column that names pictures (``path`` or ``file``), else ``identity``: one row per person.
    """

    file: Path
    columns: tuple[str, ...]
    key: str

    @property
    def lists_pictures(self) -> bool:
        """Whether a row stands for a picture, not for a person."""
        return self.key in _PICTURE_KEYS

    @property
    def attributes(self) -> tuple[str, ...]:
        """Columns that describe: all but the key, ``identity`` and ``split``."""
        return tuple(c for c in self.columns if c not in (self.key, "identity", "split"))

    def rows(self) -> Iterator[tuple[str, dict[str, str]]]:
        """``file line n`` and column -> value of each row; the key as it stands, other values stripped.

        Raises:
            DataError: for a row of the wrong length, or one that repeats the key of another.
        """
        seen: dict[str, int] = {}
        records = _records(self.file)
        next(records)  # the header
        for line, fields in records:
            where = f"{self.file.name} line {line}"
            if not fields:
                continue
            if len(fields) != len(self.columns):
                raise DataError(f"{where}: {len(fields)} fields, the header has {len(self.columns)}")
            row = dict(zip(self.columns, (field.strip() for field in fields), strict=True))
            key = row[self.key] = fields[self.columns.index(self.key)]
            if (first := seen.setdefault(key, line)) != line:
                raise DataError(f"{where}: {self.key} {key!r} stands already in line {first}")
            yield where, row


def open_labels(file: Path) -> Labels:
    """Read the header of a labels file.

    Raises:
        DataError: when the file cannot be read, or its header has no usable key; says what it has.
    """
    _, header = next(_records(file), (0, []))
    columns = tuple(column.strip() for column in header)
    if not columns:
        raise DataError(f"{file}: the file is empty; expected a header such as path,identity,gender,race")
    for column in columns:
        if not column or columns.count(column) > 1:
            raise DataError(
                f"{file.name} line 1: column {column!r} is nameless or stands twice: {', '.join(columns)}"
            )
    for key in (*_PICTURE_KEYS, "identity"):
        if key in columns:
            return Labels(file, columns, key)
    raise DataError(
        f"{file.name} line 1: expected a column 'path' or 'file' (one row per picture) or 'identity' (one row "
        f"per person), found: {', '.join(columns)}{_hint(columns)}"
    )


def _hint(columns: tuple[str, ...]) -> str:
    if len(columns) == 1 and (mark := next((m for m in ";\t|" if m in columns[0]), "")):
        return f"; separate the columns by commas, not by {mark!r}"
    near = [c for c in columns if difflib.get_close_matches(c.lower(), (*_PICTURE_KEYS, "identity"), n=1)]
    return f"; rename {near[0]!r}?" if near else ""


def _records(file: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            for fields in reader:
                yield reader.line_num, fields
    except OSError as error:
        raise DataError(f"labels {str(file)!r}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file.name}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except csv.Error as error:
        raise DataError(f"{file.name} line {reader.line_num}: {error}") from error
