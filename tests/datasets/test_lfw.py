from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from unveil.core.errors import DataError
from unveil.core.types import Pair
from unveil.datasets.lfw import LFW

PHOTOS = [f"{name}/{name}_{n:04d}.jpg" for name in ("Ana_Ivo", "Bo", "Zoë") for n in (1, 2)]
PAIRS = "1\t2\nAna_Ivo\t1\t2\nZoë\t1\t2\nAna_Ivo\t1\tBo\t2\nBo\t1\tZoë\t1\n"


def test_people_and_pairs(plant: Callable[..., Path]) -> None:
    root = plant(*PHOTOS)
    (root / "pairs.txt").write_text(PAIRS, encoding="utf-8")
    lfw = LFW(root=str(root))
    assert [e.path for e in lfw.entries()] == PHOTOS
    assert [e.identity for e in lfw.entries()][:2] == ["Ana_Ivo", "Ana_Ivo"]
    assert lfw.pairs() == [
        Pair(PHOTOS[0], PHOTOS[1], True),
        Pair(PHOTOS[4], PHOTOS[5], True),
        Pair(PHOTOS[0], PHOTOS[3], False),
        Pair(PHOTOS[2], PHOTOS[4], False),
    ]
    assert lfw.root == root and lfw.meta.name == "LFW" and lfw.meta.has == {"identity", "pairs"}


def test_without_a_list_no_pairs_are_prescribed(plant: Callable[..., Path]) -> None:
    lfw = LFW(root=str(plant(*PHOTOS)))
    assert lfw.pairs() == [] and lfw.meta.has == {"identity"}


def test_a_list_elsewhere_and_another_format_of_picture(plant: Callable[..., Path]) -> None:
    root = plant(*(photo.replace(".jpg", ".png") for photo in PHOTOS))
    (root.parent / "mine.txt").write_text("1\nBo 1 2\nBo 1 Zoë 2\n", encoding="utf-8")
    lfw = LFW(root=str(root), pairs="../mine.txt")
    assert lfw.pairs()[0] == Pair("Bo/Bo_0001.png", "Bo/Bo_0002.png", True)


def test_a_missing_photo_or_list_is_named(plant: Callable[..., Path]) -> None:
    root = plant(*PHOTOS)
    (root / "pairs.txt").write_text(PAIRS, encoding="utf-8")
    (root / "Zoë" / "Zoë_0002.jpg").unlink()
    with pytest.raises(DataError, match=r"^pairs\.txt line 3: photo 2 of 'Zoë' is not in the dataset"):
        LFW(root=str(root)).pairs()
    with pytest.raises(DataError, match=r"none\.txt.*No such file"):
        LFW(root=str(root), pairs="none.txt").pairs()


def test_labels_and_limit(plant: Callable[..., Path]) -> None:
    root = plant(*PHOTOS)
    (root / "pairs.txt").write_text(PAIRS, encoding="utf-8")
    (root / "people.csv").write_text(
        "identity,gender,race\nAna_Ivo,F,White\nBo,F,\nZoë,M,Black\n", encoding="utf-8"
    )
    lfw = LFW(root=str(root), labels="people.csv", limit=2)
    assert lfw.meta.groupings == ("gender", "race") and "demographics" in lfw.meta.has
    assert list(dict.fromkeys(e.identity for e in lfw.entries())) == ["Ana_Ivo", "Bo"]
    assert [(pair.left, pair.mated) for pair in lfw.pairs()] == [(PHOTOS[0], True), (PHOTOS[0], False)]


def test_a_root_one_folder_too_high(plant: Callable[..., Path]) -> None:
    root = plant(*(f"lfw/{photo}" for photo in PHOTOS))
    with pytest.raises(DataError, match=r"LFW: 'lfw/Ana_Ivo/Ana_Ivo_0001\.jpg': the path does not fit the layout"):
        list(LFW(root=str(root)).entries())
    with pytest.raises(ValueError, match="limit"):
        LFW(root=str(root), limit=0)
