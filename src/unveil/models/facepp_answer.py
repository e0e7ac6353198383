"""Reading what Face++ answers: each value is looked at before it is used, a changed one is told by its field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.boxes import overlaps

SAME_FACE = 0.2
"""Least overlap (intersection over union) of two boxes of one face: detectors crop more or less tightly."""

POINTS = ("left_eye_center", "right_eye_center", "nose_tip", "mouth_left_corner", "mouth_right_corner")
"""Names of the five points of :class:`unveil.core.types.Face`, of the 83 that the service knows."""


class Changed(Exception):
    """The answer is not what the service documents: names the field, the rule and the value."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value of an answer, and where it stands.

    Attributes:
        value: as it came.
        path: such as ``faces[0].face_rectangle.left``; ``""`` for the whole answer.
    """

    value: Any
    path: str = ""

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, Mapping) and key in self.value

    def __getitem__(self, key: str) -> Node:
        path = f"{self.path}.{key}".lstrip(".")
        if not isinstance(self.value, Mapping):
            raise self._changed("must be an object")
        if key not in self.value:
            raise Changed(f"the answer of Face++ has no field {path}")
        return Node(self.value[key], path)

    def items(self) -> Iterator[Node]:
        """The elements of a list.

        Raises:
            Changed: when it is none.
        """
        if not isinstance(self.value, list):
            raise self._changed("must be a list")
        return (Node(value, f"{self.path}[{number}]") for number, value in enumerate(self.value))

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        """A finite number in [low, high].

        Raises:
            Changed: when it is none.
        """
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self._changed(f"must be a number in [{low:g}, {high:g}]")
        if not math.isfinite(value):
            raise self._changed("must be a finite number")
        return float(value)

    def word(self, *options: str) -> str:
        """One of the options.

        Raises:
            Changed: when it is none of them.
        """
        if self.value not in options:
            raise self._changed(f"must be {' or '.join(options)}")
        return str(self.value)

    def _changed(self, rule: str) -> Changed:
        return Changed(
            f"field {self.path or 'of all'} of the answer of Face++ {rule}, not {str(self.value)[:60]!r}"
        )


def box_of(face: Node) -> NDArray[np.float32]:
    """Left, top, right, bottom (4,) in pixels of the picture that was sent.

    Raises:
        Changed: when the rectangle is not four numbers, or has no area.
    """
    rectangle = face["face_rectangle"]
    left, top = rectangle["left"].number(), rectangle["top"].number()
    width, height = rectangle["width"].number(1), rectangle["height"].number(1)
    return np.array([left, top, left + width, top + height], np.float32)


def points_of(face: Node) -> NDArray[np.float32] | None:
    """The five points (5, 2) in pixels of the picture that was sent; None where the face was not analysed.

    Raises:
        Changed: when a point is missing.
    """
    if "landmark" not in face:
        return None
    places = [face["landmark"][name] for name in POINTS]
    return np.array([[place["x"].number(), place["y"].number()] for place in places], np.float32)


def nearest(faces: list[Node], box: NDArray[np.float32]) -> int | None:
    """Index of the face that overlaps a box most; None when none of them is the same face.

    Args:
        faces: of an answer.
        box: left, top, right, bottom (4,) in pixels of the picture that was sent.

    Raises:
        Changed: when a face has no rectangle.
    """
    if not faces:
        return None
    shares = overlaps(box[None], np.array([box_of(face) for face in faces]))[0]
    best = int(shares.argmax())
    return best if shares[best] >= SAME_FACE else None
