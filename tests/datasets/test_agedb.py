"""AgeDB: what the names of the files say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.errors import ConfigError, DataError
from unveil.datasets.agedb import AgeDB
from unveil.datasets.ages import DECADES, describe_age
from unveil.registry import build

NAMES = ["0_MariaCallas_35_f.jpg", "1_MariaCallas_40_f.jpg", "2_Jean_Gabin_69_m.jpg", "3_O'Toole_101_m.jpg",
         "4_ShirleyTemple_3_f.jpg"]  # fmt: skip


def test_names(plant: Callable[..., Path]) -> None:
    root = plant(*NAMES)
    (root / "readme.txt").write_text("no picture")
    agedb = AgeDB(root=str(root))
    entries = {entry.path: entry for entry in agedb.entries()}
    assert list(entries) == NAMES
    assert [entry.identity for entry in entries.values()] == [
        "MariaCallas", "MariaCallas", "Jean_Gabin", "O'Toole", "ShirleyTemple",
    ]  # fmt: skip
    assert entries[NAMES[0]].attributes == {"gender": "Female", "age": "35", "age_group": "30-39"}
    assert entries[NAMES[1]].attributes == {"gender": "Female", "age": "40", "age_group": "40-49"}
    assert entries[NAMES[3]].attributes == {"gender": "Male", "age": "101", "age_group": "70 or more"}
    assert entries[NAMES[4]].attributes["age_group"] == "0-9"
    assert agedb.root == root and agedb.pairs() == []
    assert agedb.meta.groupings == ("gender",) and agedb.meta.has == {"identity", "demographics"}


def test_a_folder_below_the_root(plant: Callable[..., Path]) -> None:
    (entry,) = AgeDB(root=str(plant(f"AgeDB/{NAMES[2]}"))).entries()
    assert entry.path == f"AgeDB/{NAMES[2]}" and entry.identity == "Jean_Gabin"


def test_a_limit_keeps_whole_people_of_both_genders(plant: Callable[..., Path]) -> None:
    kept = [entry.path for entry in AgeDB(root=str(plant(*NAMES)), limit=2).entries()]
    assert kept == NAMES[:3]


def test_age_groups_are_a_parameter(plant: Callable[..., Path]) -> None:
    root = str(plant(*NAMES))
    groups = [entry.attributes["age_group"] for entry in AgeDB(root=root, age_bounds=[18, 65]).entries()]
    assert groups == ["18-64", "18-64", "65 or more", "65 or more", "0-17"]
    assert all("age_group" not in entry.attributes for entry in AgeDB(root=root, age_bounds=[]).entries())


@given(st.integers(0, 122), st.sets(st.integers(1, 122), min_size=1).map(sorted))
def test_every_age_falls_into_the_group_that_names_it(age: int, bounds: list[int]) -> None:
    group = describe_age(age, bounds)["age_group"]
    first, _, last = group.replace(" or more", "-122").partition("-")
    assert int(first) <= age <= int(last)
    assert int(first) in (0, *bounds) and (int(last) + 1 in bounds or age >= max(bounds))


def test_decades() -> None:
    groups = list(dict.fromkeys(describe_age(age, DECADES)["age_group"] for age in range(123)))
    assert groups == ["0-9", *(f"{n}0-{n}9" for n in range(1, 7)), "70 or more"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("0_MariaCallas_35_x.jpg", "gender 'x' is not one of f, m"),
        ("0_MariaCallas_old_f.jpg", "the age must be a whole number from 0 to 122, not 'old'"),
        ("0_MariaCallas_300_f.jpg", "the age must be a whole number from 0 to 122, not '300'"),
        ("0_MariaCallas_-3_f.jpg", "the age must be a whole number from 0 to 122, not '-3'"),
        ("MariaCallas_35_f.jpg", "expected a name as number_person_age_gender"),
        ("0__35_f.jpg", "expected a name as number_person_age_gender"),
        ("sub/portrait.jpg", "expected a name as number_person_age_gender"),
    ],
)
def test_a_name_that_does_not_fit_is_named(plant: Callable[..., Path], name: str, said: str) -> None:
    with pytest.raises(DataError, match=f"AgeDB: {name!r}: {said}"):
        list(AgeDB(root=str(plant(NAMES[0], name))).entries())


def test_what_is_missing_is_named(plant: Callable[..., Path]) -> None:
    root = plant()
    with pytest.raises(DataError, match=r"AgeDB: expected photos as 0_MariaCallas_35_f\.jpg in .*, found nothing"):
        list(AgeDB(root=str(root)).entries())
    with pytest.raises(DataError, match=r"AgeDB: root .*nowhere' is not a folder"):
        list(AgeDB(root=str(root / "nowhere")).entries())


def test_a_link_that_leads_out_is_refused(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant(NAMES[0])
    (tmp_path / "secret.jpg").write_bytes((root / NAMES[0]).read_bytes())
    (root / NAMES[1]).symlink_to(tmp_path / "secret.jpg")
    with pytest.raises(DataError, match=f"path {NAMES[1]!r} leads out of the dataset's folder"):
        list(AgeDB(root=str(root)).entries())


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"root": ""}, "root must not be empty"),
        ({"age_bounds": [30, 20]}, r"age_bounds must be whole numbers from 1 in rising order, not \[30, 20\]"),
        ({"age_bounds": [0, 20]}, "age_bounds must be whole numbers from 1"),
        ({"age_bounds": [float("nan")]}, r"age_bounds must be .*, not \[nan\]"),
        ({"age_bounds": "10"}, "age_bounds must be .*, not '10'"),
        ({"limit": True}, "limit must be an integer"),
    ],
)
def test_parameters_that_break_their_rule(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build("datasets", "agedb", {"root": "x", **parameters})
