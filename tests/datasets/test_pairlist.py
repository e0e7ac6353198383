from __future__ import annotations

from pathlib import Path

import pytest

from unveil.core.errors import DataError
from unveil.core.types import Pair
from unveil.datasets.pairlist import read_pairs


def find(name: str, number: int) -> str | None:
    return f"{name}{number}" if name in ("A", "B B") and number < 9 else None


def read(tmp_path: Path, text: str, fold_size: int | None = None) -> list[Pair]:
    (tmp_path / "pairs.txt").write_text(text, encoding="utf-8")
    return read_pairs(tmp_path / "pairs.txt", find, fold_size=fold_size)


def test_folds_follow_the_first_line(tmp_path: Path) -> None:
    text = "2\t1\nA\t1\t2\nA\t1\tB B\t1\n\nB B\t3\t4\nB B\t3\tA\t4\n"
    assert read(tmp_path, text) == [
        Pair("A1", "A2", True, 0),
        Pair("A1", "B B1", False, 0),
        Pair("B B3", "B B4", True, 1),
        Pair("B B3", "A4", False, 1),
    ]


def test_development_lists_have_one_number_and_one_fold(tmp_path: Path) -> None:
    assert [pair.fold for pair in read(tmp_path, "1\nA 1 2\nA 1 A 3\n")] == [0, 0]


def test_without_a_first_line_folds_have_the_given_size(tmp_path: Path) -> None:
    assert [pair.fold for pair in read(tmp_path, "A 1 2\nA 1 3\nA 2 3", fold_size=2)] == [0, 0, 1]


def test_four_fields_with_one_name_are_the_same_person(tmp_path: Path) -> None:
    assert read(tmp_path, "A 1 A 2", fold_size=1) == [Pair("A1", "A2", True, 0)]


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "line 1: expected '10 300' .*found 'nothing'"),
        ("A 1 2\n", "line 1: expected '10 300'.*found 'A 1 2'"),
        ("10 300\nA 1 2\n", "line 1: 10 folds of 300 mated and 300 non-mated pairs make 6000 lines, found 1"),
        ("0\n", "line 1: 1 folds of 0"),
        ("1\nA 1 2\nA 1 C 1\n", "line 3: photo 1 of 'C' is not in the dataset"),
        ("1\n\nA 1 9\nA 1 A 1\n", "line 3: photo 9 of 'A' is not in the dataset"),
        ("1\nA 1 2\nA 3 3\n", "line 3: pairs photo 3 of 'A' with itself"),
        ("1\nA 1 2\nA 3\n", "line 3: expected 'name n1 n2' or 'name1 n1 name2 n2', found 'A 3'"),
        ("1\nA 1 two\nA 1 2\n", "line 2: expected 'name n1 n2'.*found 'A 1 two'"),
        ("1\nA 1 2 3 4\nA 1 2\n", "line 2: expected"),
    ],
)
def test_lists_that_are_wrong(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=f"^pairs.txt {said}"):
        read(tmp_path, text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"pairs .*none\.txt.*No such file"):
        read_pairs(tmp_path / "none.txt", find)
    (tmp_path / "latin.txt").write_bytes(b"\xc4 1 2")
    with pytest.raises(DataError, match=r"latin\.txt"):
        read_pairs(tmp_path / "latin.txt", find)


def test_the_published_list_of_lfw(shared_data: Path) -> None:
    file = shared_data / "faces" / "_labels" / "lfw_pairs.txt"
    pairs = read_pairs(file, lambda name, number: f"{name}/{name}_{number:04d}.jpg")
    assert len(pairs) == 6000 and sum(pair.mated for pair in pairs) == 3000
    for fold in range(10):
        assert [pair.mated for pair in pairs if pair.fold == fold] == [True] * 300 + [False] * 300
    assert pairs[0] == Pair("Abel_Pacheco/Abel_Pacheco_0001.jpg", "Abel_Pacheco/Abel_Pacheco_0004.jpg", True, 0)
    same = {pair.left.split("/")[0] == pair.right.split("/")[0] for pair in pairs if not pair.mated}
    assert same == {False}
