"""HR-VISPR: photos of people with 18 privacy attributes, and photos of nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from unveil.core.errors import DataError
from unveil.core.fingerprint import file_hash
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.scenes import CLASSES, LABELS
from unveil.core.types import Detections, Failure, Pair
from unveil.datasets.folder import Folder
from unveil.datasets.labels import open_labels
from unveil.datasets.pickled import read_vectors
from unveil.datasets.scene_labels import COLUMN, read_scene_labels
from unveil.datasets.selection import check_count, first_of_each_split
from unveil.datasets.tree import Tree
from unveil.datasets.vispr import SPLITS
from unveil.datasets.yolo import read_objects
from unveil.images import read_size

_VECTORS = "18_class_pkl_labels_with_safe"
_OBJECTS = "object_detection_utility_labels"
_SOURCE = Source(
    "HR-VISPR, derived from VISPR (Orekondy, Schiele, Fritz: Towards a Visual Privacy Advisor, ICCV 2017)",
    "no licence is stated; the photos under the terms of their owners at Flickr",
    "https://github.com/Sara-Esam/HR-VISPR",
)


class HrVispr:
    """Photos of people with the 18 privacy attributes of HR-VISPR; in training also photos of nobody.

    As published, below the root or below its folder ``vispr_refined_c2``: the pictures
    ``{train,val,test}2017/<id>.jpg`` and ``18_class_pkl_labels_with_safe/{train,val,test}2017_labels.pkl``, a
    dictionary of each picture's vector of 18 zeros and ones in the order of
    :data:`unveil.core.scenes.LABELS`; ``.json`` with the same content is read first. Pickles are read without
    executing them. Safe pictures, which show nobody, are those with zeros only.

    Objects are read from ``object_detection_utility_labels/{train,val,test}_labels/<id>.txt`` where that folder
    is, in YOLO's form. Their class numbers are taken for the ten utility classes in their order, which is also
    the order of COCO; a picture without such a file has no objects.

    Args:
        root: the folder.
        labels: a CSV to read instead of the vectors, as ``unveil dataset derive-hr-vispr`` writes it: ``file``
            (relative to the root), ``split``, ``labels``. Relative to the root or absolute.
        limit: keep the first so many pictures of each split.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    def __init__(self, *, root: str, labels: str | None = None, limit: int | None = None) -> None:
        if not root:
            raise ValueError("root must not be empty")
        check_count("limit", limit)
        self._root = Path(root)
        self._labels = labels
        self._limit = limit

    @property
    def root(self) -> Path:
        """Folder that holds every picture."""
        return self._root

    @property
    def meta(self) -> DatasetMeta:
        """Terms and labels; objects where their folder is."""
        has = {"labels", "splits"} | ({"objects"} if self._objects.is_dir() else set())
        return DatasetMeta("HR-VISPR", 1, _SOURCE, (), frozenset(has), LABELS)

    def entries(self) -> Iterator[Entry]:
        """Every picture, split by split, sorted by id; with ``labels``, in the order of the CSV.

        Raises:
            DataError: when a file or a picture is missing, or a vector has not 18 zeros and ones.
        """
        return iter(self._entries)

    def pairs(self) -> list[Pair]:
        """None: pictures are not compared."""
        return []

    def objects(self, sample_id: str) -> Detections | Failure:
        """Boxes of the ten utility classes in one picture; a Failure for a line that breaks a rule."""
        size = read_size(self._tree.locate(sample_id, "HR-VISPR"))
        return size if isinstance(size, Failure) else read_objects(self._text(sample_id), CLASSES, size)

    @cached_property
    def _tree(self) -> Tree:
        return Tree(self._root, "HR-VISPR")

    @cached_property
    def _above(self) -> str:
        return "vispr_refined_c2/" if (self._root / "vispr_refined_c2").is_dir() else ""

    @cached_property
    def _objects(self) -> Path:
        places = (self._root / _OBJECTS, self._root / f"{self._above}{_OBJECTS}")
        return next((place for place in places if place.is_dir()), places[0])

    def _text(self, sample_id: str) -> Path:
        path = PurePosixPath(sample_id)
        folder = path.parent.name.removesuffix("2017")
        relative = self._objects.relative_to(self._root) / f"{folder}_labels" / f"{path.stem}.txt"
        return self._tree.locate(relative.as_posix(), "HR-VISPR")

    @cached_property
    def _entries(self) -> list[Entry]:
        found = list(self._from_vectors() if self._labels is None else self._from_rows(self._labels))
        if self._objects.is_dir():
            found = [replace(entry, annotation=self._annotation(entry.path)) for entry in found]
        return first_of_each_split(found, self._limit, ())

    def _annotation(self, path: str) -> str:
        text = self._text(path)
        return file_hash(text)[:32] if text.is_file() else ""

    def _from_rows(self, file: str) -> Iterator[Entry]:
        rows = Folder(root=str(self._root), labels=file, name="HR-VISPR", attributes=())
        labels = open_labels(self._root / file)
        if not labels.lists_pictures or not {COLUMN, "split"} <= {*labels.columns}:
            found = ", ".join(labels.columns)
            raise DataError(
                f"{labels.file.name} line 1: expected the columns file, split and labels, found {found}"
            )
        shown = read_scene_labels(labels, LABELS)
        return (replace(entry, labels=shown[entry.path]) for entry in rows.entries())

    def _from_vectors(self) -> Iterator[Entry]:
        for folder, split in SPLITS.items():
            file, vectors = self._vectors(folder)
            paths = {name: f"{self._above}{folder}/{name}.jpg" for name in sorted(vectors)}
            absent = [path for path in paths.values() if not self._tree.locate(path, file).is_file()]
            if absent:
                raise DataError(
                    f"{file}: {len(absent)} of its {len(paths)} pictures are not in {str(self._root)!r}: "
                    f"{absent[0]!r} first"
                )
            for name, path in paths.items():
                yield Entry(path, split=split, labels=_shown(vectors[name], f"{file}: {name}"))

    def _vectors(self, folder: str) -> tuple[str, dict[str, list[float]]]:
        names = [f"{_VECTORS}/{folder}_labels{suffix}" for suffix in (".json", ".pkl")]
        for name in (above + name for above in dict.fromkeys((self._above, "")) for name in names):
            file = self._tree.locate(name, "HR-VISPR")
            if file.is_file():
                return file.name, read_vectors(file) if file.suffix == ".pkl" else _read_json(file)
        raise DataError(
            f"HR-VISPR: expected {names[1]} in {str(self._root)!r}, found {self._tree.contents()}; a CSV is read "
            "with labels: <file>"
        )


def _read_json(file: Path) -> dict[str, list[float]]:
    try:
        data = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file.name}: not JSON: {error}") from error
    if not isinstance(data, dict) or not all(isinstance(vector, list) for vector in data.values()):
        raise DataError(f"{file.name}: expected a record of vectors by the names of pictures")
    return data


def _shown(vector: list[float], where: str) -> frozenset[str]:
    if len(vector) != len(LABELS):
        raise DataError(
            f"{where}: the vector has {len(vector)} numbers, expected {len(LABELS)}: {', '.join(LABELS)}"
        )
    if strange := [value for value in vector if value not in (0, 1)]:
        raise DataError(f"{where}: the vector has zeros and ones only, not {strange[0]!r:.40}")
    return frozenset(label for label, value in zip(LABELS, vector, strict=True) if value)
