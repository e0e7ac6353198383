from __future__ import annotations

import numpy as np
import pytest

from unveil.methods.avatar_2d import WARDROBE
from unveil.methods.body_fit import Fit, fit
from unveil.methods.body_model import Body, neutral
from unveil.methods.body_render import paint

from .material import STANDING

pytest.importorskip("anny", reason="the body comes with anny (extra: avatar)")

UNDER = np.full((300, 140, 3), (10, 200, 30), np.uint8)


@pytest.fixture(scope="module")
def posed() -> tuple[Body, Fit]:
    points = STANDING * [100, 280] + [20, 10]
    return neutral(), fit(neutral(), points[None], np.array([280.0]))[0]


def test_the_body_covers_its_keypoints_and_nothing_far_from_them(posed: tuple[Body, Fit]) -> None:
    picture = paint(UNDER, *posed, (0, 0), WARDROBE[0])
    changed = (picture != UNDER).any(2)
    for x, y in posed[1].points[5:].astype(int):  # of the head they lie on the surface
        assert changed[y, x]
    assert 0.05 < changed.mean() < 0.5
    assert not changed[:, :3].any() and not changed[:3].any()
    assert (UNDER == (10, 200, 30)).all()


def test_clothes_have_the_colors_of_the_wardrobe_in_some_light(posed: tuple[Body, Fit]) -> None:
    picture = paint(UNDER, *posed, (0, 0), WARDROBE[1]).astype(float)
    shoulders, hips, knee = posed[1].points[5:7].mean(0), posed[1].points[11:13].mean(0), posed[1].points[13]
    for (x, y), color in ((0.6 * shoulders + 0.4 * hips, WARDROBE[1].shirt), (knee, WARDROBE[1].trousers)):
        share = picture[int(y), int(x)] / color
        assert np.ptp(share) < 0.05 and 0.5 < share.mean() <= 1.01


def test_a_part_of_a_picture_is_painted_as_in_the_whole(posed: tuple[Body, Fit]) -> None:
    whole = paint(UNDER, *posed, (0, 0), WARDROBE[0])
    part = paint(UNDER[40:180, 30:110], *posed, (30, 40), WARDROBE[0])
    off = np.abs(part.astype(int) - whole[40:180, 30:110]).max(2)
    assert np.mean(off > 2) < 0.01  # single rays that meet an edge


def test_a_large_part_is_painted_with_one_ray_per_pixel(posed: tuple[Body, Fit]) -> None:
    ground = np.zeros((300, 400, 3), np.uint8)
    large = paint(ground, *posed, (0, 0), WARDROBE[0])
    small = paint(ground[:, :140], *posed, (0, 0), WARDROBE[0])
    off = np.abs(large[:, :140].astype(int) - small).max(2)
    assert np.mean(off > 40) < 0.02  # the outline


def test_a_body_outside_of_the_part_changes_nothing(posed: tuple[Body, Fit]) -> None:
    assert np.array_equal(paint(UNDER[:5, :5], *posed, (1000, 1000), WARDROBE[0]), UNDER[:5, :5])
