"""Lists of prescribed pairs in the format of LFW's ``pairs.txt``, which RFW uses too.

``name n1 n2`` is a mated pair, ``name1 n1 name2 n2`` a non-mated one. LFW's first line says how many folds
there are and how many mated (and as many non-mated) pairs each has; RFW has no such line.

Source: Huang, Ramesh, Berg, Learned-Miller: Labeled Faces in the Wild, UMass Amherst TR 07-49, 2007.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unveil.core.errors import DataError
from unveil.core.types import Pair


def read_pairs(file: Path, find: Callable[[str, int], str | None], *, fold_size: int | None = None) -> list[Pair]:
    """The pairs of one list.

    Args:
        file: the list.
        find: (name of a person, number of the photo) -> sample id, or None when there is no such photo.
        fold_size: pairs per fold of a list without first line.

    Raises:
        DataError: when the file is missing or malformed, names an absent photo, or pairs a photo with itself;
            names the line.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"pairs {str(file)!r}: {error}") from error
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if fold_size is None:
        fold_size = _fold_size(file, lines)
        del lines[0]
    pairs = []
    for index, (number, line) in enumerate(lines):
        where = f"{file.name} line {number}"
        left, right, mated = _read_line(line, where)
        ids = [find(*photo) for photo in (left, right)]
        for (name, photo), found in zip((left, right), ids, strict=True):
            if found is None:
                raise DataError(f"{where}: photo {photo} of {name!r} is not in the dataset")
        if ids[0] == ids[1]:
            raise DataError(f"{where}: pairs photo {left[1]} of {left[0]!r} with itself")
        pairs.append(Pair(str(ids[0]), str(ids[1]), mated, index // fold_size))
    return pairs


def _read_line(line: str, where: str) -> tuple[tuple[str, int], tuple[str, int], bool]:
    fields = line.strip().split("\t") if "\t" in line else line.split()
    try:
        if len(fields) == 3:
            name, first, second = fields
            return (name, int(first)), (name, int(second)), True
        if len(fields) == 4:
            left, first, right, second = fields
            return (left, int(first)), (right, int(second)), left == right
    except ValueError:
        pass  # a photo that is not a number: said below
    raise DataError(f"{where}: expected 'name n1 n2' or 'name1 n1 name2 n2', found {line.strip()!r}")


def _fold_size(file: Path, lines: list[tuple[int, str]]) -> int:
    header = lines[0][1].split() if lines else []
    if not (1 <= len(header) <= 2 and all(field.isdigit() for field in header)):
        found = lines[0][1].strip() if lines else "nothing"
        raise DataError(f"{file.name} line 1: expected '10 300' (folds, mated pairs per fold), found {found!r}")
    folds, mated = (1, int(header[0])) if len(header) == 1 else (int(header[0]), int(header[1]))
    if len(lines) - 1 != folds * 2 * mated or not mated:
        raise DataError(
            f"{file.name} line 1: {folds} folds of {mated} mated and {mated} non-mated pairs make "
            f"{folds * 2 * mated} lines, found {len(lines) - 1}"
        )
    return 2 * mated
