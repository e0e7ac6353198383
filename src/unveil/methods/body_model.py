"""A neutral body that can be posed: anny's average adult, reduced to the joints that photos tell something about.

anny's 104 bones are merged into 14 parts that each move rigidly (a hand with its forearm, a foot with its shank,
the head with the neck); its skinning weights are added up accordingly. A pose is one angle for each hinge of
:data:`HINGES`: rotations that are applied one after the other where a part hangs on its parent.

The world is anny's: x to the body's left, z up, and the body faces -y; metres.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.core.scenes import KEYPOINTS

Array: TypeAlias = NDArray[np.float64]

_TREE = {
    "pelvis": ("root", ""), "belly": ("spine04", "pelvis"), "chest": ("spine02", "belly"),
    "head": ("neck02", "chest"),
    "left shoulder": ("clavicle.L", "chest"), "right shoulder": ("clavicle.R", "chest"),
    "left arm": ("upperarm01.L", "left shoulder"), "right arm": ("upperarm01.R", "right shoulder"),
    "left forearm": ("lowerarm01.L", "left arm"), "right forearm": ("lowerarm01.R", "right arm"),
    "left thigh": ("upperleg01.L", "pelvis"), "right thigh": ("upperleg01.R", "pelvis"),
    "left shank": ("lowerleg01.L", "left thigh"), "right shank": ("lowerleg01.R", "right thigh"),
}  # fmt: skip
# Part -> the bone of anny with which it begins, and the part on which it hangs.

PARTS = tuple(_TREE)
"""Rigid parts, each after the one on which it hangs."""

PHENOTYPE = {"gender": 0.5, "age": 0.6, "muscle": 0.5, "weight": 0.5, "height": 0.5, "proportions": 0.5}
"""The one body that stands for everybody: nothing of it is taken from a photo."""


@dataclass(frozen=True, slots=True)
class Hinge:
    """One rotation of a part about an axis through the point where it hangs on its parent.

    Attributes:
        part: of :data:`PARTS`.
        axis: in the rest pose.
        usual, spread: mean and standard deviation of the angle that is expected when nothing is seen, in radians.
        low, high: limits of the angle in radians.
    """

    part: str
    axis: tuple[float, float, float]
    usual: float
    spread: float
    low: float = -math.inf
    high: float = math.inf


def _hinges() -> Iterator[Hinge]:
    yield Hinge("pelvis", (0, 1, 0), 0.0, 3.0)  # in the picture's plane
    yield Hinge("pelvis", (1, 0, 0), 0.1, 0.35, -1.2, 1.2)  # bent towards the camera, or seen from above
    yield Hinge("pelvis", (0, 0, 1), 0.0, 9.0)  # turned from the camera
    for part, spread in (("belly", 0.25), ("chest", 0.2)):
        yield Hinge(part, (1, 0, 0), 0.05, spread, -0.4, 0.9)
        yield Hinge(part, (0, 1, 0), 0.0, 0.7 * spread, -0.5, 0.5)
        yield Hinge(part, (0, 0, 1), 0.0, spread, -0.5, 0.5)
    yield Hinge("head", (0, 0, 1), 0.0, 0.5, -1.2, 1.2)
    yield Hinge("head", (1, 0, 0), 0.1, 0.3, -0.8, 0.8)
    yield Hinge("head", (0, 1, 0), 0.0, 0.25, -0.6, 0.6)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part, axis, usual, spread, low, high in _LEFT:
            mirrored = (axis[0], sign * axis[1], sign * axis[2])
            yield Hinge(f"{side} {part}", mirrored, usual, spread, low, high)


_ARM, _ELBOW = (0.664, -0.021, -0.747), (-0.748, -0.037, -0.663)
# Of the left side at rest, where the arm hangs out at 45 degrees: along the upper arm, and the elbow's axis.

_LEFT = (
    ("shoulder", (0.0, -1.0, 0.0), 0.0, 0.15, -0.3, 0.7),  # raised
    ("shoulder", (0.0, 0.0, -1.0), 0.0, 0.15, -0.4, 0.4),  # drawn forward
    ("arm", (-1.0, 0.0, 0.0), 0.2, 0.8, -1.0, 3.2),  # swung forward
    ("arm", (0.0, -1.0, 0.0), -0.45, 0.7, -1.0, 2.3),  # raised to the side
    ("arm", _ARM, 0.0, 0.7, -1.6, 1.6),  # twisted
    ("forearm", _ELBOW, 0.0, 0.9, -0.6, 1.8),  # bent
    ("thigh", (-1.0, 0.0, 0.0), 0.1, 0.7, -0.6, 2.3),  # swung forward
    ("thigh", (0.0, -1.0, 0.0), -0.1, 0.3, -0.5, 0.9),  # spread
    ("thigh", (0.0, 0.0, 1.0), 0.0, 0.3, -0.7, 0.7),  # twisted
    ("shank", (1.0, 0.0, 0.0), 0.1, 0.7, 0.0, 2.5),  # bent
)

HINGES = tuple(_hinges())


@dataclass(frozen=True, slots=True)
class Body:
    """The body at rest, and how its parts carry it.

    Attributes:
        vertices, normals: (v, 3), normals of unit length; faces: (f, 3).
        weights: (v, parts), how much each part carries a vertex; rows sum to 1.
        pivots: (parts, 3), where a part hangs on its parent.
        moments: (parts, 17, 4), the body's keypoints as what each part carries of them: position times weight, and
            weight. A keypoint is an average of vertices, so it follows from the parts without the vertices.
    """

    vertices: Array
    normals: Array
    faces: NDArray[np.int32]
    weights: Array
    pivots: Array
    moments: Array

    def pose(self, angles: Array) -> Pose:
        """Where the parts are.

        Args:
            angles: (n, hinges) of n poses, in radians.
        """
        count = len(angles)
        turns = _turns(angles)
        rotations, shifts = np.empty((count, len(PARTS), 3, 3)), np.empty((count, len(PARTS), 3))
        axes, points = np.empty((count, len(HINGES), 3)), np.empty((count, len(HINGES), 3))
        for part, parent in enumerate(_PARENTS):
            turned = np.broadcast_to(np.eye(3), (count, 3, 3)) if parent < 0 else rotations[:, parent]
            where = turned @ self.pivots[part] + (0.0 if parent < 0 else shifts[:, parent])
            for number in _AT[part]:
                axes[:, number], points[:, number] = turned @ _AXES[number], where
                turned = turned @ turns[:, number]
            rotations[:, part] = turned
            shifts[:, part] = where - turned @ self.pivots[part]
        return Pose(rotations, shifts, axes, points)

    def keypoints(self, pose: Pose) -> tuple[Array, Array]:
        """The 17 points of posed bodies, and how they move with the hinges.

        Returns:
            (n, 17, 3) and its derivative by the angles, (n, hinges, 17, 3).
        """
        count, shares = len(pose.shifts), self.moments[..., 3:]
        carried = self.moments[..., :3] @ pose.rotations.swapaxes(2, 3) + pose.shifts[:, :, None] * shares
        turned = (_MOVES @ carried.reshape(count, len(PARTS), -1)).reshape(count, len(HINGES), -1, 3)
        arms = turned - (_MOVES @ shares[..., 0])[..., None] * pose.points[:, :, None]
        return carried.sum(1), np.cross(pose.axes[:, :, None], arms)

    def mesh(self, angles: Array) -> tuple[Array, Array]:
        """One posed body.

        Args:
            angles: (hinges,) in radians.

        Returns:
            Vertices and their unit normals, both (v, 3).
        """
        pose = self.pose(angles[None])
        parts = np.concatenate([pose.rotations[0], pose.shifts[0][..., None]], -1)
        blended = (self.weights @ parts.reshape(len(PARTS), 12)).reshape(-1, 3, 4)
        normals = (blended[..., :3] @ self.normals[..., None])[..., 0]
        vertices = (blended[..., :3] @ self.vertices[..., None])[..., 0] + blended[..., 3]
        return vertices, _unit(normals)


@dataclass(frozen=True, slots=True)
class Pose:
    """Where parts and hinges of n posed bodies are in the world.

    Attributes:
        rotations: (n, parts, 3, 3); shifts: (n, parts, 3): a point p of a part at rest is at rotation @ p + shift.
        axes, points: (n, hinges, 3), direction of each hinge and a point on it.
    """

    rotations: Array
    shifts: Array
    axes: Array
    points: Array


@cache
def neutral() -> Body:
    """The one body, from anny.

    The very first call on a machine takes about a minute: anny builds a cache of 0.8 GB.

    Raises:
        ImportError: anny is not installed (extra ``avatar``).
    """
    import warp

    warp.config.log_level = warp.LOG_WARNING  # before anny starts it: it reports every start on standard output
    import anny
    import torch

    model = anny.Anny()
    with torch.no_grad():
        rest = model(phenotype_kwargs=PHENOTYPE)
    regressor = anny.KeypointsRegressor.coco(model, labels=[name.replace(" ", "_") for name in KEYPOINTS])
    vertices, heads = rest["rest_vertices"][0].numpy(), rest["rest_bone_heads"][0].numpy()
    weights = np.zeros((len(vertices), len(PARTS)))
    parts = _owners(model.bone_labels, model.bone_parents)[model.vertex_bone_indices.numpy()]
    np.add.at(weights, (np.arange(len(vertices))[:, None], parts), model.vertex_bone_weights.numpy())
    homogeneous = np.hstack([vertices, np.ones((len(vertices), 1))])
    moments = np.einsum("kv,vs,vi->ski", regressor.regression_weights.numpy(), weights, homogeneous, optimize=True)
    pivots = heads[[model.bone_labels.index(bone) for bone, _ in _TREE.values()]]
    faces = model.faces.numpy().astype(np.int32)
    return Body(vertices, _normals(vertices, faces), faces, weights, pivots, moments)


def _owners(labels: Sequence[str], parents: Sequence[int]) -> NDArray[np.int64]:
    """The part to which each bone belongs: the one that begins with it, or its parent's."""
    begins = {bone: number for number, (bone, _) in enumerate(_TREE.values())}
    owners: list[int] = []
    for label, parent in zip(labels, parents, strict=True):
        owners.append(begins[label] if label in begins else owners[parent])
    return np.array(owners)


