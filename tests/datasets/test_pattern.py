from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.datasets.pattern import Pattern


@pytest.mark.parametrize(
    "text, path, facts",
    [
        ("{identity}/{file}", "Ana/1.jpg", {"identity": "Ana", "file": "1.jpg"}),
        ("{race}_{gender}/{identity}/{file}", "asian_males/n1/7.jpg",
         {"race": "asian", "gender": "males", "identity": "n1", "file": "7.jpg"}),
        ("{identity}_{file}", "Ana_Maria_01.jpg", {"identity": "Ana_Maria", "file": "01.jpg"}),
        ("{race}_{gender}/{file}", "middle_eastern_males/a.jpg",
         {"race": "middle_eastern", "gender": "males", "file": "a.jpg"}),
        ("{identity}/{identity}_{file}", "Ana/Ana_1.jpg", {"identity": "Ana", "file": "1.jpg"}),
        ("{split}/{_video}/p-{identity}.{file}", "test/v3/p-9.a.b.jpg",
         {"split": "test", "identity": "9.a.b", "file": "jpg"}),
        ("{file}", "line\nbreak.jpg", {"file": "line\nbreak.jpg"}),
    ],
)  # fmt: skip
def test_what_a_path_says(text: str, path: str, facts: dict[str, str]) -> None:
    assert Pattern(text).read(path) == facts


@pytest.mark.parametrize(
    "text, path",
    [
        ("{identity}/{file}", "1.jpg"),
        ("{identity}/{file}", "a/b/1.jpg"),
        ("{identity}/{identity}_{file}", "Ana/Eva_1.jpg"),
        ("data/{identity}/{file}", "date/Ana/1.jpg"),
        ("a.c/{file}", "abc/1.jpg"),
    ],
)
def test_paths_that_do_not_fit(text: str, path: str) -> None:
    assert Pattern(text).read(path) is None


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "must have {file} once"),
        ("{identity}", "must have {file} once"),
        ("{file}/{identity}", "in the last part"),
        ("{file}_{file}", "must have {file} once"),
        ("{identity}{file}", "needs text between 'identity' and 'file'"),
        ("{a b}/{file}", "plain name"),
        ("{}/{file}", "plain name"),
        ("{n:04d}/{file}", "plain name"),
        ("{n!r}/{file}", "plain name"),
        ("{identity/{file}", "pattern '{identity/{file}'"),
        ("/{identity}/{file}", "relative to the root"),
        ("../{identity}/{file}", "relative to the root"),
        ("{identity}//{file}", "relative to the root"),
    ],
)
def test_texts_that_are_no_layouts(text: str, said: str) -> None:
    with pytest.raises(ValueError) as error:
        Pattern(text)
    assert said in str(error.value)


def test_names_and_fixed_folders() -> None:
    pattern = Pattern("data/test/{race}/{_}/{identity}/{file}")
    assert pattern.prefix == "data/test"
    assert pattern.attributes == ("race",)
    assert pattern.has_identity and not Pattern("{race}/{file}").has_identity
    assert Pattern("x{race}/{file}").prefix == ""


words = st.text(st.characters(blacklist_characters="/_", blacklist_categories=("Cs",)), min_size=1)


@given(words, words, words, words)
def test_a_path_made_from_a_layout_is_read_back(race: str, gender: str, identity: str, file: str) -> None:
    found = Pattern("{race}_{gender}/{identity}/{file}").read(f"{race}_{gender}/{identity}/{file}")
    assert found == {"race": race, "gender": gender, "identity": identity, "file": file}
