"""The reader of dlib's network files, on bytes written here and on the real file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.models.dlib_format import _Cursor, read_recognition_network


def integer(value: int) -> bytes:
    """A number as dlib writes it."""
    size = max(1, (abs(value).bit_length() + 7) // 8)
    return bytes([size | (0x80 if value < 0 else 0)]) + abs(value).to_bytes(size, "little")


def tensor(values: NDArray[np.float32]) -> bytes:
    return b"".join(map(integer, (2, values.size, 1, 1, 1))) + values.astype("<f4").tobytes()


def convolution(kernel: NDArray[np.float32], bias: NDArray[np.float32]) -> bytes:
    sizes = (kernel.shape[0], *kernel.shape[2:])
    return b"\x05con_4" + tensor(np.concatenate([kernel.ravel(), bias])) + b"".join(map(integer, sizes))


def affine(gamma: NDArray[np.float32], beta: NDArray[np.float32]) -> bytes:
    return b"\x07affine_" + tensor(np.concatenate([gamma, beta]))


def fully_connected(matrix: NDArray[np.float32]) -> bytes:
    return b"\x04fc_2" + integer(matrix.shape[1]) + integer(matrix.shape[0]) + tensor(matrix.ravel())


@given(st.integers(-(2**62), 2**62))
def test_integers_survive(value: int) -> None:
    assert _Cursor(integer(value), 0).integer() == value


def example() -> tuple[NDArray[np.float32], ...]:
    rng = np.random.default_rng(1)
    shapes = ((4, 3, 2, 5), (4,), (4,), (4,), (4, 6))
    return tuple(rng.normal(size=shape).astype(np.float32) for shape in shapes)


def test_affine_layers_are_folded() -> None:
    kernel, bias, gamma, beta, matrix = example()
    name_among_the_values = np.frombuffer(b"\x05con_4\0\0", "<f4")
    bias[:2] = name_among_the_values
    data = (
        b"\x01\x01head" + convolution(kernel, bias) + b"??" + affine(gamma, beta) + b"!" + fully_connected(matrix)
    )
    found = read_recognition_network(data)
    assert np.allclose(found.filters[0], kernel * gamma[:, None, None, None])
    assert np.allclose(found.biases[0], bias * gamma + beta)
    assert np.array_equal(found.matrix, matrix)


def test_broken_files_are_refused() -> None:
    kernel, bias, gamma, beta, matrix = example()
    whole = convolution(kernel, bias) + affine(gamma, beta) + fully_connected(matrix)
    for broken in (
        b"",
        whole[:-1],
        whole[:20],
        b"\x05con_4",
        convolution(kernel, bias) + fully_connected(matrix),
        convolution(kernel, bias) + affine(gamma, beta),
        b"\x05con_4" + integer(3),
        b"\x05con_4" + b"".join(map(integer, (2, -4, 1, 1, 1))),
    ):
        with pytest.raises(ValueError, match=r"must|the data end|buffer"):
            read_recognition_network(broken)


def test_the_real_file_has_29_convolutions() -> None:
    spec = importlib.util.find_spec("face_recognition_models")
    assert spec is not None and spec.submodule_search_locations is not None
    file = Path(spec.submodule_search_locations[0], "models", "dlib_face_recognition_resnet_model_v1.dat")
    found = read_recognition_network(file.read_bytes())
    assert len(found.filters) == len(found.biases) == 29
    assert found.filters[0].shape == (32, 3, 7, 7) and found.filters[-1].shape == (256, 256, 3, 3)
    assert found.matrix.shape == (256, 128)
