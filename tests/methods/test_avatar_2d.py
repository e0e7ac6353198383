from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unveil.core.scenes import KEYPOINTS
from unveil.core.types import Protected
from unveil.methods.avatar_2d import WARDROBE, Avatar2D
from unveil.methods.figure import draw, known, stature

from .material import STANDING, Context, crowd, picture, sample

NOTHING = np.full((17, 2), np.nan, np.float32)
COLORS = {color for dress in WARDROBE for color in (dress.skin, dress.shirt, dress.trousers)}


def shown(canvas: np.ndarray, color: tuple[int, int, int]) -> np.ndarray:
    return (canvas == color).all(axis=2)


def test_the_figure_takes_the_pose() -> None:
    canvas = np.zeros((300, 120, 3), np.uint8)
    points = (STANDING * [80, 280] + [20, 10]).astype(np.float32)
    draw(canvas, points, (20, 10, 100, 290), WARDROBE[0])
    at = {name: tuple(points[i].round().astype(int)) for i, name in enumerate(KEYPOINTS)}
    for names, color in (
        (("nose", "left wrist", "right wrist"), WARDROBE[0].skin),
        (("left shoulder", "left elbow", "right elbow"), WARDROBE[0].shirt),
        (("left knee", "right ankle"), WARDROBE[0].trousers),
    ):
        assert all(tuple(canvas[at[name][1], at[name][0]]) == color for name in names)
    assert not canvas[240:, 58:62].any()  # between the legs


def test_stature_follows_from_the_longest_part_or_from_the_mask() -> None:
    points = NOTHING.astype(float)
    assert stature(points, (10, 10, 30, 60)) == 50
    points[KEYPOINTS.index("left hip")], points[KEYPOINTS.index("left knee")] = (0, 0), (0, 49)
    assert stature(points, (10, 10, 30, 60)) == pytest.approx(200)
    points[KEYPOINTS.index("left ankle")] = (0, 50)  # the shank points at the camera
    assert stature(points, (10, 10, 30, 60)) == pytest.approx(200)


def test_who_has_too_few_keypoints_stays_and_is_named() -> None:
    image = picture(60, 90)
    people = crowd(image.shape, [(0, 0, 30, 60), (40, 0, 80, 60)])
    assert people.landmarks is not None and people.masks is not None
    landmarks = people.landmarks.copy()
    landmarks[0, 3:] = np.nan
    (result,) = Avatar2D().protect([image], Context([sample()], people=replace(people, landmarks=landmarks)))
    assert isinstance(result, Protected)
    assert result.unprotected == ("person at (0, 0, 30, 60): 3 of 17 keypoints known, 4 needed",)
    assert np.array_equal(result.image[:, :30], image[:, :30])
    assert not np.array_equal(result.image[:, 40:80], image[:, 40:80])
    (none,) = Avatar2D().protect([image], Context([sample()], people=replace(people, landmarks=None)))
    assert [line.split(": ")[1] for line in none.unprotected] == ["0 of 17 keypoints known, 4 needed"] * 2


def test_who_stands_nearer_is_drawn_in_front() -> None:
    image = np.zeros((120, 100, 3), np.uint8)
    people = crowd(image.shape, [(20, 10, 80, 119), (20, 0, 80, 100)])
    (result,) = Avatar2D().protect([image], Context([sample()], people=people))
    middle = people.landmarks[0, [5, 6, 11, 12]].mean(0).round().astype(int)  # type: ignore[index]
    assert tuple(result[middle[1], middle[0]]) == WARDROBE[0].shirt


def test_a_portrait_gets_a_torso_that_leaves_the_picture() -> None:
    points = NOTHING.copy()
    for name, place in {"nose": (50, 30), "left shoulder": (80, 70), "right shoulder": (20, 70)}.items():
        points[KEYPOINTS.index(name)] = place
    canvas = np.zeros((100, 100, 3), np.uint8)
    draw(canvas, points, (10, 5, 90, 100), WARDROBE[1])
    assert shown(canvas, WARDROBE[1].shirt)[99, 30:70].all()
    assert tuple(canvas[30, 50]) == WARDROBE[1].skin


@settings(deadline=None)
@given(arrays(np.float32, (17, 2), elements=st.floats(width=32)), st.integers(1, 60), st.integers(1, 60))
def test_any_keypoints_are_drawn_or_named(points: np.ndarray, height: int, width: int) -> None:
    people = replace(crowd((height, width), [(0, 0, width, height)]), landmarks=points[None])
    image = np.zeros((height, width, 3), np.uint8)
    (result,) = Avatar2D(keypoints=1).protect([image], Context([sample()], people=people))
    assert isinstance(result, Protected) or result.shape == image.shape
    assert known(points) == np.isfinite(points).all(axis=1).sum()
