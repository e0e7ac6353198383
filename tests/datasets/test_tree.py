from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from unveil.core.errors import DataError
from unveil.datasets.tree import Tree


def test_pictures_are_sorted_and_other_files_passed_over(plant: Callable[..., Path]) -> None:
    root = plant("b/2.jpg", "b/10.PNG", "a/x.webp", "c.gif")
    (root / "b" / "notes.txt").write_text("no picture")
    (root / "b" / "._2.jpg").write_bytes(b"what a Mac leaves behind")
    (root / ".hidden").mkdir()
    (root / "fake.JPG").write_text("a text with the ending of a picture is an entry")
    assert list(Tree(root, "d").pictures()) == ["a/x.webp", "b/10.PNG", "b/2.jpg", "c.gif", "fake.JPG"]
    assert list(Tree(root, "d").pictures("b")) == ["b/10.PNG", "b/2.jpg"]


def test_unicode_and_very_long_names(plant: Callable[..., Path]) -> None:
    long = "/".join(["n" * 200] * 18) + "/" + "é" * 100 + ".jpg"  # 3,800 bytes with the root
    paths = ["Ünï/日本 語/Ω.jpg", "x" * 251 + ".jpg", long, "new\nline.jpg", "it's 100%.jpg"]
    root = plant(paths[0], *paths[1:2], *paths[3:])
    before = os.getcwd()
    os.chdir(root)
    try:
        (root / long).parent.mkdir(parents=True)
        (root / long).write_bytes(b"")
    finally:
        os.chdir(before)
    assert sorted(Tree(root, "d").pictures()) == sorted(paths)


def test_the_root_may_be_a_link(plant: Callable[..., Path], tmp_path: Path) -> None:
    plant("a/1.jpg")
    (tmp_path / "link").symlink_to("root")
    assert list(Tree(tmp_path / "link", "d").pictures()) == ["a/1.jpg"]


def test_links_inside_are_followed_and_links_out_are_refused(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("a/1.jpg")
    (root / "a" / "2.jpg").symlink_to("1.jpg")
    assert list(Tree(root, "d").pictures()) == ["a/1.jpg", "a/2.jpg"]
    secret = tmp_path / "secret.jpg"
    secret.write_bytes(b"")
    (root / "a" / "3.jpg").symlink_to(secret)
    with pytest.raises(DataError, match=r"a/3\.jpg' leads out of the dataset's folder"):
        list(Tree(root, "d").pictures())
    with pytest.raises(DataError, match=r"^somewhere: .*leads out"):
        Tree(root, "d").locate("a/3.jpg", "somewhere")


def test_links_to_folders_are_refused(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("a/1.jpg")
    (root / "again").symlink_to(".")
    with pytest.raises(DataError, match="'again' is a link to a folder"):
        list(Tree(root, "d").pictures())
    with pytest.raises(DataError, match="leads out"):
        (root / "out").symlink_to(tmp_path)
        Tree(root, "d").locate("out/secret.jpg", "here")


def test_links_to_nothing_are_entries_that_cannot_be_read(plant: Callable[..., Path]) -> None:
    root = plant("a/1.jpg")
    (root / "gone.jpg").symlink_to("nowhere.jpg")
    (root / "loop.jpg").symlink_to("loop.jpg")
    assert list(Tree(root, "d").pictures()) == ["a/1.jpg", "gone.jpg", "loop.jpg"]


@pytest.mark.parametrize(
    "path", ["../root2/a.jpg", "a/../../x.jpg", "/etc/passwd", "", ".", "a\0b.jpg", "\udcff.jpg"]
)
def test_paths_that_are_refused(plant: Callable[..., Path], path: str) -> None:
    with pytest.raises(DataError, match=r"^labels\.csv line 7: "):
        Tree(plant("a/1.jpg"), "d").locate(path, "labels.csv line 7")


def test_names_that_are_not_unicode(plant: Callable[..., Path]) -> None:
    root = plant("a/1.jpg")
    (root / os.fsdecode(b"\xff.jpg")).write_bytes(b"")
    with pytest.raises(DataError, match=r"xff\.jpg' is not valid UTF-8; rename the file"):
        list(Tree(root, "d").pictures())


def test_roots_that_are_no_folders(plant: Callable[..., Path]) -> None:
    root = plant("a/1.jpg")
    for wrong in (root / "none", root / "a" / "1.jpg"):
        with pytest.raises(DataError, match="is not a folder"):
            Tree(wrong, "d")
    with pytest.raises(DataError, match=r"cannot list 'data' .*found there: a/"):
        list(Tree(root, "d").pictures("data"))
