"""Vectors out of a pickle that nobody vouches for: nothing in it is called, imported or executed.

A pickle is a program that may call any function it names. Here the few names that NumPy's arrays need stand for
classes of this module, which only keep what they are given; every other name is refused.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from unveil.core.errors import DataError
from unveil.core.types import Failure
from unveil.images import read_bytes

_TYPES = frozenset(
    ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
)  # plain numbers; no objects, no records
_BROKEN = (
    pickle.UnpicklingError, EOFError, ValueError, TypeError, LookupError, AttributeError, OverflowError,
    MemoryError, RecursionError, ImportError,
)  # fmt: skip
# What the machine of ``pickle`` and the classes below raise for damaged or hostile bytes.


class _Kept:
    """Keeps the arguments and the state that a pickle gives to a function or a class of NumPy."""

    __slots__ = ("arguments", "state")

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Type(_Kept):
    """``numpy.dtype``: name, then a state that begins with a version and the byte order."""

    def real(self) -> np.dtype[Any]:
        name = self.arguments[0]
        if name not in _TYPES:
            raise ValueError(f"numbers of the type {name!r:.20} are not read")
        order = self.state[1] if self.state else "|"
        return np.dtype(f"{order if order in ('<', '>') else '='}{name}")


class _Array(_Kept):
    """``numpy.ndarray``: the state is version, shape, type, whether columns come first, and the bytes."""

    def numbers(self) -> list[float]:
        _, shape, dtype, _, data = self.state
        return _read(data, dtype, shape)


class _Buffer(_Kept):
    """An array of protocol 5: bytes, type, shape, order."""

    def numbers(self) -> list[float]:
        data, dtype, shape, _ = self.arguments
        return _read(data, dtype, shape)


class _Scalar(_Kept):
    """One number: type and bytes."""

    def numbers(self) -> list[float]:
        dtype, data = self.arguments
        return _read(data, dtype, (1,))


class _Text(_Kept):
    """Bytes that protocol 2 writes as Latin-1 text."""


_CORES = ("numpy.core", "numpy._core")  # before and since NumPy 2
_NAMES: Mapping[tuple[str, str], type[_Kept]] = {
    ("numpy", "dtype"): _Type,
    ("numpy", "ndarray"): _Array,
    ("_codecs", "encode"): _Text,
    **{(f"{core}.multiarray", "_reconstruct"): _Array for core in _CORES},
    **{(f"{core}.multiarray", "scalar"): _Scalar for core in _CORES},
    **{(f"{core}.numeric", "_frombuffer"): _Buffer for core in _CORES},
}


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _NAMES:
            raise pickle.UnpicklingError(f"it wants to call {module}.{name}, which is refused")
        return _NAMES[module, name]


def read_vectors(file: Path) -> dict[str, list[float]]:
    """The vectors of a pickled dictionary ``name -> list, tuple or one-dimensional array of numbers``.

    Raises:
        DataError: when the file cannot be read, is no such dictionary, or wants anything but NumPy's arrays.
    """
    data = read_bytes(file)
    if isinstance(data, Failure):
        raise DataError(data.detail)
    try:
        _check_sizes(data)
        found = _Reader(io.BytesIO(data)).load()
        if not isinstance(found, dict):
            raise ValueError(f"it holds no dictionary but {type(found).__name__.strip('_')}")
        return {_name(key): _vector(value) for key, value in found.items()}
    except _BROKEN as error:
        raise DataError(
            f"{file.name}: not a pickle of vectors by name: {error}; a JSON with the same content is read, too"
        ) from error


def _check_sizes(data: bytes) -> None:
    """Refuse what would take memory out of proportion: lengths beyond the file, and places in a huge memo."""
    for opcode, argument, _ in pickletools.genops(data):
        place = argument if opcode.name in ("PUT", "BINPUT", "LONG_BINPUT") else 0
        if not isinstance(place, int) or not 0 <= place <= len(data):
            raise ValueError(f"it stores something at the place {place!r:.40} of its memo")


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError(f"a name is a text, not {key!r:.40}")
    return key


def _vector(value: object) -> list[float]:
    if isinstance(value, _Array | _Buffer):
        return value.numbers()
    if not isinstance(value, list | tuple):
        raise ValueError(f"a vector is a list or an array of numbers, not {type(value).__name__.strip('_')}")
    numbers: list[float] = []
    for item in value:
        numbers += item.numbers() if isinstance(item, _Scalar) else [_number(item)]
    return numbers


def _number(item: object) -> float:
    if not isinstance(item, int | float):
        raise ValueError(f"a vector has numbers, not {item!r:.40}")
    return float(item)


def _read(data: object, dtype: object, shape: object) -> list[float]:
    if not isinstance(dtype, _Type) or not isinstance(shape, tuple) or len(shape) > 1:
        raise ValueError(f"a vector has one dimension, not the shape {shape!r:.40}")
    if isinstance(data, _Text):
        data = data.arguments[0].encode("latin-1")
    if not isinstance(data, bytes | bytearray):
        raise ValueError("an array without its bytes")
    numbers = np.frombuffer(data, dtype.real())
    if len(numbers) != math.prod(shape):
        raise ValueError(f"an array of the shape {shape} has {len(numbers)} numbers")
    return [float(number) for number in numbers]
