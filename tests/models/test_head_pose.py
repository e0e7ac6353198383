"""Angles of a head, against SciPy's rotations; photos that are turned are in ``test_face_landmarker``."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from unveil.models.head_pose import angles

whole_turn, quarter = st.floats(-179.9, 179.9), st.floats(-89, 89)


@given(whole_turn, quarter, whole_turn, st.floats(0.01, 100))
def test_angles_are_those_of_the_rotation(yaw: float, pitch: float, roll: float, scale: float) -> None:
    transform = np.eye(4)
    transform[:3, :3] = scale * Rotation.from_euler("YXZ", (yaw, pitch, roll), degrees=True).as_matrix()
    transform[:3, 3] = (1, 2, -40)
    assert angles(transform) == pytest.approx((yaw, pitch, roll), abs=1e-6)


@pytest.mark.parametrize(
    ("angle", "looks_at"),
    [("Y", (1, 0, 0)), ("X", (0, -1, 0))],
    ids=["a positive yaw: to the right side of the picture", "a positive pitch: down"],
)
def test_signs(angle: str, looks_at: tuple[float, float, float]) -> None:
    turned = Rotation.from_euler(angle, 89, degrees=True)
    assert turned.apply((0, 0, 1)) == pytest.approx(looks_at, abs=0.02)
    found = dict(zip("YXZ", angles(turned.as_matrix()), strict=True))
    assert found == pytest.approx({"Y": 0, "X": 0, "Z": 0, angle: 89})


def test_a_positive_roll_tilts_the_top_of_the_head_to_the_left_side_of_the_picture() -> None:
    tilted = Rotation.from_euler("Z", 30, degrees=True)
    assert tilted.apply((0, 1, 0))[0] < 0
    assert angles(tilted.as_matrix()) == pytest.approx((0, 0, 30))


@given(st.sampled_from((90.0, -90.0)), whole_turn, whole_turn)
def test_straight_up_and_down_still_say_where_the_head_is(pitch: float, yaw: float, roll: float) -> None:
    matrix = Rotation.from_euler("YXZ", (yaw, pitch, roll), degrees=True).as_matrix()
    found = angles(matrix)
    assert found[0] == 0 and found[1] == pytest.approx(pitch, abs=1e-3)
    again = Rotation.from_euler("YXZ", found, degrees=True).as_matrix()
    assert again == pytest.approx(matrix, abs=1e-4)


@pytest.mark.parametrize("matrix", [np.diag([-1.0, 1, 1]), np.zeros((4, 4)), np.full((3, 3), np.nan)])
def test_what_is_no_rotation_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(ValueError, match="finite rotation"):
        angles(matrix)
