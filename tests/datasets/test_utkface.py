"""UTKFace: what the names of the files say, and what they leave out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unveil.core.errors import ConfigError, DataError
from unveil.datasets.utkface import UTKFace
from unveil.registry import build

DATE = "20170117175041574"


def read(root: Path, **parameters: Any) -> dict[str, dict[str, str]]:
    return {entry.path: dict(entry.attributes) for entry in UTKFace(root=str(root), **parameters).entries()}


def test_codes(plant: Callable[..., Path]) -> None:
    names = [f"{20 + race}_{race % 2}_{race}_{DATE}.jpg.chip.jpg" for race in range(5)]
    root = plant(*names, f"116_1_0_{DATE}.jpg")
    found = read(root)
    assert found[f"116_1_0_{DATE}.jpg"] == {
        "gender": "Female", "race": "White", "age": "116", "age_group": "70 or more",
    }  # fmt: skip
    said = [(found[name]["gender"], found[name]["race"], found[name]["age"]) for name in names]
    assert said == [
        ("Male", "White", "20"), ("Female", "Black", "21"), ("Male", "Asian", "22"), ("Female", "Indian", "23"),
        ("Male", "Others", "24"),
    ]  # fmt: skip
    utkface = UTKFace(root=str(root))
    assert (
        utkface.root == root and utkface.pairs() == [] and not any(entry.identity for entry in utkface.entries())
    )
    assert utkface.meta.groupings == ("gender", "race") and utkface.meta.has == {"demographics"}


def test_parts_of_the_pictures_in_the_wild(plant: Callable[..., Path]) -> None:
    paths = [f"part{n}/{n}_0_0_{DATE}.jpg" for n in (1, 2, 3)]
    assert list(read(plant(*paths))) == paths


@pytest.mark.parametrize(
    ("name", "known"),
    [  # all of them stand in the published set
        ("39_1_20170116174525125.jpg.chip.jpg", {"age": "39"}),
        ("61_1_20170109142408075.jpg.chip.jpg", {"age": "61"}),
        ("61_3_20170109150557335.jpg", {"age": "61"}),
        ("53__0_20170116184028385.jpg", {"age": "53", "race": "White"}),
        ("55_0_0_20170116232725357jpg.chip.jpg", {"age": "55", "gender": "Male", "race": "White"}),
        ("24_0_1_20170116220224657 .jpg.chip.jpg", {"age": "24", "gender": "Male", "race": "Black"}),
        # and one that does not
        (f"_1__{DATE}.jpg", {"gender": "Female"}),
    ],
)
def test_what_a_name_does_not_say_is_not_known(
    plant: Callable[..., Path], name: str, known: dict[str, str]
) -> None:
    found = read(plant(name, f"30_0_1_{DATE}.jpg"), age_bounds=[])
    assert found[name] == known
    assert found[f"30_0_1_{DATE}.jpg"] == {"gender": "Male", "race": "Black", "age": "30"}


def test_a_limit_takes_groups_in_turn(plant: Callable[..., Path]) -> None:
    names = [f"1_0_0_{DATE}.jpg", f"2_0_0_{DATE}.jpg", f"3_1_0_{DATE}.jpg", f"4_1_4_{DATE}.jpg"]
    assert list(read(plant(*names), limit=3)) == [names[0], *names[2:]]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (f"26_2_3_{DATE}.jpg", "gender '2' is not one of 0, 1"),
        (f"26_1_5_{DATE}.jpg", "race '5' is not one of 0, 1, 2, 3, 4"),
        (f"old_1_3_{DATE}.jpg", "the age must be a whole number from 0 to 122, not 'old'"),
        (f"26_1_3_0_{DATE}.jpg", "expected a name as age_gender_race_date"),
        ("26_1_3_yesterday.jpg", "expected a name as age_gender_race_date"),
        ("26_1_3.jpg", "expected a name as age_gender_race_date"),
        ("portrait.jpg", "expected a name as age_gender_race_date"),
    ],
)
def test_a_name_that_does_not_fit_is_named(plant: Callable[..., Path], name: str, said: str) -> None:
    with pytest.raises(DataError, match=f"UTKFace: {name!r}: {said}"):
        read(plant(f"30_0_1_{DATE}.jpg", name))


def test_what_is_missing_is_named(plant: Callable[..., Path]) -> None:
    root = plant()
    with pytest.raises(DataError, match=r"UTKFace: expected pictures as 26_1_3_.* in .*, found nothing"):
        read(root)
    with pytest.raises(DataError, match=r"UTKFace: root .*nowhere' is not a folder"):
        read(root / "nowhere")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"root": ""}, "root must not be empty"),
        ({"age_bounds": [20, 20]}, r"age_bounds must be whole numbers from 1 in rising order, not \[20, 20\]"),
        ({"limit": 0.5}, "limit must be an integer"),
    ],
)
def test_parameters_that_break_their_rule(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build("datasets", "utkface", {"root": "x", **parameters})
