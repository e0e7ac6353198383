"""The JSON of COCO annotations: which pictures there are, and what is written about each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from unveil.core.errors import DataError
from unveil.core.fingerprint import bytes_hash
from unveil.core.scenes import KEYPOINTS, PERSON

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """What the JSON says about one picture.

    Attributes:
        name: path relative to the folder of pictures.
        width, height: in pixels, as annotated.
        records: its annotations in the order of the file, without regions of crowds.
    """

    name: str
    width: int
    height: int
    records: list[Record] = field(default_factory=list)

    def hash(self, categories: Mapping[int, str]) -> str:
        """Identity of all that is written about the picture."""
        named = [(category_of(record, categories), record) for record in self.records]
        text = json.dumps([self.width, self.height, named], sort_keys=True, separators=(",", ":"))
        return bytes_hash(text.encode())[:32]


@dataclass(frozen=True, slots=True)
class Annotations:
    """A file of annotations.

    Attributes:
        file: its name, for messages.
        categories: id -> name.
        pictures: name -> picture.
        has_masks: whether a person has a segmentation.
        has_keypoints: whether a person has keypoints of which one is known.
    """

    file: str
    categories: Mapping[int, str]
    pictures: Mapping[str, Picture]
    has_masks: bool
    has_keypoints: bool


def read_annotations(instances: Path, keypoints: Path | None = None) -> Annotations:
    """Read annotations of objects and, if they stand apart, of keypoints.

    Regions of crowds (``iscrowd``: 1) are left out: they are no single objects. The records of the keypoints'
    file belong to those of the other by ``id``.

    Raises:
        DataError: when a file is not of this form, an annotation belongs to no picture, or keypoints belong to
            no object; names file, rule and value. What is wrong with the annotation of one picture alone is
            said when that picture is asked for.
    """
    data = _load(instances)
    where = instances.name
    categories = _categories(data, where)
    pictures = _pictures(data, where)
    objects: dict[int, Record] = {}
    for record in _list(data, "annotations", where):
        image = _number(record, "image_id", f"{where}: annotation {record.get('id')!r}")
        if image not in pictures:
            raise DataError(f"{where}: annotation {record.get('id')!r} belongs to the unknown image {image}")
        identifier = _number(record, "id", f"{where}: annotation of image {image}")
        if identifier in objects:
            raise DataError(f"{where}: annotation id {identifier} stands twice")
        objects[identifier] = record
        if not record.get("iscrowd"):
            pictures[image].records.append(record)
    if keypoints is not None:
        _add_keypoints(objects, keypoints)
    people = [r for p in pictures.values() for r in p.records if category_of(r, categories) == PERSON]
    return Annotations(
        where,
        categories,
        {picture.name: picture for picture in pictures.values()},
        has_masks=any(record.get("segmentation") for record in people),
        has_keypoints=any(any(_visibilities(record)) for record in people),
    )


def category_of(record: Record, categories: Mapping[int, str]) -> str | None:
    """Name of what a record annotates; None when the file has no such category."""
    category = record.get("category_id")
    return categories.get(category) if type(category) is int else None


def _categories(data: Record, where: str) -> dict[int, str]:
    categories = {}
    for category in _list(data, "categories", where):
        points = category.get("keypoints")
        if points and [str(point).replace("_", " ") for point in points] != list(KEYPOINTS):
            raise DataError(f"{where}: keypoints of {category.get('name')!r} are not COCO's 17: {points!r:.60}")
        categories[_number(category, "id", f"{where}: category")] = str(category.get("name", ""))
    return categories


def _pictures(data: Record, where: str) -> dict[int, Picture]:
    pictures: dict[int, Picture] = {}
    names: set[str] = set()
    for image in _list(data, "images", where):
        identifier = _number(image, "id", f"{where}: image {image.get('file_name')!r}")
        of = f"{where}: image {identifier}"
        name = image.get("file_name")
        if not isinstance(name, str) or not name:
            raise DataError(f"{of}: file_name must be a text, not {name!r:.40}")
        if identifier in pictures or name in names:
            raise DataError(f"{of}: the id or the file_name {name!r} stands twice")
        width, height = (_number(image, key, of, least=1) for key in ("width", "height"))
        pictures[identifier] = Picture(name, width, height)
        names.add(name)
    return pictures


def _add_keypoints(objects: dict[int, Record], file: Path) -> None:
    data = _load(file)
    _categories(data, file.name)
    for record in _list(data, "annotations", file.name):
        identifier = record.get("id")
        known = objects.get(identifier) if isinstance(identifier, int) else None
        if known is None or known["image_id"] != record.get("image_id"):
            raise DataError(
                f"{file.name}: annotation {identifier!r:.40} of image {record.get('image_id')!r:.40} has no "
                "partner with the same id among the objects"
            )
        if "keypoints" in record:
            known["keypoints"] = record["keypoints"]


def _visibilities(record: Record) -> list[Any]:
    points = record.get("keypoints")
    return points[2::3] if isinstance(points, list) else []


def _load(file: Path) -> Record:
    try:
        data = json.loads(file.read_bytes(), parse_constant=_refuse)
    except OSError as error:
        raise DataError(f"annotations {str(file)!r}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file.name}: not JSON: {error}") from error
    if not isinstance(data, dict):
        raise DataError(f"{file.name}: expected images, annotations and categories, found {type(data).__name__}")
    return data


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


def _list(data: Record, key: str, where: str) -> list[Record]:
    found = data.get(key)
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        has = ", ".join(data)[:80] or "nothing"
        raise DataError(f"{where}: {key!r} must be a list of records, the file has {has}")
    return found


def _number(record: Record, key: str, where: str, least: int = 0) -> int:
    value = record.get(key)
    if type(value) is not int or value < least:
        raise DataError(f"{where}: {key} must be a whole number from {least}, not {value!r:.40}")
    return value
