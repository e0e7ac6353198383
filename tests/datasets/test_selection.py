from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.protocols import Entry
from unveil.datasets.selection import check_count, first_identities, first_of_each_split


def entry(person: str, gender: str, number: int = 1) -> Entry:
    return Entry(f"{person}/{number}.jpg", person, "", {"gender": gender})


PEOPLE = [entry(f"{g[0]}{i}", g, n) for g in ("Female", "Male") for i in range(3) for n in range(2)]


def chosen(limit: int | None, groupings: tuple[str, ...] = ("gender",)) -> list[str]:
    return list(dict.fromkeys(e.identity for e in first_identities(PEOPLE, limit, groupings)))


def test_people_are_taken_from_each_group_in_turn() -> None:
    assert chosen(1) == ["F0"]
    assert chosen(2) == ["F0", "M0"]
    assert chosen(3) == ["F0", "F1", "M0"]
    assert chosen(3, ()) == ["F0", "F1", "F2"]
    assert chosen(None) == chosen(99) == ["F0", "F1", "F2", "M0", "M1", "M2"]


def test_a_picture_without_identity_is_a_person_of_its_own() -> None:
    loose = [Entry(f"{n}.jpg") for n in range(4)]
    assert first_identities(loose, 3, ()) == loose[:3]


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("FM"))), st.integers(1, 12))
def test_whole_people_in_the_same_order(people: list[tuple[int, str]], limit: int) -> None:
    entries = [entry(f"p{p}", g, n) for n, (p, g) in enumerate(people)]
    kept = first_identities(entries, limit, ("gender",))
    names = {e.identity for e in kept}
    assert len(names) == min(limit, len({p for p, _ in people}))
    assert kept == [e for e in entries if e.identity in names]


@pytest.mark.parametrize("value", [0, -1, True, 1.5, float("nan"), "3"])
def test_limits_that_are_none(value: object) -> None:
    with pytest.raises(ValueError, match=r"limit must be an integer of at least 1, not"):
        check_count("limit", value)  # type: ignore[arg-type]


def test_pictures_are_taken_from_each_group_of_each_split_in_turn() -> None:
    scenes = [
        Entry(f"{s}{g}{n}", split=s, attributes={"gender": g})
        for s in ("train", "test")
        for g in ("F", "M", "")
        for n in range(3)
    ]

    def kept(limit: int | None, *groupings: str) -> list[str]:
        return [e.path for e in first_of_each_split(scenes, limit, groupings)]

    assert kept(4, "gender") == [
        *("trainF0", "trainF1", "trainM0", "train0"),
        *("testF0", "testF1", "testM0", "test0"),
    ]
    assert kept(2) == ["trainF0", "trainF1", "testF0", "testF1"]
    assert kept(None) == kept(9) == [e.path for e in scenes]
