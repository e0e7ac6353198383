"""One formula per kind of attribute."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial import distance

from unveil.core.roles import Kind
from unveil.core.types import Value
from unveil.evaluations.preservation import preserved, spelled, understood

ages = st.floats(0, 1e6)
angle = st.floats(-180, 180)
poses = st.tuples(angle, angle, angle)


@given(ages, ages)
def test_numbers(one: float, other: float) -> None:
    value = preserved("numeric", one, other)
    assert 0 <= value <= 1 and value == preserved("numeric", other, one)
    assert (value == 1) == (one == other)
    if max(one, other) > 1e-300:
        assert value == pytest.approx(1 - abs(one - other) / max(one, other), abs=1e-12)


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [(0, 0, 1), (0, 40, 0), (40, 0, 0), (0, 5e-324, 0), (1, 100, 0.01), (20, 25, 0.8), (25, 20, 0.8), (31, 31, 1)],
)
def test_numbers_at_zero_and_far_apart(one: float, other: float, value: float) -> None:
    assert preserved("numeric", float(one), float(other)) == pytest.approx(value, abs=1e-15)


def test_the_formulas_that_are_not_offered_give_other_numbers() -> None:
    """Divided by the original's age, a child that looks old would count as less than nothing."""
    assert preserved("numeric", 20.0, 60.0) == pytest.approx(1 / 3)
    assert 1 - abs(20 - 60) / 20 == -1


@given(poses, poses)
def test_poses(one: tuple[float, ...], other: tuple[float, ...]) -> None:
    value = preserved("angles", one, other)
    assert -1 <= value <= 1 and value == preserved("angles", other, one)
    assert preserved("angles", one, one) == pytest.approx(1)
    assume(min(math.hypot(*one), math.hypot(*other)) > 1e-100)
    assert preserved("angles", one, tuple(-a for a in one)) == pytest.approx(-1)
    if min(math.hypot(*one), math.hypot(*other)) > 1e-3:
        assert value == pytest.approx(1 - distance.cosine(one, other), abs=1e-9)


def test_poses_without_a_direction() -> None:
    nowhere, left = (0.0, 0.0, 0.0), (0.0, 3.0, 0.0)
    assert preserved("angles", nowhere, nowhere) == 1
    assert preserved("angles", nowhere, left) == preserved("angles", left, nowhere) == 0


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [("happy", "happy", 1), ("happy", "sad", 0), ("Female", "female ", 1), ("M", "Male", 0)],
)
def test_words(one: str, other: str, value: float) -> None:
    assert preserved("categorical", one, other) == preserved("categorical", other, one) == value


@pytest.mark.parametrize(
    ("kind", "bad", "good"),
    [
        ("numeric", -1.0, 1.0),
        ("numeric", math.nan, 1.0),
        ("numeric", math.inf, 1.0),
        ("numeric", "31", 31.0),
        ("categorical", 1.0, "one"),
        ("angles", (1.0, 2.0), (1.0, 2.0, 3.0)),
        ("angles", (1.0, math.nan, 2.0), (1.0, 2.0, 3.0)),
        ("angles", 3.0, (1.0, 2.0, 3.0)),
        ("confidence", 0.5, 0.5),
    ],
)
def test_what_cannot_be_compared_is_said(kind: Kind, bad: Value, good: Value) -> None:
    for pair in ((bad, good), (good, bad)):
        with pytest.raises(ValueError, match=r"must be"):
            preserved(kind, *pair)


@given(st.one_of(ages, st.text(), poses))
def test_values_as_text_are_understood_again(value: Value) -> None:
    kind: Kind = "categorical" if isinstance(value, str) else "angles" if isinstance(value, tuple) else "numeric"
    again = understood(kind, spelled(value))
    if isinstance(value, tuple):
        assert np.allclose(again, value, atol=0.05001)  # one decimal
    else:
        assert again == value


@pytest.mark.parametrize(
    ("kind", "text"), [("numeric", "20-29"), ("numeric", "-3"), ("numeric", "nan"), ("angles", "1,2")]
)
def test_nothing_is_guessed(kind: Kind, text: str) -> None:
    with pytest.raises(ValueError, match=r"must be|could not convert"):
        understood(kind, text)
