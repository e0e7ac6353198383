"""The five steps on made pictures, and on the published annotations of all 22,167."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.errors import DataError
from unveil.core.scenes import LABELS
from unveil.datasets.derivation_files import PUBLISHED, read_source
from unveil.datasets.derive_hr_vispr import SAFE_PICTURES, Derivation, derive
from unveil.datasets.hr_vispr_mapping import CLOTHING, LEFT_OUT, REUSED
from unveil.datasets.sheets import Sheet
from unveil.datasets.vispr_attributes import ATTRIBUTES

Annotations = dict[tuple[str, str], frozenset[str]]


def notes(**pictures: str) -> Annotations:
    """``notes(a="a4_gender a9_face_complete")``, all in the train split."""
    return {("train2017", name): frozenset(text.split()) for name, text in pictures.items()}


def labels(derivation: Derivation) -> dict[str, set[str]]:
    return {row.id: set(row.attributes) for row in derivation.rows}


def test_the_tables_name_what_there_is() -> None:
    used = [attribute for parts in REUSED.values() for attribute in parts]
    assert set(used) <= set(ATTRIBUTES) and len(set(used)) == len(used) == 15 and len(REUSED) == 13
    assert set(LEFT_OUT) <= set(ATTRIBUTES) and not set(LEFT_OUT) & set(used) and all(LEFT_OUT.values())
    assert {*REUSED, *CLOTHING} == set(LABELS) and len(CLOTHING) == 5
    for label, parts in REUSED.items():  # an attribute's id holds its name
        word = {"skin color": "color", "hair color": "hair", "ethnic clothing": "ethnic"}.get(label, label)
        assert all(word in part for part in parts), label


def test_the_five_steps() -> None:
    derived = derive(
        notes(
            document="a4_gender a31_passport",
            text="a90_email",
            place="a73_landmark",
            contradiction="a0_safe a4_gender",
            safe="a0_safe",
            woman="a4_gender a10_face_partial a9_face_complete a12_semi_nudity a5_eye_color a64_rel_personal",
            church="a55_religion",
            seen="a17_color",
            absent="a6_hair_color",
        ),
        [
            Sheet(
                "first",
                {"woman": {"formal clothing": True, "uniforms": True}, "seen": {"race": True}},
                frozenset(),
            ),
            Sheet(
                "second",
                {"woman": {"uniforms": False}, "church": {"religion": False}, "safe": {"uniforms": False}},
                frozenset({"absent"}),
            ),
        ],
    )
    assert labels(derived) == {
        "safe": set(),
        "woman": {"gender", "face", "nudity", "formal clothing"},
        "seen": {"skin color", "race"},
    }
    kept = [sum(step.kept.values()) for step in derived.steps]
    assert kept == [9, 7, 4, 4, 4, 3, 3] and [step.number for step in derived.steps] == list(range(7))
    start, visual, clear, reused, clothed, corrected, divided = derived.steps
    assert start.dropped == {} and start.labels["a4_gender"] == 3
    assert list(visual.dropped) == [
        "a31_passport: a document fills the picture",
        "a90_email: is read, not seen: from a document, a screen or a caption",
    ]
    assert clear.dropped == {
        "its content does not show its labels, says a sheet": 1,
        "annotated as safe and as private at once": 1,
        "no attribute of a person": 1,
    }
    assert clear.changed == {"face and nudity": 1} and clear.labels["face"] == 1
    assert clear.labels["a64_rel_personal"] == 1 and "a64_rel_personal" not in reused.labels
    assert clothed.changed == {"+ formal clothing": 1} and clothed.labels["formal clothing"] == 1
    assert corrected.changed == {"+ race": 1} and corrected.dropped == {"no label is left": 1}
    assert divided.kept == {"train": 3, "validation": 0, "test": 0} and derived.safe_candidates == 1
    assert {row.id for row in derived.rows if row.looked_at and not row.safe} == {"woman"}


def test_a_safe_picture_with_clothes_is_dropped() -> None:
    sheet = Sheet("s", {"a": {"casual clothing": True}}, frozenset())
    derived = derive(notes(a="a0_safe", b="a4_gender"), [sheet])
    assert labels(derived) == {"b": {"gender"}}
    assert derived.steps[4].dropped == {"safe by VISPR, but casual clothing by a sheet": 1}


def test_safe_pictures_are_for_training() -> None:
    many: Annotations = {("train2017", f"t{n:03}"): frozenset({"a0_safe"}) for n in range(50)}
    many |= {("test2017", "t"): frozenset({"a0_safe"}), ("test2017", "p"): frozenset({"a4_gender"})}
    for safe, expected in ((None, 50), (0, 0), (7, 7), (99, 50)):
        derived = derive(many, safe=safe)
        chosen = [row for row in derived.rows if row.safe]
        assert len(chosen) == expected and {row.split for row in chosen} <= {"train"}
        assert derived.safe_candidates == 50
    fewer = {row.id for row in derive(many, safe=5).rows if row.safe}
    assert fewer < {row.id for row in derive(many, safe=9).rows if row.safe}
    assert fewer != {f"t{n:03}" for n in range(5)}  # drawn, not the first


def test_what_is_refused() -> None:
    one = notes(a="a4_gender")
    with pytest.raises(ValueError, match="division must be vispr or hr_vispr, not 'other'"):
        derive(one, division="other")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="safe must be an integer of at least 0, not -1"):
        derive(one, safe=-1)
    with pytest.raises(DataError, match=r"sheet.csv: names none of the 1 pictures"):
        derive(one, [Sheet("sheet.csv", {"b": {}}, frozenset())])
    with pytest.raises(DataError, match=r"1 pictures of people are too few for 1000 \+ 2000 and training"):
        derive(one, division="hr_vispr")


pictures = st.dictionaries(
    st.tuples(st.sampled_from(("train2017", "val2017", "test2017")), st.text("abc", min_size=1, max_size=3)),
    st.frozensets(st.sampled_from(ATTRIBUTES), max_size=5),
    max_size=20,
)


@settings(max_examples=60, deadline=None)
@given(pictures)
def test_every_picture_is_kept_or_left_out_once(annotations: Annotations) -> None:
    derived = derive(annotations)
    for before, after in zip(derived.steps[:-1], derived.steps[1:], strict=True):
        assert sum(before.kept.values()) == sum(after.kept.values()) + sum(after.dropped.values())
    for row in derived.rows:
        assert row.attributes <= set(LABELS) and bool(row.attributes) != row.safe
    assert derived == derive(dict(reversed(annotations.items())))


@pytest.fixture(scope="module")
def published(shared_data: Path) -> Annotations:
    return read_source(shared_data / "vispr" / "labels.csv.gz")


def test_the_published_annotations(published: Annotations) -> None:
    derived = derive(published)
    people = [row for row in derived.rows if not row.safe]
    assert len(published) == 22167 and len(people) == 10237
    assert abs(len(people) / sum(PUBLISHED.values()) - 1) < 0.015  # 10.11k are published
    assert derived.safe_candidates == 3701 and len(derived.rows) - len(people) == SAFE_PICTURES == 788
    steps = [sum(step.kept.values()) for step in derived.steps]
    assert steps == [22167, 19781, 18476, 18476, 18476, 18476, 11025]
    assert [sum(row.split == split for row in people) for split in PUBLISHED] == [4623, 1936, 3678]
    assert derived.steps[2].dropped["annotated as safe and as private at once"] == 14
    assert derived.steps[-1].labels == {
        "skin color": 9920, "gender": 9806, "face": 9378, "hair color": 9373, "race": 9216, "age": 8538,
        "weight": 4822, "height": 3650, "nudity": 1327, "sports": 843, "ethnic clothing": 371, "religion": 256,
        "disability": 185,
    }  # fmt: skip


def test_the_published_division(published: Annotations) -> None:
    derived = derive(published, division="hr_vispr")
    people = [row for row in derived.rows if not row.safe]
    assert [sum(row.split == split for row in people) for split in PUBLISHED] == [7237, 1000, 2000]
    assert {row.folder for row in people if row.split == "test"} == {"train2017", "val2017", "test2017"}


def test_the_published_examples(published: Annotations, shared_data: Path) -> None:
    """Eight label vectors are published: without their clothing labels they follow from the mapping."""
    facts = json.loads((shared_data / "vispr" / "hr_vispr_labels.json").read_text())
    names = dict(zip(facts["labels_18"], LABELS, strict=True))
    derived = labels(derive(published))
    examples = {k: {names[name] for name in v} for k, v in facts["examples_test"].items()}
    assert len(examples) == 8 and {"disability", "sports", "religion"} <= set().union(*examples.values())
    assert {name: derived[name] for name in examples} == {k: v - set(CLOTHING) for k, v in examples.items()}
