"""Scenes in a folder with annotations as COCO writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from unveil.core.errors import DataError
from unveil.core.protocols import DatasetMeta, Entry, Source
from unveil.core.scenes import LABELS
from unveil.core.types import Detections, Failure, Pair, Reason
from unveil.datasets.coco_annotations import Annotations, Picture, read_annotations
from unveil.datasets.coco_objects import to_detections
from unveil.datasets.folder import Folder
from unveil.datasets.labels import Labels, open_labels
from unveil.datasets.scene_labels import COLUMN, read_scene_labels
from unveil.datasets.selection import check_count, first_of_each_split
from unveil.datasets.tree import Tree
from unveil.images import read_size

_SPLITS = frozenset({"train", "validation", "test"})


class Coco:
    """A folder of scenes and a JSON with the boxes, masks and keypoints of what is in them.

    Without a CSV, the pictures that the JSON lists are the entries; with one, its rows are. Objects have
    COCO's names, also outside of the ten classes by which utility is measured. Regions of crowds (``iscrowd``)
    are left out: the people in them are neither counted nor protected. A person without an outline is masked
    by the whole box, where others have outlines.

    Args:
        root: the folder.
        images: folder of the pictures below the root; ``file_name`` in the JSON is relative to it.
        instances: the JSON below the root: ``images``, ``annotations``, ``categories``.
        keypoints: another JSON below the root with the keypoints of people, matched by the annotations' ``id``.
            Default: those that stand in ``instances``.
        labels: a CSV, relative to the root or absolute: ``file`` (as ``file_name`` in the JSON), perhaps
            ``split``, ``labels`` (privacy attributes with bars between them) and demographics of those shown; see
            :class:`unveil.datasets.folder.Folder`.
        label_names: the attributes that ``labels`` may name, in the order of the tables. Default: the 18 of
            HR-VISPR.
        attributes: columns of the CSV by which people are divided. Default: ``gender`` and ``race`` where it
            has them.
        split: of every picture, where the CSV has no such column.
        limit: keep this many pictures of each split, taken in turn from each group.
        name: of the dataset.
        citation, licence, url: provenance and terms, for the report.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    def __init__(
        self,
        *,
        root: str,
        images: str = "images",
        instances: str = "instances.json",
        keypoints: str | None = None,
        labels: str | None = None,
        label_names: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        split: str = "",
        limit: int | None = None,
        name: str = "coco",
        citation: str = "",
        licence: str = "",
        url: str = "",
    ) -> None:
        if not root or not name:
            raise ValueError(f"root and name must not be empty: root = {root!r}, name = {name!r}")
        if split not in ("", *_SPLITS):
            raise ValueError(f"split must be train, validation, test or empty, not {split!r}")
        if labels is None and (attributes is not None or label_names is not None):
            raise ValueError("attributes and label_names describe a CSV, but labels is not given")
        if label_names is not None and (isinstance(label_names, str) or not label_names):
            raise ValueError(f"label_names must be a list of names, not {label_names!r}")
        check_count("limit", limit)
        self._root = Path(root)
        self._images = PurePosixPath(images)
        self._files = (instances, keypoints)
        self._label_names = label_names
        self._split = split
        self._limit = limit
        self._name = name
        self._source = Source(citation, licence, url)
        self._labels_file = self._rows = None
        if labels is not None:
            self._labels_file = self._root.absolute() / labels
            pictures, file = str(self._root / images), str(self._labels_file)
            self._rows = Folder(root=pictures, labels=file, name=name, attributes=attributes)

    @property
    def root(self) -> Path:
        """Folder that holds every picture."""
        return self._root

    @cached_property
    def meta(self) -> DatasetMeta:
        """What the files have.

        Raises:
            DataError: when a file is missing or not of its form.
        """
        groupings = self._rows.meta.groupings if self._rows is not None else ()
        has = {
            "objects": True,
            "masks": self._annotations.has_masks,
            "keypoints": self._annotations.has_keypoints,
            "labels": bool(self._names),
            "demographics": bool(groupings),
            "identity": self._rows is not None and "identity" in self._rows.meta.has,
            "splits": {entry.split for entry in self._entries} >= _SPLITS,
        }
        found = frozenset(name for name, there in has.items() if there)
        return DatasetMeta(self._name, 1, self._source, groupings, found, self._names)

    def entries(self) -> Iterator[Entry]:
        """Every picture: in the order of the CSV, else sorted by path.

        Raises:
            DataError: when there is none, or a picture is missing, outside of the root, or not in the JSON.
        """
        return iter(self._entries)

    def pairs(self) -> list[Pair]:
        """None: scenes are not compared."""
        return []

    def objects(self, sample_id: str) -> Detections | Failure:
        """Everything annotated in one picture: boxes, names, and masks and keypoints where the files have them.

        Returns:
            Detections with score 1, or a Failure that names what is wrong with the annotation: a box without
            area or outside of the picture, a mask of another size, an unknown category.

        Raises:
            DataError: for a picture that the dataset does not have.
        """
        picture = self._pictures.get(sample_id)
        if picture is None:
            raise DataError(f"{self._annotations.file}: has no picture {sample_id!r}")
        size = read_size(self._tree.locate(sample_id, self._name))
        if isinstance(size, Failure):
            return size
        if size != (picture.width, picture.height):
            return Failure(
                Reason.BAD_ANNOTATION,
                f"{self._annotations.file}: {picture.name}: annotated with {picture.width}x{picture.height} "
                f"pixels, the upright picture has {size[0]}x{size[1]}",
            )
        return to_detections(picture, self._annotations)

    @cached_property
    def _tree(self) -> Tree:
        return Tree(self._root, self._name)

    @cached_property
    def _annotations(self) -> Annotations:
        instances, keypoints = (
            None if file is None else self._tree.locate(file, self._name) for file in self._files
        )
        assert instances is not None, "has a default"
        return read_annotations(instances, keypoints)

    @cached_property
    def _pictures(self) -> Mapping[str, Picture]:
        """Sample id -> what the JSON says."""
        found = self._annotations.pictures.values()
        return {(self._images / picture.name).as_posix(): picture for picture in found}

    @cached_property
    def _labels(self) -> Labels | None:
        """The CSV, where it has privacy attributes."""
        if self._labels_file is None:
            return None
        labels = open_labels(self._labels_file)
        if not labels.lists_pictures:
            raise DataError(f"{labels.file.name} line 1: expected a column 'file' or 'path', one row per picture")
        if COLUMN not in labels.columns and self._label_names is not None:
            raise DataError(f"{labels.file.name} line 1: no column {COLUMN!r}; it has {', '.join(labels.columns)}")
        return labels if COLUMN in labels.columns else None

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(self._label_names or LABELS) if self._labels is not None else ()

    @cached_property
    def _entries(self) -> list[Entry]:
        listed = self._listed() if self._rows is None else self._rows.entries()
        shown = read_scene_labels(self._labels, self._names) if self._labels is not None else {}
        found = []
        for entry in listed:
            path = (self._images / entry.path).as_posix()
            self._tree.locate(path, self._name)
            picture = self._pictures.get(path)
            if picture is None:
                raise DataError(f"{self._name}: {self._annotations.file} does not list the picture {entry.path!r}")
            found.append(
                replace(
                    entry,
                    path=path,
                    split=entry.split or self._split,
                    labels=shown.get(entry.path, frozenset()),
                    annotation=picture.hash(self._annotations.categories),
                )
            )
        groupings = self._rows.meta.groupings if self._rows is not None else ()
        return first_of_each_split(found, self._limit, groupings)

    def _listed(self) -> Iterator[Entry]:
        """What the JSON lists, as the CSV would: relative to the folder of pictures."""
        where = f"{self._name}: {self._annotations.file}"
        if not self._pictures:
            raise DataError(f"{where}: lists no picture")
        for path, picture in sorted(self._pictures.items()):
            if not self._tree.locate(path, where).is_file():
                raise DataError(f"{where}: no file {path!r} in {str(self._root)!r}, found {self._tree.contents()}")
            yield Entry(picture.name)
