"""Objects of a picture in a text file as YOLO writes them: ``class x y width height``, a line per object.

``x`` and ``y`` are the middle of the box; all four are shares of the picture's width and height.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from unveil.core.types import Detections, Failure, Reason
from unveil.datasets.numbers import finite_numbers
from unveil.images import read_bytes


def read_objects(file: Path, classes: Sequence[str], size: tuple[int, int]) -> Detections | Failure:
    """Objects of one picture.

    Args:
        file: the text; without a file there are no objects.
        classes: names by number.
        size: width and height of the picture in pixels.

    Returns:
        Detections with score 1; a Failure with reason ``bad_annotation`` that names file, line, rule and value.
    """
    if not file.exists():
        return Detections(*_columns([]), labels=())
    data = read_bytes(file)
    if isinstance(data, Failure):
        return Failure(Reason.BAD_ANNOTATION, data.detail)
    boxes, labels = [], []
    for number, fields in _lines(data):
        try:
            label, box = _object(fields, classes, size)
        except ValueError as problem:
            return Failure(Reason.BAD_ANNOTATION, f"{file.name} line {number}: {problem}")
        boxes.append(box)
        labels.append(label)
    return Detections(*_columns(boxes), labels=tuple(labels))


def _columns(boxes: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(boxes, np.float32).reshape(-1, 4), np.ones(len(boxes), np.float32)


def _lines(data: bytes) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if fields := line.split():
            yield number, fields


def _object(fields: list[str], classes: Sequence[str], size: tuple[int, int]) -> tuple[str, list[float]]:
    if len(fields) != 5:
        raise ValueError(f"expected class, x, y, width and height, found {len(fields)} fields")
    if not fields[0].isdecimal() or int(fields[0]) >= len(classes):
        raise ValueError(f"the class must be a number from 0 to {len(classes) - 1}, not {fields[0]!r:.40}")
    x, y, width, height = finite_numbers([float(field) for field in fields[1:]], "a box")
    if width <= 0 or height <= 0:
        raise ValueError(f"a box must have an area, not the size {width:g}x{height:g}")
    edges = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    if edges[0] >= 1 or edges[1] >= 1 or edges[2] <= 0 or edges[3] <= 0:
        raise ValueError(f"the box lies outside of the picture: {' '.join(fields[1:])}")
    return classes[int(fields[0])], [edge * side for edge, side in zip(edges, (*size, *size), strict=True)]
