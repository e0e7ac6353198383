"""Reader of dlib's serialised recognition network: numbers in, NumPy arrays out, nothing is executed.

dlib writes an integer as a length byte (high bit: negative) and that many little-endian bytes, and a tensor as
version 2, four integers (samples, channels, rows, columns) and its values as little-endian ``float32``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_TENSOR_VERSION = 2


@dataclass(frozen=True, slots=True)
class DlibParameters:
    """What the network learned, from the picture to the embedding.

    Attributes:
        filters: of each convolution, (out, in, rows, columns).
        biases: of each convolution, (out,), the following affine layer folded in.
        matrix: (inputs, outputs) of the last layer.
    """

    filters: list[Floats]
    biases: list[Floats]
    matrix: Floats


class _Cursor:
    """Reads dlib's numbers one after the other."""

    def __init__(self, data: bytes, position: int) -> None:
        self.data = data
        self.position = position

    def integer(self) -> int:
        """A whole number.

        Raises:
            ValueError: when the data end before it does.
        """
        if self.position >= len(self.data):
            raise ValueError("the data end where a number must be")
        head = self.data[self.position]
        start = self.position + 1
        self.position = start + (head & 0x7F)
        value = int.from_bytes(self.data[start : self.position], "little")
        return -value if head & 0x80 else value

    def tensor(self) -> Floats:
        """The values of a tensor, flat.

        Raises:
            ValueError: when there is no tensor here, or the data end inside it.
        """
        if (version := self.integer()) != _TENSOR_VERSION:
            raise ValueError(f"a dlib tensor must have version {_TENSOR_VERSION}, not {version}")
        if min(shape := [self.integer() for _ in range(4)]) < 0:
            raise ValueError(f"dimensions of a dlib tensor must not be negative: {shape}")
        count = math.prod(shape)
        values = np.frombuffer(self.data, "<f4", count, self.position).astype(np.float32)
        self.position += 4 * count
        return values


_NAMES = re.compile(rb"\x05con_4|\x07affine_|\x04fc_2")
"""Names of the layers that hold numbers, each behind its length."""


def read_recognition_network(data: bytes) -> DlibParameters:
    """Parameters of ``dlib_face_recognition_resnet_model_v1.dat``; the file stores the first layer first.

    Raises:
        ValueError: when the layers found are not convolutions that are each followed by an affine layer, with
            one fully connected layer last, or their sizes contradict each other.
    """
    convolutions: list[tuple[Floats, Floats]] = []
    affines: list[Floats] = []
    matrix: Floats | None = None
    position = 0
    # A name may occur by chance among the values of a tensor, so the search goes on behind each tensor.
    while matrix is None and (match := _NAMES.search(data, position)):
        cursor = _Cursor(data, match.end())
        if match.group().endswith(b"con_4"):
            convolutions.append(_convolution(cursor))
        elif match.group().endswith(b"affine_"):
            affines.append(cursor.tensor())
        else:
            matrix = _fully_connected(cursor)
        position = cursor.position
    if matrix is None or not convolutions or len(convolutions) != len(affines):
        raise ValueError(
            "a recognition network must have as many con_4 as affine_ layers and end in fc_2, "
            f"found {len(convolutions)}, {len(affines)} and {'one' if matrix is not None else 'none'}"
        )
    return _folded(convolutions, affines, matrix)


def _convolution(cursor: _Cursor) -> tuple[Floats, Floats]:
    """Filters (out, in, rows, columns) and biases (out,)."""
    values = cursor.tensor()
    filters, rows, columns = cursor.integer(), cursor.integer(), cursor.integer()
    return values[:-filters].reshape(filters, -1, rows, columns), values[-filters:]


def _fully_connected(cursor: _Cursor) -> Floats:
    """Matrix (inputs, outputs)."""
    outputs, inputs = cursor.integer(), cursor.integer()
    return cursor.tensor().reshape(inputs, outputs)


def _folded(convolutions: list[tuple[Floats, Floats]], affines: list[Floats], matrix: Floats) -> DlibParameters:
    filters, biases = [], []
    for (kernel, bias), affine in zip(convolutions, affines, strict=True):
        gamma, beta = np.split(affine, 2)
        filters.append(kernel * gamma[:, None, None, None])
        biases.append(bias * gamma + beta)
    return DlibParameters(filters, biases, matrix)