def _normals(vertices: Array, faces: NDArray[np.int32]) -> Array:
    """Unit normals of vertices: the mean of the faces around, by their areas."""
    first, second, third = (vertices[faces[:, corner]] for corner in range(3))
    total = np.zeros_like(vertices)
    np.add.at(total, faces, np.cross(second - first, third - first)[:, None])
    return _unit(total)


def _unit(vectors: Array) -> Array:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def _turns(angles: Array) -> Array:
    """Rotations (n, hinges, 3, 3) of the hinges about their axes at rest (Rodrigues)."""
    sine, cosine = np.sin(angles)[..., None, None], np.cos(angles)[..., None, None]
    return np.eye(3) + sine * _CROSS + (1 - cosine) * (_CROSS @ _CROSS)


def _path(part: str) -> Iterator[str]:
    """The part, what it hangs on, what that hangs on, and so on."""
    while part:
        yield part
        part = _TREE[part][1]


_PARENTS = [PARTS.index(parent) if parent else -1 for _, parent in _TREE.values()]
_AXES = np.array([np.divide(hinge.axis, np.linalg.norm(hinge.axis)) for hinge in HINGES])
_CROSS = np.cross(_AXES[:, None], np.eye(3)).swapaxes(1, 2)  # (hinges, 3, 3): times a vector, the cross product
_AT = [[number for number, hinge in enumerate(HINGES) if hinge.part == part] for part in PARTS]
_MOVES = np.array([[float(hinge.part in _path(part)) for part in PARTS] for hinge in HINGES])
# (hinges, parts): 1 where a hinge carries a part.
