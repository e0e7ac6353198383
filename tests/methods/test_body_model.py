"""The reduced body against anny's own skinning and keypoints."""

from __future__ import annotations

import numpy as np
import pytest

from unveil.core.scenes import KEYPOINTS
from unveil.methods.body_model import HINGES, PARTS, Body, neutral

pytest.importorskip("anny", reason="the body comes with anny (extra: avatar)")


@pytest.fixture(scope="module")
def body() -> Body:
    return neutral()


def angles(seed: int, count: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.6, (count, len(HINGES)))


def at(part: str, axis: int = 0) -> int:
    return [number for number, hinge in enumerate(HINGES) if hinge.part == part][axis]


def test_without_a_pose_the_body_is_at_rest(body: Body) -> None:
    vertices, normals = body.mesh(np.zeros(len(HINGES)))
    np.testing.assert_allclose(vertices, body.vertices, atol=1e-12)
    np.testing.assert_allclose(normals, body.normals, atol=1e-12)
    np.testing.assert_allclose(body.weights.sum(1), 1)
    assert 1.5 < np.ptp(vertices[:, 2]) < 1.9  # an adult


def test_posing_is_the_skinning_of_anny(body: Body) -> None:
    import anny
    import torch

    from unveil.methods.body_model import PHENOTYPE, _owners

    model, pose = anny.Anny(), body.pose(angles(1))
    owner = _owners(model.bone_labels, model.bone_parents)
    rest = model(phenotype_kwargs=PHENOTYPE)["rest_bone_poses"][0].numpy()
    moves = np.tile(np.eye(4), (len(owner), 1, 1))
    moves[:, :3, :3], moves[:, :3, 3] = pose.rotations[0, owner], pose.shifts[0, owner]
    wanted = model(
        pose_parameters=torch.as_tensor(moves @ rest)[None],
        phenotype_kwargs=PHENOTYPE,
        pose_parameterization="world",
    )["vertices"]
    np.testing.assert_allclose(body.mesh(angles(1)[0])[0], wanted[0].numpy(), atol=1e-6)
    regressor = anny.KeypointsRegressor.coco(model, labels=[name.replace(" ", "_") for name in KEYPOINTS])
    np.testing.assert_allclose(body.keypoints(pose)[0], regressor({"vertices": wanted}).numpy(), atol=1e-6)


def test_the_derivative_is_that_of_the_keypoints(body: Body) -> None:
    here, step = angles(2, 3), 1e-6
    points, slopes = body.keypoints(body.pose(here))
    for hinge in range(len(HINGES)):
        there = here.copy()
        there[:, hinge] += step
        moved = (body.keypoints(body.pose(there))[0] - points) / step
        np.testing.assert_allclose(slopes[:, hinge], moved, atol=1e-5)


@pytest.mark.parametrize(
    ("part", "axis", "point", "direction"),
    [
        ("thigh", 0, "knee", (0, -1, 1)),  # forward and up
        ("thigh", 1, "knee", (1, 0, 0)),
        ("shank", 0, "ankle", (0, 1, 1)),  # backward and up
        ("arm", 0, "wrist", (0, -1, 0)),
        ("arm", 1, "wrist", (0, 0, 1)),
        ("forearm", 0, "wrist", (0, -1, 0)),
        ("shoulder", 0, "shoulder", (0, 0, 1)),
    ],
)
def test_positive_angles_do_what_their_limits_are_made_for(
    body: Body, part: str, axis: int, point: str, direction: tuple[int, int, int]
) -> None:
    for side, sign in (("left", 1), ("right", -1)):
        pose = np.zeros((1, len(HINGES)))
        pose[0, at(f"{side} {part}", axis)] = 0.5
        moved = body.keypoints(body.pose(pose))[0] - body.keypoints(body.pose(0 * pose))[0]
        step = moved[0, KEYPOINTS.index(f"{side} {point}")]
        wanted = np.multiply(direction, (sign, 1, 1))
        assert (step[wanted != 0] * wanted[wanted != 0] > 0.005).all()


def test_the_body_is_symmetric(body: Body) -> None:
    both = np.zeros((1, len(HINGES)))
    for number, hinge in enumerate(HINGES):
        if hinge.part.startswith(("left", "right")):
            both[0, number] = 0.3
    points = body.keypoints(body.pose(both))[0][0]
    for number, name in enumerate(KEYPOINTS):
        if name.startswith("left"):
            mirrored = points[KEYPOINTS.index(name.replace("left", "right"))] * [-1, 1, 1]
            np.testing.assert_allclose(points[number], mirrored, atol=2e-3)
    assert len(PARTS) == 14
