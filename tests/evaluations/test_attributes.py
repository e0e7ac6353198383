"""What an estimator says before and after protection: statuses, values, and the truth beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.roles import Kind
from unveil.core.types import Value
from unveil.evaluations.attributes import Attributes
from unveil.testing import check_evaluation

KINDS: Mapping[str, Kind] = {
    "age": "numeric",
    "gender": "categorical",
    "head_pose": "angles",
    "gender_confidence": "confidence",
}
ANN: Mapping[str, Value] = {
    "age": 40.0,
    "gender": "Female",
    "head_pose": (10.0, 0.0, 0.0),
    "gender_confidence": 0.9,
}


class Told:
    """Implements :class:`unveil.core.protocols.Templates`: a status and values, given photo by photo."""

    def __init__(self, faces: Mapping[str, tuple[str, Mapping[str, Value]]]) -> None:
        status = [state for state, _ in faces.values()]
        reason = ["" if state == "ok" else "because" for state in status]
        self.faces = pd.DataFrame({"status": status, "reason": reason}, index=pd.Index(faces, name="sample_id"))
        self._values = {name: values if state == "ok" else {} for name, (state, values) in faces.items()}

    def attributes(self, sample_ids: Sequence[str]) -> list[Mapping[str, Value]]:
        return [self._values[name] for name in sample_ids]


class Estimator:
    kinds = KINDS


class Context:
    """The part of :class:`unveil.core.protocols.FaceContext` that is asked."""

    method = "mine"

    def __init__(self, samples: pd.DataFrame, original: Told, protected: Told) -> None:
        self.samples = samples
        self._versions = {"original": original, "protected": protected}

    def templates(self, version: Literal["original", "protected"]) -> Told:
        return self._versions[version]

    def model(self, role: str) -> type[Estimator]:
        assert role == "estimator"
        return Estimator


def observe(
    before: tuple[str, Mapping[str, Value]], after: tuple[str, Mapping[str, Value]], **truth: Any
) -> pd.DataFrame:
    samples = pd.DataFrame({name: [value] for name, value in truth.items()}, index=pd.Index(["a.jpg"]))
    units = Attributes().units(samples, "", [], np.random.default_rng(0))
    context: Any = Context(samples, Told({"a.jpg": before}), Told({"a.jpg": after}))
    return Attributes().observe(units, "", context).set_index("attribute")


def test_every_attribute_but_confidences_has_a_row_of_its_own() -> None:
    found = observe(("ok", ANN), ("ok", {**ANN, "age": 50.0, "gender": "Male", "head_pose": (0.0, 10.0, 0.04)}))
    assert list(found.index) == ["age", "gender", "head_pose"]
    assert found["unit_id"].tolist() == ["a.jpg#age", "a.jpg#gender", "a.jpg#head_pose"]
    assert found["kind"].tolist() == ["numeric", "categorical", "angles"]
    assert found["told_original"].tolist() == ["40.0", "Female", "10.0,0.0,0.0"]
    assert found["told_protected"].tolist() == ["50.0", "Male", "0.0,10.0,0.0"]
    assert found["preserved"].tolist() == pytest.approx([0.8, 0.0, 0.0])
    assert (found["status"] == "ok").all() and (found["reason"] == "").all()
    assert (found["true_value"] == "").all() and found[["correct", "correct_original"]].isna().all(axis=None)
    for name, kind in Attributes.meta.columns.items():
        pa.Array.from_pandas(found.reset_index()[name], type=kind)


@pytest.mark.parametrize(
    ("before", "after", "status", "reason"),
    [
        ("ok", "ok", "ok", ""),
        ("ok", "not_acquired", "not_acquired", "because"),
        ("ok", "not_protected", "not_protected", "because"),
        ("ok", "error", "error", "because"),
        ("not_acquired", "ok", "error", "no_face_in_reference"),
        ("not_acquired", "not_acquired", "error", "no_face_in_reference"),
        ("error", "ok", "error", "reference_broken"),
        ("not_acquired", "not_protected", "not_protected", "because"),
        ("error", "not_protected", "not_protected", "because"),
    ],
)
def test_every_status_is_accounted_for(before: str, after: str, status: str, reason: str) -> None:
    found = observe((before, ANN), (after, ANN), gender="Female")
    assert set(found["status"]) == {status} and set(found["reason"]) == {reason}
    assert found["preserved"].isna().all() == (status != "ok")
    assert (found["told_original"] == "").all() == (before != "ok")
    assert (found["told_protected"] == "").all() == (after != "ok")
    assert np.isnan(found.at["gender", "correct"]) == (after != "ok")
    assert np.isnan(found.at["gender", "correct_original"]) == (before != "ok")


def test_an_attribute_that_is_not_told_is_lost_alone() -> None:
    less = {name: value for name, value in ANN.items() if name != "gender"}
    after, before = observe(("ok", ANN), ("ok", less)), observe(("ok", less), ("ok", ANN))
    assert after["status"].to_dict() == {"age": "ok", "gender": "not_acquired", "head_pose": "ok"}
    assert after.at["gender", "reason"] == "not_told"
    assert before["status"].to_dict() == {"age": "ok", "gender": "error", "head_pose": "ok"}
    assert before.at["gender", "reason"] == "not_told_of_reference"


def test_an_impossible_value_is_an_error() -> None:
    found = observe(("ok", ANN), ("ok", {**ANN, "age": -3.0}), age="40")
    assert found["status"].to_dict() == {"age": "error", "gender": "ok", "head_pose": "ok"}
    assert found.at["age", "reason"].startswith(
        "bad_output: a numeric value must be a finite number from 0, got -3"
    )
    assert np.isnan(found.at["age", "preserved"]) and np.isnan(found.at["age", "correct"])


@pytest.mark.parametrize(
    ("truth", "text", "correct", "original"),
    [
        ({"gender": "female"}, "female", 0.0, 1.0),
        ({"gender": "MALE"}, "MALE", 1.0, 0.0),
        ({"gender": "M"}, "M", 0.0, 0.0),
        ({"gender": ""}, "", np.nan, np.nan),
        ({"gender": None}, "", np.nan, np.nan),
        ({"gender": np.nan}, "", np.nan, np.nan),
    ],
)
def test_words_against_the_truth(truth: dict[str, Any], text: str, correct: float, original: float) -> None:
    row = observe(("ok", ANN), ("ok", {**ANN, "gender": "Male"}), **truth).loc["gender"]
    assert row["true_value"] == text
    assert np.array_equal([row["correct"], row["correct_original"]], [correct, original], equal_nan=True)


@pytest.mark.parametrize(
    ("truth", "correct"), [("50", 0.8), (50.0, 0.8), ("0", 0.0), ("40-49", np.nan), ("?", np.nan)]
)
def test_numbers_against_the_truth(truth: str | float, correct: float) -> None:
    row = observe(("ok", ANN), ("ok", ANN), age=truth).loc["age"]
    assert np.array_equal([row["correct"]], [np.float32(correct)], equal_nan=True)
    assert row["true_value"] == str(truth)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(*[st.sampled_from(("ok", "not_acquired", "not_protected", "error"))] * 2), max_size=6))
def test_no_row_is_ever_lost(states: list[tuple[str, str]]) -> None:
    names = [f"{n}.jpg" for n in range(len(states))]
    samples = pd.DataFrame({"gender": ["Male"] * len(names)}, index=pd.Index(names, dtype=object))
    original = Told({n: (b.replace("not_protected", "ok"), ANN) for n, (b, _) in zip(names, states, strict=True)})
    protected = Told({n: (a, ANN) for n, (_, a) in zip(names, states, strict=True)})
    units = Attributes().units(samples, "", [], np.random.default_rng(0))
    context: Any = Context(samples, original, protected)
    found = Attributes().observe(units, "", context)
    assert found["unit_id"].is_unique and len(found) == 3 * len(names)
    unprotected = sum(after == "not_protected" for _, after in states)
    assert (found["status"] == "not_protected").sum() == 3 * unprotected
    assert (found["preserved"].notna() == (found["status"] == "ok")).all()


def test_it_keeps_the_promises_of_an_evaluation() -> None:
    check_evaluation(Attributes())
