"""Bodies: the anny model, poses, and coordinates on the skin that mean the same place on everybody."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sample_scenes.shapes import Array, Mesh, normals, turn

ELBOW, WRIST = 1.0, 2.0
Pose = dict[str, tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Skin:
    """Coordinates of every vertex that do not depend on the person.

    Attributes:
        place: (n, 3), where the vertex is on the model's average body (metres; feet -0.87, crown 0.76, front -y).
        arm: (n,), position along an arm: 0 shoulder, 1 elbow, 2 wrist, above 2 hand.
        share: (n, 5), how much the vertex belongs to arms, legs, head, eyes, hands.
        faces: (m, 3).
    """

    place: Array
    arm: Array
    share: Array
    faces: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Body:
    """One posed body in the world.

    Attributes:
        vertices: (n, 3).
        rest: (n, 3), before posing.
        head: (4, 4), from rest to the world for things worn on the head.
        trunk: (4, 4), the same for things worn on the chest.
        keypoints: (17, 3), in COCO's order.
        hands: (2, 3), left and right.
    """

    vertices: Array
    rest: Array
    head: Array
    trunk: Array
    keypoints: Array
    hands: Array


@cache
def model() -> tuple[Any, Any, Skin]:
    """The body model, its keypoint regressor and the coordinates of its skin."""
    import anny
    import torch

    torch.set_num_threads(1)
    anny_model = anny.Anny(phenotypes="all").to(torch.float32)
    regressor = anny.KeypointsRegressor.coco(anny_model)
    place = anny_model()["vertices"][0].numpy().astype(float)
    names = np.array(anny_model.bone_labels)
    weights, bones = anny_model.vertex_bone_weights.numpy(), anny_model.vertex_bone_indices.numpy()
    per_bone = np.zeros((len(place), len(names)))
    np.add.at(per_bone, (np.arange(len(place))[:, None], bones), weights)

    def share(*starts: str) -> Array:
        return per_bone[:, [name.startswith(starts) for name in names]].sum(1)

    hands = share("finger", "metacarpal", "wrist")
    arms = share("upperarm", "lowerarm") + hands
    legs = share("upperleg", "lowerleg", "foot", "toe")
    trunk = ("spine", "clav", "shoul", "breast", "pelvis", "root", "neck01", "neck02", "neck03", "upper", "lower")
    head = 1 - share(*trunk, "foot", "toe") - hands
    shares = np.stack([arms, legs, head, share("eye."), hands], 1)
    faces = anny_model.get_triangular_faces().numpy().astype(np.int64)
    return anny_model, regressor, Skin(place, _along_arm(place), shares, faces)


def _along_arm(place: Array) -> Array:
    shoulder, elbow, wrist = np.array([[0.165, -0.013, 0.427], [0.334, -0.019, 0.239], [0.45, -0.174, 0.121]])
    mirrored = place * np.where(place[:, :1] < 0, [[-1.0, 1.0, 1.0]], 1.0)
    upper, lower = elbow - shoulder, wrist - elbow
    first = (mirrored - shoulder) @ upper / (upper @ upper)
    second = 1 + (mirrored - elbow) @ lower / (lower @ lower)
    return np.where(first < 1, first, np.maximum(second, 1.0))


def _rotation(degrees: tuple[float, float, float]) -> Array:
    import cv2

    return cv2.Rodrigues(np.radians(np.asarray(degrees, float)))[0]


def build(phenotype: dict[str, float], pose: Pose) -> Body:
    """A body at the origin, standing on z = 0, facing -y.

    Args:
        phenotype: anny's phenotype values, 0 to 1.
        pose: bone -> rotation vector in degrees, about the world's axes as they are at rest.
    """
    import torch

    anny_model, regressor, _ = model()
    deltas = {}
    for bone, degrees in pose.items():
        matrix = np.eye(4, dtype=np.float32)
        matrix[:3, :3] = _rotation(degrees)
        deltas[bone] = torch.from_numpy(matrix)[None]
    with torch.no_grad():
        out = anny_model(pose_parameters=deltas or None, phenotype_kwargs=phenotype)
        keypoints = regressor(out)[0, :17].numpy().astype(float)
    vertices = out["vertices"][0].numpy().astype(float)
    rest_poses, poses = out["rest_bone_poses"][0].numpy(), out["bone_poses"][0].numpy()
    index = {name: i for i, name in enumerate(anny_model.bone_labels)}
    moved = {name: poses[index[name]] @ np.linalg.inv(rest_poses[index[name]]) for name in ("head", "spine01")}
    shift = np.array([0.0, 0.0, -vertices[:, 2].min()])
    hands = np.stack([poses[index[f"metacarpal2.{side}"]][:3, 3] for side in "LR"]).astype(float) + shift
    for matrix in moved.values():
        matrix[:3, 3] += shift
    rest = out["rest_vertices"][0].numpy().astype(float)
    return Body(vertices + shift, rest, moved["head"], moved["spine01"], keypoints + shift, hands)


def placed(body: Body, *, x: float, y: float, yaw: float, lift: float = 0.0) -> Body:
    """The body turned and put somewhere."""
    rotation, shift = turn(yaw), np.array([x, y, lift])
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, shift
    return Body(
        body.vertices @ rotation.T + shift,
        body.rest,
        matrix @ body.head,
        matrix @ body.trunk,
        body.keypoints @ rotation.T + shift,
        body.hands @ rotation.T + shift,
    )


@cache
def _neighbours() -> Any:
    """Sparse (n, n): the mean over each vertex and its neighbours."""
    from scipy import sparse

    faces, n = model()[2].faces, len(model()[2].place)
    a, b = faces[:, [0, 1, 2]].ravel(), faces[:, [1, 2, 0]].ravel()
    pairs = np.concatenate([np.stack([a, b]), np.stack([b, a]), np.tile(np.arange(n), (2, 1))], 1)
    matrix = sparse.csr_matrix((np.ones(pairs.shape[1]), pairs), shape=(n, n))
    matrix.data[:] = 1.0
    return sparse.diags(1 / np.asarray(matrix.sum(1)).ravel()) @ matrix


def clothed(body: Body, thickness: Array, stiffness: Array) -> Array:
    """(n, 3): the surface of the clothes.

    Args:
        body: who wears them.
        thickness: (n,), metres they stand off the skin.
        stiffness: (n,), 0 (they follow every fold of the body) to 1 (they hang smoothly).
    """
    smooth, mean = body.vertices, _neighbours()
    for _ in range(20):
        smooth = smooth + stiffness[:, None] * (mean @ smooth - smooth)
    # across the surface only, and hardly inwards: folds are bridged, limbs keep their girth
    outward = normals(body.vertices, model()[2].faces)
    bridge = np.clip(np.sum((smooth - body.vertices) * outward, 1), -0.004, 0.05)
    return body.vertices + outward * (bridge + thickness)[:, None]


def head_box(body: Body) -> tuple[Array, float]:
    """Middle of the skull and the person's size relative to the average body, before posing."""
    skin = model()[2]
    head = (skin.share[:, 2] > 0.9) & (skin.place[:, 2] > 0.56)
    low, high = body.rest[head].min(0), body.rest[head].max(0)
    scale = float((high[2] - low[2]) / 0.199)
    return np.array([0.0, body.rest[head, 1].min() + 0.106 * scale, high[2] - 0.095 * scale]), scale


def on_head(body: Body, part: Mesh) -> Mesh:
    """A part given in metres about the middle of an average skull, put on this person's head."""
    centre, scale = head_box(body)
    points = part.vertices * scale + centre
    return Mesh(
        points @ body.head[:3, :3].T + body.head[:3, 3], part.faces, part.colour, part.material, part.region
    )
