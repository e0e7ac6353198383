"""AffectNet: faces from the web with expression, valence and arousal, in both published layouts."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from tokenize import TokenError
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.core.errors import DataError
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.types import Failure, Pair
from unveil.datasets.selection import check_count, first_identities
from unveil.datasets.splits import choose_splits
from unveil.datasets.tree import Tree
from unveil.images import read_bytes

EXPRESSIONS = ("neutral", "happy", "sad", "surprise", "fear", "disgust", "angry", "contempt")
"""Words of the codes 0 to 7. They are those that estimators of emotions use; none of them knows contempt."""

NO_EXPRESSION = ("none", "uncertain", "non-face")
"""Words of the codes 8 to 10: none of the eight, annotator not sure, not a face."""

_WORDS = (*EXPRESSIONS, *NO_EXPRESSION)
_SPLITS = {"train": ("train_set", "training.csv"), "validation": ("val_set", "validation.csv")}
_IMAGES = "Manually_Annotated_Images"
_ARCHIVES = ("", "Manually_Annotated/", "Manually_Annotated_compressed/")
_LIST_FOLDERS = ("", "Manually_Annotated_file_lists/", "Manually_Annotated/")
_KEY = "subDirectory_filePath"
_BOX = ("face_x", "face_y", "face_width", "face_height")
_COLUMNS = (_KEY, *_BOX, "facial_landmarks", "expression", "valence", "arousal")
_MEASURES = {"valence": "val", "arousal": "aro"}
_BROKEN = (ValueError, TypeError, SyntaxError, TokenError, MemoryError)  # what heads of arrays lead numpy to
_NOT_SAID = -2.0  # valence and arousal of a picture without face, or of which the annotator was not sure

_META = DatasetMeta(
    name="AffectNet",
    version=1,
    source=Source(
        "Mollahosseini, Hasani, Mahoor: AffectNet: A Database for Facial Expression, Valence, and Arousal "
        "Computing in the Wild, IEEE Transactions on Affective Computing 10(1), 2019 (online 2017)",
        "non-commercial research, on request",
        "http://mohammadmahoor.com/affectnet/",
    ),
    groupings=("expression",),
    has=frozenset({"demographics"}),
)


class AffectNet:
    """Faces from the web with expression, valence and arousal as people judged them.

    Expected below the root, one of two layouts:

    * the whole dataset: ``Manually_Annotated_Images/<folder>/<file>`` (or in ``Manually_Annotated``), and
      ``training.csv`` and ``validation.csv`` beside it or in ``Manually_Annotated_file_lists``, with the columns
      subDirectory_filePath, face_x, face_y, face_width, face_height, facial_landmarks, expression, valence and
      arousal. The first line may name them or not: copies of ``validation.csv`` differ. Pictures that a network
      annotated are not read;
    * the reduced distribution of March 2021: ``train_set`` and ``val_set``, each with ``images/<id>.jpg`` and
      ``annotations/<id>_exp.npy``, ``<id>_val.npy`` and ``<id>_aro.npy``. Nothing is unpickled.

    Attributes of a picture: ``expression``, ``valence`` (-1 negative to 1 positive) and ``arousal`` (-1 calm to 1
    excited). Who is shown is not known, nor gender, race or age: groups are expressions.

    Source: Mollahosseini et al., 2017; layouts, codes and -2 for "not known" as public programs
    that read the files describe them.

    Args:
        root: the folder.
        split: pictures to read: ``validation``, ``train`` or ``all``.
        expressions: pictures with another expression are left out. Default: the eight of :data:`EXPRESSIONS`;
            :data:`NO_EXPRESSION` may be named, too.
        limit: keep this many pictures, taken in turn from each expression.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    meta = _META

    def __init__(
        self,
        *,
        root: str,
        split: Literal["train", "validation", "all"] = "validation",
        expressions: Sequence[str] = EXPRESSIONS,
        limit: int | None = None,
    ) -> None:
        if not root:
            raise ValueError("root must not be empty")
        if isinstance(expressions, str) or not expressions or (set(expressions) - {*_WORDS}):
            raise ValueError(f"expressions must be some of {', '.join(_WORDS)}, not {expressions!r}")
        check_count("limit", limit)
        self._root = Path(root)
        self._splits = choose_splits(split, _SPLITS)
        self._expressions = frozenset(expressions)
        self._limit = limit

    @property
    def root(self) -> Path:
        """Folder that holds every picture."""
        return self._root

    def entries(self) -> Iterator[Entry]:
        """Every picture with one of the expressions: in the order of the lists, or sorted by name.

        Raises:
            DataError: when the folder has neither layout, an annotation or a picture to be kept is missing, or an
                annotation is not of the published form; names file, rule and value.
        """
        tree = Tree(self._root, self.meta.name)
        found: list[Entry] = []
        for split in self._splits:
            everything = list(_read_split(tree, split))
            kept = [entry for entry in everything if entry.attributes["expression"] in self._expressions]
            if not kept:
                shown = Counter(entry.attributes["expression"] for entry in everything)
                raise DataError(
                    f"AffectNet: no picture of {split} is {' or '.join(sorted(self._expressions))}; found "
                    f"{', '.join(f'{n} {word}' for word, n in sorted(shown.items())) or 'none'}"
                )
            _check_presence(tree, kept)
            found += kept
        return iter(first_identities(found, self._limit, self.meta.groupings))

    def pairs(self) -> list[Pair]:
        """None: who is shown is not known."""
        return []


