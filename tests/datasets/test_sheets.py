"""Decisions of people: CSV files, and files as tkteach writes them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from unveil.core.errors import DataError
from unveil.core.scenes import LABELS
from unveil.datasets.sheets import read_sheet


def write_csv(folder: Path, text: str) -> Path:
    (folder / "sheet.csv").write_text(text)
    return folder / "sheet.csv"


def write_tkteach(folder: Path, categories: Sequence[str], pictures: Mapping[str, Sequence[int]]) -> Path:
    """A file with the tables of tkteach.py (schema of 2018): categories and pictures are numbered from 1."""
    file = folder / "storage.db"
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(
            """
            CREATE TABLE dataSets(id INTEGER NOT NULL PRIMARY KEY, dataSetName TEXT, dataSetPath TEXT UNIQUE);
            CREATE TABLE images(id INTEGER NOT NULL PRIMARY KEY, dataSet_id INTEGER, imageName TEXT,
                imagePath TEXT UNIQUE);
            CREATE TABLE categories(id INTEGER NOT NULL PRIMARY KEY, categoryName TEXT UNIQUE);
            CREATE TABLE labels(category_id INTEGER, image_id INTEGER);
            """
        )
        database.executemany("INSERT INTO categories(categoryName) VALUES (?)", [(name,) for name in categories])
        for number, (path, chosen) in enumerate(pictures.items(), start=1):
            database.execute("INSERT INTO images VALUES (?, 1, ?, ?)", (number, path.split("/")[-1], path))
            database.executemany("INSERT INTO labels VALUES (?, ?)", [(category, number) for category in chosen])
    return file


def test_a_csv(tmp_path: Path) -> None:
    sheet = read_sheet(
        write_csv(tmp_path, "file,casual clothing,religion,drop\ntest2017/a.jpg,1,0,\nb,,1,0\nc.jpg,,,1\n"), LABELS
    )
    assert sheet.name == "sheet.csv" and sheet.dropped == {"c"}
    assert sheet.decided == {"a": {"casual clothing": True, "religion": False}, "b": {"religion": True}, "c": {}}


def test_a_file_of_tkteach(tmp_path: Path) -> None:
    file = write_tkteach(
        tmp_path,
        ["(C) Casual clothing", "religion", "(X) Nothing", "Drop"],
        {
            "./all/a.jpg": [1],
            ".\\all\\b.jpg": [1, 2],
            "./all/c.jpg": [3],
            "./all/d.jpg": [4],
            "./all/unseen.jpg": [],
        },
    )
    before = file.read_bytes()
    sheet = read_sheet(file, LABELS)
    assert sheet.decided == {
        "a": {"casual clothing": True, "religion": False},
        "b": {"casual clothing": True, "religion": True},
        "c": {"casual clothing": False, "religion": False},
        "d": {"casual clothing": False, "religion": False},
    }
    assert sheet.dropped == {"d"} and file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["storage.db"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("identity,religion\na,1\n", "sheet.csv line 1: expected a column 'file' or 'path'"),
        ("file,religon\na,1\n", "line 1: the label 'religon' is not known; did you mean religion"),
        ("file,religion\na,yes\n", "line 2: expected 1, 0 or nothing, found 'yes'"),
        ("file,religion,drop\na,1,x\n", "found 'x'"),
        ("file,religion\nx/a.jpg,1\ny/a.jpg,0\n", "line 3: the picture 'a' stands twice"),
    ],
)
def test_csvs_that_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_sheet(write_csv(tmp_path, text), LABELS)


def test_files_of_tkteach_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent.db': no such file"):
        read_sheet(tmp_path / "absent.db", LABELS)
    assert not (tmp_path / "absent.db").exists()
    (tmp_path / "text.db").write_text("this is no database " * 100)
    with pytest.raises(DataError, match=r"text.db: not a file of tkteach: file is not a database"):
        read_sheet(tmp_path / "text.db", LABELS)
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as database, database:
        database.execute("CREATE TABLE other(x)")
    with pytest.raises(DataError, match=r"other.sqlite: not a file of tkteach: no such table: categories"):
        read_sheet(tmp_path / "other.sqlite", LABELS)
    for categories, pictures, said in (
        (["(F) Flag"], {}, "storage.db: categories: the label 'flag' is not known"),
        (["religion"], {"./all/a.jpg": [7]}, r"the picture './all/a.jpg' has the unknown category 7"),
        (["religion"], {"./x/a.jpg": [1], "./y/a.jpg": [1]}, "the picture 'a' stands twice"),
    ):
        with pytest.raises(DataError, match=said):
            read_sheet(write_tkteach(tmp_path, categories, pictures), LABELS)
