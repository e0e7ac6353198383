"""Rays against surfaces whose picture is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from unveil.methods.mesh_raster import Camera, View, look

pytest.importorskip("warp", reason="rendering needs warp (extra: avatar)")

AHEAD = Camera(np.eye(3), np.zeros(3), focal=100.0, centre=(32.0, 24.0))
SIZE = (64, 48)
NEAR = [[-0.3, -0.3, 3.0], [0.3, -0.3, 3.0], [0.3, 0.3, 3.0], [-0.3, 0.3, 3.0]]
FAR = [[-9.0, -9.0, 5.0], [9.0, -9.0, 5.0], [9.0, 9.0, 5.0], [-9.0, 9.0, 5.0]]
SQUARE = [[0, 2, 1], [0, 3, 2]]


def picture() -> View:
    faces = np.concatenate([SQUARE, np.add(SQUARE, 4)])
    return look(vertices=np.array(NEAR + FAR), faces=faces, camera=AHEAD, size=SIZE)


def test_the_nearer_square_covers_the_farther_one_exactly_where_it_projects_to() -> None:
    view = picture()
    y, x = np.mgrid[0.5:48, 0.5:64]
    inside = (abs(x - 32) < 10) & (abs(y - 24) < 10)
    np.testing.assert_array_equal(np.isin(view.face, (0, 1)), inside)
    np.testing.assert_allclose(view.depth, np.where(inside, 3.0, 5.0), atol=1e-5)
    assert view.mask.all()


def test_position_and_normal_are_those_of_the_surface() -> None:
    view, vertices = picture(), np.array(NEAR + FAR)
    points = view.interpolate(values=vertices, faces=np.concatenate([SQUARE, np.add(SQUARE, 4)]))
    there = AHEAD.project(points.reshape(-1, 3)).reshape(48, 64, 2)
    np.testing.assert_allclose(
        there, np.stack(np.meshgrid(np.arange(64) + 0.5, np.arange(48) + 0.5), -1), atol=1e-3
    )
    np.testing.assert_allclose(view.barycentric.sum(-1), 1.0, atol=1e-5)
    np.testing.assert_allclose(view.normal, np.broadcast_to([0.0, 0.0, -1.0], (48, 64, 3)), atol=1e-6)


def test_both_sides_of_a_face_are_seen_and_its_normal_is_turned_towards_the_camera() -> None:
    away = look(vertices=np.array(FAR), faces=np.array(SQUARE)[:, ::-1], camera=AHEAD, size=SIZE)
    np.testing.assert_allclose(away.normal[24, 32], [0.0, 0.0, -1.0], atol=1e-6)


def test_pixels_without_a_face_say_so() -> None:
    view = look(vertices=np.array(NEAR), faces=np.zeros((0, 3)), camera=AHEAD, size=SIZE)
    assert not view.mask.any() and np.isinf(view.depth).all() and not view.barycentric.any()


def test_a_camera_that_looks_at_a_point_sees_it_in_the_middle_with_up_upwards() -> None:
    camera = Camera.looking(eye=(0.0, -4.0, 1.0), target=(0.0, 0.0, 1.0), focal=50.0, centre=(20.0, 10.0))
    points = camera.project(np.array([[0, 0, 1], [0, 0, 2], [1, 0, 1], [0, -9, 1]]))
    np.testing.assert_allclose(points[:3], [[20, 10], [20, 10 - 12.5], [20 + 12.5, 10]])
    assert np.isnan(points[3]).all()


@pytest.mark.parametrize(("faces", "size", "word"), [([[0, 1, 4]], SIZE, "faces"), (SQUARE, (0, 4), "size")])
def test_impossible_input_is_refused(faces: list[list[int]], size: tuple[int, int], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        look(vertices=np.array(NEAR), faces=np.array(faces), camera=AHEAD, size=size)
    with pytest.raises(ValueError, match="target"):
        Camera.looking(eye=(0.0, 0.0, 1.0), target=(0.0, 0.0, 1.0), focal=1.0, centre=(0.0, 0.0))
