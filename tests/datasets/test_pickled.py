"""Pickles are read without being run."""

from __future__ import annotations

import os
import pickle
import pickletools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.core.errors import DataError
from unveil.datasets.pickled import read_vectors

VECTOR = [float(n % 3 == 0) for n in range(18)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "train2017_labels.pkl"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1", "?", ">f4", ">i2"])
@pytest.mark.parametrize("form", [lambda a: a, list, tuple, lambda a: a.tolist()])
def test_vectors_of_every_form(file: Path, protocol: int, dtype: str, form: Callable[[Any], Any]) -> None:
    array = np.array(VECTOR).astype(dtype)
    file.write_bytes(pickle.dumps({"2017_1": form(array), "2017_2": form(array[:3])}, protocol=protocol))
    assert read_vectors(file) == {"2017_1": VECTOR, "2017_2": VECTOR[:3]}


class Runs:
    """Calls ``function`` when it is unpickled."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.call


@pytest.mark.parametrize(
    "function", [os.system, os.mkdir, eval, exec, getattr, __import__, print, np.load, np.fromfile, pickle.loads]
)
def test_nothing_is_called(file: Path, function: Callable[..., Any]) -> None:
    trap = file.parent / "ran"
    file.write_bytes(pickle.dumps({"2017_1": Runs(function, str(trap))}))
    with pytest.raises(DataError, match=r"train2017_labels.pkl: .*it wants to call .*, which is refused"):
        read_vectors(file)
    assert not trap.exists()


def test_a_trap_is_not_called_before_it_is_refused(file: Path) -> None:
    trap = file.parent / "ran"
    file.write_bytes(b"c" + f"os\nmkdir\n(V{trap}\ntR}}.".encode())
    assert any(opcode.name == "REDUCE" for opcode, _, _ in pickletools.genops(file.read_bytes()))
    with pytest.raises(DataError, match=r"wants to call os.mkdir"):
        read_vectors(file)
    assert not trap.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([1, 2], "holds no dictionary but list"),
        ({1: VECTOR}, "a name is a text, not 1"),
        ({"a": "text"}, "a list or an array of numbers, not str"),
        ({"a": {1.0}}, "not set"),
        ({"a": [1, "x"]}, "has numbers, not 'x'"),
        ({"a": [[1]]}, r"has numbers, not \[1\]"),
        ({"a": np.zeros((2, 9))}, r"one dimension, not the shape \(2, 9\)"),
        ({"a": np.array([None])}, "without its bytes"),
        ({"a": np.zeros(2, "f4,f4")}, "numbers of the type 'V8' are not read"),
        ({"a": np.array(["text"])}, "are not read"),
        ({"a": Path("x")}, "wants to call pathlib"),
    ],
)
def test_what_is_no_vector(file: Path, content: object, said: str) -> None:
    file.write_bytes(pickle.dumps(content))
    with pytest.raises(DataError, match=said):
        read_vectors(file)


def test_files_that_are_no_pickles(file: Path) -> None:
    with pytest.raises(DataError, match=r"train2017_labels.pkl: No such file"):
        read_vectors(file)
    good = pickle.dumps({"a": np.array(VECTOR)})
    for data in (b"", b"text", good[:-5], b"\x80\x05."):
        file.write_bytes(data)
        with pytest.raises(DataError, match=r"not a pickle of vectors by name: .*a JSON with the same content"):
            read_vectors(file)


def test_a_pickle_cannot_take_all_memory(file: Path) -> None:
    for data, said in (
        (b"\x80\x02}r\xff\xff\xff\xff.", "the place 4294967295 of its memo"),
        (b"\x80\x05\x96\xff\xff\xff\xff\x0f\x00\x00\x00.", "expected 68719476735 bytes"),
    ):
        file.write_bytes(data)
        with pytest.raises(DataError, match=said):
            read_vectors(file)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 400), st.binary(min_size=1, max_size=4))
def test_any_damage_is_told(file: Path, at: int, noise: bytes) -> None:
    good = pickle.dumps({"2017_1": np.array(VECTOR, np.float32), "2017_2": [1, 0]}, protocol=2)
    at %= len(good)
    file.write_bytes(good[:at] + noise + good[at + len(noise) :])
    try:
        assert isinstance(read_vectors(file), dict)
    except DataError as error:
        assert str(error).startswith("train2017_labels.pkl: ")
