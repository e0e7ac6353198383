"""FairFace: lists as published, and real pictures of it."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unveil.core.errors import ConfigError, DataError
from unveil.core.types import Failure
from unveil.datasets.fairface import FairFace
from unveil.images import read_image
from unveil.registry import build

HEADER = "file,age,gender,race,service_test\n"
VAL = """val/1.jpg,3-9,Male,East Asian,False
val/2.jpg,50-59,Female,Indian,False
val/3.jpg,more than 70,Male,Black,False
val/4.jpg,20-29,Female,Latino_Hispanic,True
"""
TRAIN = "train/1.jpg,0-2,Male,Southeast Asian,True\ntrain/2.jpg,30-39,Female,White,True\n"


@pytest.fixture
def root(plant: Callable[..., Path]) -> Path:
    made = plant(*(f"val/{n}.jpg" for n in range(1, 5)), *(f"train/{n}.jpg" for n in range(1, 3)), "val/extra.jpg")
    (made / "fairface_label_val.csv").write_text(HEADER + VAL)
    (made / "fairface_label_train.csv").write_text(HEADER + TRAIN)
    return made


def test_the_validation_pictures_are_the_default(root: Path) -> None:
    fairface = FairFace(root=str(root))
    entries = list(fairface.entries())
    assert [entry.path for entry in entries] == [f"val/{n}.jpg" for n in range(1, 5)]
    assert {(entry.split, entry.identity) for entry in entries} == {("validation", "")}
    assert [dict(entry.attributes) for entry in entries[:3]] == [
        {"age_range": "3-9", "gender": "Male", "race": "East Asian"},
        {"age_range": "50-59", "gender": "Female", "race": "Indian"},
        {"age_range": "more than 70", "gender": "Male", "race": "Black"},
    ]
    assert entries[3].attributes["race"] == "Latino Hispanic"
    assert fairface.root == root and fairface.pairs() == []
    assert fairface.meta.groupings == ("gender", "race") and fairface.meta.has == {"demographics"}


def test_splits(root: Path) -> None:
    train = list(FairFace(root=str(root), split="train").entries())
    assert [(entry.path, entry.split) for entry in train] == [("train/1.jpg", "train"), ("train/2.jpg", "train")]
    both = list(FairFace(root=str(root), split="all").entries())
    assert Counter(entry.split for entry in both) == {"train": 2, "validation": 4}
    (root / "fairface_label_train.csv").unlink()
    assert len(list(FairFace(root=str(root)).entries())) == 4  # what is not read need not be there


def test_six_races(root: Path) -> None:
    races = [entry.attributes["race"] for entry in FairFace(root=str(root), split="all", races=6).entries()]
    assert races == ["Asian", "White", "Asian", "Indian", "Black", "Latino Hispanic"]


def test_a_limit_takes_groups_in_turn(root: Path) -> None:
    (root / "fairface_label_val.csv").write_text(HEADER + VAL.replace("Female,Indian", "Male,East Asian"))
    kept = [entry.path for entry in FairFace(root=str(root), limit=3).entries()]
    assert kept == ["val/1.jpg", "val/3.jpg", "val/4.jpg"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("3-9", "9-Mar", r"fairface_label_val\.csv line 2: age '9-Mar' is not one of 0-2, 3-9, 10-19"),
        ("East Asian", "Asian", r"line 2: race 'Asian' is not one of White, Black, Indian, East Asian"),
        (",Male", ",male", r"line 2: gender 'male' is not one of Female, Male"),
        ("val/2", "val/9", r"fairface_label_val\.csv line 3: no file 'val/9\.jpg'"),
        ("val/2", "../2", r"line 3: path '\.\./2\.jpg' leads out of the dataset's folder"),
        ("val/2", "val/1", r"line 3: file 'val/1\.jpg' stands already in line 2"),
        (",True", "", r"line 5: 4 fields, the header has 5"),
        ("gender", "sex", r"line 1: no attribute 'gender'; it has age, sex, race, service_test"),
    ],
)
def test_what_is_wrong_in_a_list_is_named(root: Path, old: str, new: str, said: str) -> None:
    (root / "fairface_label_val.csv").write_text((HEADER + VAL).replace(old, new, 1))
    with pytest.raises(DataError, match=said):
        list(FairFace(root=str(root)).entries())


def test_what_is_missing_is_named(root: Path) -> None:
    (root / "fairface_label_val.csv").unlink()
    with pytest.raises(DataError, match=r"fairface_label_val\.csv': No such file"):
        list(FairFace(root=str(root)).entries())
    with pytest.raises(DataError, match=r"FairFace: root .*nowhere' is not a folder"):
        list(FairFace(root=str(root / "nowhere")).entries())


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"root": ""}, "root"),
        ({"split": "test"}, "split must be train, validation or all, not 'test'"),
        ({"races": 5}, "races must be 6 or 7, not 5"),
        ({"races": float("nan")}, "races must be 6 or 7, not nan"),
        ({"limit": 0}, "limit must be an integer of at least 1, not 0"),
    ],
)
def test_parameters_that_break_their_rule(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build("datasets", "fairface", {"root": "x", **parameters})


def test_real_pictures_in_the_published_layout(shared_data: Path, tmp_path: Path) -> None:
    """The pack keeps them under other names: each goes back to where it was published."""
    pack = shared_data / "faces" / "fairface"
    with (pack / "labels.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    (tmp_path / "val").mkdir()
    lines = []
    for row in rows:
        name = f"val/{Path(row['source_path']).name}"
        shutil.copy(pack / row["file"], tmp_path / name)
        gender = {"F": "Female", "M": "Male"}[row["gender"]]
        lines.append(f"{name},{row['age']},{gender},{row['race_raw']},False\n")
    (tmp_path / "fairface_label_val.csv").write_text(HEADER + "".join(lines), encoding="utf-8")

    entries = list(build("datasets", "fairface", {"root": str(tmp_path)}).entries())
    groups = Counter((entry.attributes["race"], entry.attributes["gender"]) for entry in entries)
    assert len(groups) == 7 * 2 and set(groups.values()) == {22}
    assert {entry.attributes["age_range"] for entry in entries} <= {f"{n}0-{n}9" for n in range(2, 7)} | {
        "more than 70"
    }
    few = list(FairFace(root=str(tmp_path), limit=14).entries())
    assert len({(entry.attributes["race"], entry.attributes["gender"]) for entry in few}) == 14
    for entry in few:
        image = read_image(tmp_path / entry.path)
        assert not isinstance(image, Failure) and image.shape == (224, 224, 3)


def test_real_pictures_in_folders_by_race_and_gender(shared_data: Path) -> None:
    """Without the published lists, the folders say what they can: the loader ``folder`` reads them in place."""
    folder = build(
        "datasets",
        "folder",
        {"root": str(shared_data / "faces" / "fairface"), "pattern": "{race}_{gender}/{file}"},
    )
    groups = Counter((entry.attributes["race"], entry.attributes["gender"]) for entry in folder.entries())
    assert len(groups) == 7 * 2 and set(groups.values()) == {22}
    assert ("Middle_Eastern", "Female") in groups and ("White", "Male") in groups
