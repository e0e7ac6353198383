from __future__ import annotations

from dataclasses import replace

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
    whole = paint(UNDER, *posed, (0, 0), WARDROBE[0])[40:180, 30:110]
    part = paint(UNDER[40:180, 30:110], *posed, (30, 40), WARDROBE[0])
    off = np.abs(part.astype(int) - whole).max(2)[1:-1, 1:-1]  # the outline is softened up to the border
    assert np.mean(off > 2) < 0.01  # single rays that meet an edge


def test_the_outline_is_between_body_and_ground(posed: tuple[Body, Fit]) -> None:
    ground = np.zeros((300, 140, 3), np.uint8)
    bright = (paint(ground, *posed, (0, 0), WARDROBE[2]).max(2) > 0).astype(int)
    dress = replace(WARDROBE[2], skin=(200, 200, 200), shirt=(200, 200, 200), trousers=(200, 200, 200))
    grey = paint(ground, *posed, (0, 0), dress)[..., 0]
    assert (grey[bright == 0] == 0).all()
    border = np.argmax(grey > 0, axis=1)[120:200]  # first pixels of the body in rows of the trunk and the legs
    assert (grey[np.arange(120, 200), border] < 0.55 * 200 * 0.9).mean() > 0.8  # darker than any light inside


def test_a_body_outside_of_the_part_changes_nothing(posed: tuple[Body, Fit]) -> None:
    assert np.array_equal(paint(UNDER[:5, :5], *posed, (1000, 1000), WARDROBE[0]), UNDER[:5, :5])
