from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from unveil.core import errors
from unveil.core.types import Detections, Failure, Outcome, Reason

boxes = hnp.arrays(np.float32, st.tuples(st.integers(1, 6), st.just(4)), elements=st.integers(0, 50))


@settings(deadline=None)
@given(boxes)
def test_the_largest_face_is_the_first_of_the_largest(found: np.ndarray) -> None:
    found[:, 2:] += found[:, :2]
    areas = [(right - left) * (bottom - top) for left, top, right, bottom in found.tolist()]
    assert Detections(found, np.ones(len(found), np.float32)).largest() == areas.index(max(areas))


def test_nothing_found_is_no_failure() -> None:
    nothing = Detections.empty()
    assert len(nothing) == 0 and nothing.boxes.shape == (0, 4) and nothing.boxes.dtype == np.float32
    with pytest.raises(ValueError, match="no detection to choose from"):
        nothing.largest()


def test_one_face_of_several() -> None:
    marks = np.arange(20, dtype=np.float32).reshape(2, 5, 2)
    found = Detections(
        np.array([[0, 0, 2, 2], [1, 1, 5, 5]], np.float32), np.array([0.5, 0.75], np.float32), marks
    )
    face = found.face(found.largest())
    assert face.box.tolist() == [1, 1, 5, 5] and face.score == 0.75
    assert face.landmarks is not None and (face.landmarks == marks[1]).all()
    assert Detections(found.boxes, found.scores).face(0).landmarks is None


def test_reasons_and_outcomes_are_their_text() -> None:
    assert Failure(Reason.NO_FACE).reason == "no_face"
    assert [str(outcome) for outcome in Outcome] == [
        "recognised", "not_recognised", "not_acquired", "not_protected", "error",
    ]  # fmt: skip


def test_every_error_is_an_unveil_error() -> None:
    kinds = [value for value in vars(errors).values() if isinstance(value, type)]
    assert len(kinds) == 6 and all(issubclass(kind, errors.UnveilError) for kind in kinds)
    assert issubclass(errors.UnknownComponent, errors.ConfigError)
