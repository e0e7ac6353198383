"""Draw the regions of the face on MediaPipe's canonical face: ``python tools/draw_face_regions.py TASK PICTURE``.

``TASK`` is the file ``face_landmarker.task``: it carries the canonical face, on which no person is shown.
The picture is looked at, by a person, whenever :mod:`unveil.core.face_regions` changes.
"""

from __future__ import annotations

import argparse
import colorsys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from unveil.core.face_regions import MESH_POINTS, REGIONS
from unveil.core.types import Image

GEOMETRY = "geometry_pipeline_metadata_landmarks.binarypb"
SCALE = 55
"""Pixels per centimetre of the canonical face."""
LEFT, TOP = 8.6, 8.8
"""Of the drawing, in centimetres from the middle of the face."""
SIZE = (1050, 946)

_PLACES = {"Nose Bridge": (0.0, 1.9), "Nose": (-1.35, -1.85), "Nose Tip": (0.0, -0.75)}
"""Where a region is named when not in its middle: the nose lies below its own parts."""


def canonical_face(task: Path) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Points (468, 3) in centimetres, x to the person's left and y up, and triangles (n, 3)."""
    with zipfile.ZipFile(task) as file:
        mesh = dict(_fields(file.read(GEOMETRY)))[1]
    assert isinstance(mesh, bytes)
    numbers = b"".join(value for field, value in _fields(mesh) if field == 3 and isinstance(value, bytes))
    points = np.frombuffer(numbers, "<f4").reshape(-1, 5)[:, :3]
    assert len(points) == MESH_POINTS, f"{task.name}: the canonical face has {len(points)} points"
    corners = [value for field, value in _fields(mesh) if field == 4]
    return points, np.array(corners, np.intp).reshape(-1, 3)


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Fields of a protocol buffer; of each repeated one the canonical face comes first in the metadata."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        if key & 7 == 0:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        size, at = (4, at) if key & 7 == 5 else _varint(message, at)
        yield key >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def draw(points: NDArray[np.float32], triangles: NDArray[np.intp]) -> Image:
    """The mesh in grey, and each region as its hull in a colour, with its name."""
    flat = (np.stack([LEFT + points[:, 0], TOP - points[:, 1]], axis=1) * SCALE).astype(np.int32)
    canvas = np.full((*SIZE, 3), 255, np.uint8)
    for triangle in triangles:
        cv2.polylines(canvas, [flat[triangle]], True, (215, 215, 215), 1, cv2.LINE_AA)
    hulls = {name: cv2.convexHull(flat[list(landmarks)]) for name, landmarks in REGIONS.items()}
    for number, name in enumerate(sorted(hulls, key=lambda name: -cv2.contourArea(hulls[name]))):
        colour = [round(255 * part) for part in colorsys.hsv_to_rgb(number * 0.381 % 1, 0.75, 0.85)]
        filled = cv2.fillConvexPoly(canvas.copy(), hulls[name], colour)
        canvas = cv2.addWeighted(canvas, 0.6, filled, 0.4, 0)
        cv2.polylines(canvas, [hulls[name]], True, colour, 2, cv2.LINE_AA)
    for name, hull in hulls.items():
        x, y = hull[:, 0].mean(axis=0)
        if name in _PLACES:
            x, y = (LEFT + _PLACES[name][0]) * SCALE, (TOP - _PLACES[name][1]) * SCALE
        _write(canvas, name, x, y)
    _write(canvas, "left and right are the person's own", SIZE[1] / 2, SIZE[0] - 15)
    return canvas


def _write(canvas: Image, text: str, x: float, y: float) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.42, 1)
    place = (round(x - width / 2), round(y + height / 2))
    for colour, thickness in (((255, 255, 255), 3), ((0, 0, 0), 1)):
        cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.42, colour, thickness, cv2.LINE_AA)


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", type=Path, help="face_landmarker.task")
    parser.add_argument("picture", type=Path, help="PNG to write, such as docs/images/face-regions.png")
    options = parser.parse_args()
    picture = Pillow.fromarray(draw(*canonical_face(options.task))).quantize(64)
    picture.save(options.picture, optimize=True)


if __name__ == "__main__":
    main()
