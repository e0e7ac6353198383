"""VISPR: photos of everyday life with 68 privacy attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from unveil.core.errors import DataError
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.types import Failure, Pair
from unveil.datasets.scene_labels import check_labels
from unveil.datasets.selection import check_count, first_of_each_split
from unveil.datasets.tree import Tree
from unveil.datasets.vispr_attributes import ATTRIBUTES, BASELINE
from unveil.images import read_bytes

SPLITS: Mapping[str, str] = {"train2017": "train", "val2017": "validation", "test2017": "test"}
"""Folder of a split -> its name here."""

_SOURCE = Source(
    "Orekondy, Schiele, Fritz: Towards a Visual Privacy Advisor: Understanding and Predicting Privacy Risks in "
    "Images, ICCV 2017",
    "research; the photos under the terms of their owners at Flickr",
    "https://tribhuvanesh.github.io/vpa/",
)


class Vispr:
    """Photos of everyday life with 68 privacy attributes (22,167 pictures), or with 7 of them.

    Expected below the root: ``annotations/{train,val,test}2017/<id>.json`` as published, and the pictures in
    ``images/{train,val,test}2017/<id>.jpg`` or ``{train,val,test}2017/<id>.jpg``.

    Args:
        root: the folder.
        labels: ``all`` 68 attributes by their ids, or those of the ``baseline`` (skin color, gender, partial
            face, complete face, partial nudity, personal and social relationship).
        limit: keep the first so many pictures of each split.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    def __init__(self, *, root: str, labels: Literal["all", "baseline"] = "all", limit: int | None = None) -> None:
        if not root:
            raise ValueError("root must not be empty")
        if labels not in ("all", "baseline"):
            raise ValueError(f"labels must be all or baseline, not {labels!r}")
        check_count("limit", limit)
        self._root = Path(root)
        self._names = dict(BASELINE) if labels == "baseline" else {name: name for name in ATTRIBUTES}
        self._limit = limit

    @property
    def meta(self) -> DatasetMeta:
        """Terms, and the labels that the parameters choose."""
        return DatasetMeta("VISPR", 1, _SOURCE, (), frozenset({"labels", "splits"}), tuple(self._names.values()))

    @property
    def root(self) -> Path:
        """Folder that holds every picture."""
        return self._root

    def entries(self) -> Iterator[Entry]:
        """Every picture, split by split, sorted by id.

        Raises:
            DataError: when a folder or a picture is missing, or an annotation is not of the published form.
        """
        return iter(self._entries)

    def pairs(self) -> list[Pair]:
        """None: pictures are not compared."""
        return []

    @cached_property
    def _entries(self) -> list[Entry]:
        tree = Tree(self._root, "VISPR")
        found = [
            Entry(
                path,
                split=SPLITS[split],
                labels=frozenset(self._names[name] for name in attributes if name in self._names),
            )
            for split, path, attributes in _pictures(tree)
        ]
        return first_of_each_split(found, self._limit, ())


def _pictures(tree: Tree) -> Iterator[tuple[str, str, frozenset[str]]]:
    above = "images/" if (tree.root / "images").is_dir() else ""
    annotations = read_annotations(tree.root)
    for split in SPLITS:
        ids = {name: shown for (of, name), shown in annotations.items() if of == split}
        paths = {name: f"{above}{split}/{name}.jpg" for name in ids}
        absent = [path for path in paths.values() if not tree.locate(path, "VISPR").is_file()]
        if absent:
            raise DataError(
                f"VISPR: {len(absent)} of {len(ids)} pictures of {split} are not in {str(tree.root)!r}: "
                f"{absent[0]!r} first; found {tree.contents()}"
            )
        for name in sorted(ids):
            yield split, paths[name], ids[name]


def read_annotations(root: Path) -> dict[tuple[str, str], frozenset[str]]:
    """(folder of the split, picture's id) -> attributes, of all three splits.

    Args:
        root: folder that holds ``annotations``.

    Raises:
        DataError: when a split is missing or an annotation is not of the published form; names the file.
    """
    tree = Tree(root, "VISPR")
    found = {}
    for split in SPLITS:
        folder = tree.root / "annotations" / split
        files = sorted(folder.glob("*.json")) if folder.is_dir() else []
        if not files:
            raise DataError(
                f"VISPR: expected annotations/{split}/<id>.json in {str(root)!r}, found {tree.contents()}"
            )
        for file in files:
            where = f"annotations/{split}/{file.name}"
            found[split, file.stem] = _attributes(tree.locate(where, "VISPR"), where)
    return found


def _attributes(file: Path, where: str) -> frozenset[str]:
    data = read_bytes(file)
    if isinstance(data, Failure):
        raise DataError(f"{where}: {data.detail}")
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON: {error}") from error
    labels = record.get("labels") if isinstance(record, dict) else None
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise DataError(f"{where}: expected a record with a list 'labels', found {record!r:.60}")
    if record.get("id") != file.stem:
        raise DataError(f"{where}: is about the picture {record.get('id')!r:.40}")
    return check_labels(labels, ATTRIBUTES, where)
