"""The rule that puts words to blendshapes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.models.blendshape_rules import (
    ACTIVE,
    CLOSED,
    HAPPY,
    NEUTRAL,
    OPEN,
    OTHERS,
    SMILE,
    expression,
    eye_status,
    mouth_status,
    smile,
)

MIDDLE = ("browInnerUp", "jawOpen")  # blendshapes that have no sides
WORDS = {"angry", "disgust", "fear", "happy", "sad", "surprise", "neutral"}


def face(**actions: float) -> dict[str, float]:
    """Blendshapes of a face at rest but for some actions, the same on both sides."""
    shapes = {}
    for name in ACTIVE:
        for full in (name,) if name in MIDDLE else (f"{name}Left", f"{name}Right"):
            shapes[full] = actions.get(name, 0.0)
    return shapes


def test_the_words_are_those_of_the_field() -> None:
    assert {HAPPY, NEUTRAL, *OTHERS} == WORDS
    assert {SMILE, *itertools.chain(*OTHERS.values())} == set(ACTIVE), "every threshold is used"


@pytest.mark.parametrize("word", OTHERS)
def test_an_expression_needs_all_of_its_actions(word: str) -> None:
    full = {action: ACTIVE[action] * 1.01 for action in OTHERS[word]}
    assert expression(face(**full)) == word
    for action in full:
        assert expression(face(**{**full, action: ACTIVE[action] * 0.99})) == NEUTRAL


def test_a_smile_is_happy_whatever_else_moves() -> None:
    assert expression(face(**{SMILE: ACTIVE[SMILE]})) == HAPPY
    assert expression(face(**{**dict.fromkeys(ACTIVE, 1.0), SMILE: ACTIVE[SMILE]})) == HAPPY
    assert expression(face(**{SMILE: ACTIVE[SMILE] * 0.99})) == NEUTRAL


def test_the_strongest_of_several_counts() -> None:
    both = {"browInnerUp": 0.9, "mouthFrown": 0.11, "browOuterUp": 0.9, "jawOpen": 0.3}
    assert expression(face(**both)) == "surprise"
    assert expression(face(**{**both, "mouthFrown": 0.9})) in ("sad", "surprise")
    assert expression(face(**{**both, "jawOpen": 0.101, "mouthFrown": 0.9})) == "sad"


@given(st.fixed_dictionaries(dict.fromkeys(ACTIVE, st.floats(0, 1))))
def test_every_face_has_one_word(actions: dict[str, float]) -> None:
    assert expression(face(**actions)) in WORDS
    assert (expression(face(**actions)) == HAPPY) == (actions[SMILE] >= ACTIVE[SMILE])


def test_both_sides_count_half() -> None:
    assert smile({"mouthSmileLeft": 0.2, "mouthSmileRight": 0.8}) == pytest.approx(0.5)


def test_each_eye_for_itself() -> None:
    shapes = {"eyeBlinkLeft": CLOSED, "eyeBlinkRight": CLOSED - 0.01}
    assert (eye_status(shapes, "Left"), eye_status(shapes, "Right")) == ("closed", "open")


@given(st.floats(0, 2), st.floats(0.1, 100), st.floats(0, 2 * np.pi))
def test_a_mouth_is_open_by_its_gap_whatever_its_size_and_tilt(gap: float, size: float, tilt: float) -> None:
    points = np.zeros((478, 2))
    points[[13, 14]] = (0, gap / 2), (0, -gap / 2)
    points[[78, 308]] = (-0.5, 0), (0.5, 0)
    turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
    if abs(gap - OPEN) > 1e-6:
        assert mouth_status(size * points @ turn) == ("open" if gap > OPEN else "closed")


def test_a_mouth_without_any_size_is_closed() -> None:
    assert mouth_status(np.zeros((478, 2))) == "closed"