def _read_split(tree: Tree, split: str) -> Iterator[Entry]:
    """Every annotated picture of a split, whether it is there or not."""
    folder, name = _SPLITS[split]
    if (tree.root / folder).is_dir():
        return _from_arrays(tree, folder, split)
    images = next((a + _IMAGES for a in _ARCHIVES if (tree.root / a / _IMAGES).is_dir()), None)
    listed = next((f + name for f in _LIST_FOLDERS if (tree.root / f / name).is_file()), None)
    if images is None or listed is None:
        expected = f"{name} with {_IMAGES}, or {folder}"
        raise DataError(f"AffectNet: expected {expected}, in {str(tree.root)!r}, found {tree.contents()}")
    return _from_list(tree, listed, images, split)


def _check_presence(tree: Tree, entries: Sequence[Entry]) -> None:
    absent = [entry.path for entry in entries if not (tree.root / entry.path).is_file()]
    if absent:
        raise DataError(
            f"AffectNet: {len(absent)} of {len(entries)} pictures of {entries[0].split} are not in "
            f"{str(tree.root)!r}: {absent[0]!r} first"
        )


def _describe(expression: str, measures: Mapping[str, str], where: str) -> dict[str, str]:
    """Attributes out of published numbers; valence and arousal may be ``""``."""
    code = _number(expression, "expression", where)
    if code not in range(len(_WORDS)):
        raise DataError(
            f"{where}: expression {expression!r:.40} is not a whole number from 0 to {len(_WORDS) - 1}"
        )
    known = {"expression": _WORDS[int(code)]}
    for name, text in measures.items():
        value = _number(text, name, where) if text else _NOT_SAID
        if value == _NOT_SAID:
            continue
        if not -1 <= value <= 1:
            raise DataError(f"{where}: {name} must be from -1 to 1, or -2 where it is not known, not {text!r:.40}")
        known[name] = str(value)
    return known


def _number(text: str, name: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{where}: {name} must be a number, not {text!r:.40}") from None


# --- the whole dataset: lists ---


def _from_list(tree: Tree, listed: str, images: str, split: str) -> Iterator[Entry]:
    seen: dict[str, str] = {}
    for where, row in _rows(tree.locate(listed, "AffectNet")):
        path = str(PurePosixPath(images) / row[_KEY])
        tree.locate(path if row[_KEY] else "", where)
        known = _describe(row["expression"], {name: row.get(name, "") for name in _MEASURES}, where)
        expression = known["expression"]
        if path not in seen:
            yield Entry(path, split=split, attributes=known)
        elif seen[path] != expression:
            raise DataError(f"{where}: {row[_KEY]!r} is {expression} here and {seen[path]} above")
        seen[path] = expression


def _rows(file: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """``file line n`` and column -> value."""
    columns: Sequence[str] = _COLUMNS
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            for fields in filter(None, reader):
                where = f"{file.name} line {reader.line_num}"
                if reader.line_num == 1 and _KEY in fields:
                    columns = fields
                    if "expression" not in columns:
                        raise DataError(f"{where}: expected a column 'expression', found {', '.join(columns)}")
                elif len(fields) != len(columns):
                    raise DataError(f"{where}: expected {', '.join(columns)}, found {len(fields)} fields")
                else:
                    yield where, {name: text.strip() for name, text in zip(columns, fields, strict=True)}
    except OSError as error:
        raise DataError(f"{file.name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file.name}: byte {error.start} is not UTF-8") from error
    except csv.Error as error:
        raise DataError(f"{file.name} line {reader.line_num}: {error}") from error


# --- the reduced distribution: arrays with one value ---


def _from_arrays(tree: Tree, folder: str, split: str) -> Iterator[Entry]:
    pictures = {PurePosixPath(path).stem: path for path in tree.pictures(f"{folder}/images")}
    annotations = tree.root / folder / "annotations"
    described = {file.name.removesuffix("_exp.npy") for file in annotations.glob("*_exp.npy")}
    for missing, what in ((pictures.keys() - described, "annotation"), (described - pictures.keys(), "picture")):
        if missing:
            raise DataError(f"AffectNet: {len(missing)} of {folder} have no {what}: {min(missing)!r} first")
    for name, path in pictures.items():
        stem = f"{folder}/annotations/{name}"
        measures = {measure: _read_value(tree, f"{stem}_{ending}.npy") for measure, ending in _MEASURES.items()}
        expression = _read_value(tree, f"{stem}_exp.npy")
        yield Entry(path, split=split, attributes=_describe(expression, measures, f"{stem}_*.npy"))


def _read_value(tree: Tree, path: str) -> str:
    """The only value of an array, as text: the published ones hold text, others numbers."""
    data = read_bytes(tree.locate(path, "AffectNet"))
    if isinstance(data, Failure):
        raise DataError(f"AffectNet: {path!r}: {data.detail}")
    try:
        array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        values = _texts(array)
    except _BROKEN as error:
        raise DataError(f"AffectNet: {path!r}: not an array of numbers or text in the format npy") from error
    if len(values) != 1:
        raise DataError(f"AffectNet: {path!r}: expected one value, found {len(values)}")
    return values[0]


def _texts(array: NDArray[Any]) -> list[str]:
    if array.dtype.kind in "iuf":
        return [str(value) for value in array.ravel()]
    if array.dtype.kind != "U":
        raise TypeError(array.dtype)
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()  # numpy would trust that they are characters
    size = array.dtype.itemsize
    return [data[at : at + size].decode("utf-32-le").rstrip("\0") for at in range(0, len(data), size)]
