"""Poses that are known are found again, from every side."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unveil.core.scenes import KEYPOINTS
from unveil.methods.body_fit import Fit, fit
from unveil.methods.body_model import HINGES, Body, neutral

pytest.importorskip("anny", reason="the body comes with anny (extra: avatar)")

USUAL = np.array([hinge.usual for hinge in HINGES])
HEAD = [KEYPOINTS.index(name) for name in ("nose", "left eye", "right eye", "left ear", "right ear")]
SCALE, PLACE = 150.0, np.array([200.0, 160.0])


@pytest.fixture(scope="module")
def body() -> Body:
    return neutral()


def marks(body: Body, pose: np.ndarray) -> np.ndarray:
    points = body.keypoints(body.pose(pose[None]))[0][0]
    return PLACE + SCALE * points[:, [0, 2]] * [1, -1]


def height(points: np.ndarray) -> float:
    return float(np.nanmax(points[:, 1]) - np.nanmin(points[:, 1]))


def alone(body: Body, points: np.ndarray) -> Fit:
    return fit(body, points[None], np.array([height(points)]))[0]


def facing(body: Body, pose: np.ndarray) -> float:
    """Direction of the chest as seen from above, 0 towards the camera, in radians."""
    left, right = (body.keypoints(body.pose(pose[None]))[0][0][KEYPOINTS.index(f"{s} shoulder")] for s in SIDES)
    return math.atan2(left[1] - right[1], left[0] - right[0])


SIDES = ("left", "right")


@pytest.mark.parametrize(
    ("degrees", "headless"),
    [
        *((degrees, False) for degrees in range(0, 360, 45)),
        *(
            (degrees, True) for degrees in range(0, 360, 45) if degrees % 180 != 90
        ),  # nobody could tell from the side
    ],
)
def test_how_a_person_is_turned_is_found(body: Body, degrees: int, headless: bool) -> None:
    pose = USUAL.copy()
    pose[2] = math.radians(degrees)
    points = marks(body, pose)
    if headless:
        points[HEAD] = np.nan
    found = alone(body, points)
    off = facing(body, found.angles) - math.radians(degrees)
    assert abs(math.remainder(off, 2 * math.pi)) < math.radians(20)
    assert found.error < 0.01 * height(points)
    assert found.scale == pytest.approx(SCALE, rel=0.05)
    np.testing.assert_allclose(found.place, PLACE, atol=0.05 * SCALE)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_usual_poses_are_met(seed: int) -> None:
    body, random = neutral(), np.random.default_rng(seed)
    spread = np.array([min(hinge.spread, 0.5) for hinge in HINGES])
    limits = ([hinge.low for hinge in HINGES], [hinge.high for hinge in HINGES])
    points = marks(body, np.clip(random.normal(USUAL, spread), *limits))
    found = alone(body, points)
    assert found.error < 0.02 * height(points)
    assert found.error == pytest.approx(np.linalg.norm(found.points - points, axis=1).mean())


def test_joints_do_not_bend_the_wrong_way(body: Body) -> None:
    pose = USUAL.copy()
    knee = [h.part for h in HINGES].index("left shank")
    pose[knee], pose[2] = -1.2, math.radians(90)
    assert alone(body, marks(body, pose)).angles[knee] > -0.2


def test_people_do_not_influence_each_other(body: Body) -> None:
    random = np.random.default_rng(3)
    points = np.stack([marks(body, USUAL + random.normal(0, 0.3, len(HINGES))) for _ in range(3)])
    points[1, 11:] = np.nan
    sizes = np.array([height(p) for p in points])
    for one, together in zip(points, fit(body, points, sizes), strict=True):
        np.testing.assert_allclose(alone(body, one).points, together.points, atol=1e-6)


@given(
    points=arrays(np.float64, (17, 2), elements=st.floats(-2000, 2000)),
    hidden=st.sets(st.integers(0, 16), max_size=15),
)
@settings(max_examples=15, deadline=None)
def test_whatever_points_are_given_there_is_a_body(points: np.ndarray, hidden: set[int]) -> None:
    points[list(hidden)] = np.nan
    (found,) = fit(neutral(), points[None], np.array([300.0]))
    assert np.isfinite(found.angles).all() and np.isfinite(found.points).all() and found.scale > 0


def test_real_people_are_met_within_two_percent_of_their_box(body: Body, shared_data: Path) -> None:
    import json

    told = json.loads((shared_data / "people/coco_mini/person_keypoints.json").read_text())["annotations"]
    seen = [(np.array(a["keypoints"], float).reshape(17, 3), a["bbox"]) for a in told if a["num_keypoints"] >= 8]
    points = np.stack([np.where(k[:, 2:] > 0, k[:, :2], np.nan) for k, _ in seen])
    found = fit(body, points, np.array([max(box[2:]) for _, box in seen]))
    errors = [100 * f.error / box[3] for f, (_, box) in zip(found, seen, strict=True)]
    assert len(errors) > 20
    assert np.mean(errors) < 1.5
    assert np.median(errors) < 1.2
