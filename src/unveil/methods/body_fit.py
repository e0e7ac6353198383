"""The pose of a body from the points that are known of it in a photo.

The camera is a weak perspective one: a picture point is ``place + scale * (x, -z)`` of a body's point. The angles
of the hinges, scale and place minimise the squared distances to the known points plus what the angles deviate from
the usual ones, by Levenberg-Marquardt steps with exact derivatives. What a flat picture leaves open (a knee
towards the camera or away) is decided by the usual angles and limits of the joints; which way a person is turned
is found by starting from all sides, so that the order of left and right tells front from back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.methods.body_model import HINGES, PARTS, Array, Body

SIDES: Final = 8
"""From how many directions a fit starts."""

_SCOUTING, _FINAL = 6, 20  # steps from every side, and then from the best ones
_KEPT: Final = 2
_ACCURACY: Final = 0.015
"""Standard deviation of a known point, as a share of the person's size."""

_SOFT: Final = 0.05
"""Standard deviation, in radians, of what an angle may lie outside of its limits."""

_USUAL = np.array([hinge.usual for hinge in HINGES])
_SPREAD = np.array([hinge.spread for hinge in HINGES])
_LOW = np.array([hinge.low for hinge in HINGES])
_HIGH = np.array([hinge.high for hinge in HINGES])
_ROLL, _TURN = 0, 2
assert PARTS[0] == HINGES[_ROLL].part == HINGES[_TURN].part


@dataclass(frozen=True, slots=True)
class Fit:
    """A body in a picture.

    Attributes:
        angles: (hinges,) in radians.
        scale: pixels per metre.
        place: (2,), where the world's origin is in the picture.
        points: (17, 2), the body's keypoints in the picture.
        error: mean distance in pixels between the known points and those of the body.
    """

    angles: Array
    scale: float
    place: Array
    points: Array
    error: float


@dataclass(frozen=True, slots=True)
class _Target:
    """What n candidates are to meet: points (n, 17, 2), and weights (n, 17, 1), 0 where a point is not known."""

    points: Array
    weights: Array

    def take(self, chosen: NDArray[np.intp]) -> _Target:
        return _Target(self.points[chosen], self.weights[chosen])


@dataclass(frozen=True, slots=True)
class _State:
    """n candidates and the shape of the cost there; lengths are in sizes of the person.

    Attributes:
        values: (n, hinges + 3), angles, logarithm of the scale, place.
        points: (n, 17, 2).
        cost: (n,); gradient: (n, hinges + 3); curvature: (n, hinges + 3, hinges + 3) after Gauss and Newton.
    """

    values: Array
    points: Array
    cost: Array
    gradient: Array
    curvature: Array

    def take(self, chosen: NDArray[np.intp]) -> _State:
        return _State(*(getattr(self, name)[chosen] for name in self.__slots__))

    def replaced(self, chosen: NDArray[np.bool_], other: _State) -> _State:
        """With the candidates of ``other`` where chosen."""
        pairs = [(getattr(self, name), getattr(other, name)) for name in self.__slots__]
        return _State(*(np.where(chosen.reshape(-1, *[1] * (old.ndim - 1)), new, old) for old, new in pairs))


def fit(body: Body, landmarks: NDArray[np.floating], sizes: NDArray[np.floating]) -> list[Fit]:
    """Fit the body to each of n people.

    Args:
        body: to be posed.
        landmarks: (n, 17, 2) x and y in pixels, NaN where not known; two known ones of each person at least.
        sizes: (n,) of the people in pixels, such as the longer side of the box: the measure of a small error.
    """
    known = np.isfinite(landmarks).all(axis=2, keepdims=True)
    marks, size = np.where(known, landmarks, 0.0).astype(np.float64), sizes.astype(np.float64)[:, None, None]
    centre = marks.sum(1, keepdims=True) / known.sum(1, keepdims=True)
    each = _Target(np.where(known, (marks - centre) / size, 0.0), known.astype(np.float64))
    target = each.take(np.repeat(np.arange(len(marks)), SIDES))
    state = _descend(body, _evaluate(body, _starts(body, target), target), target, _SCOUTING)
    order = np.argsort(state.cost.reshape(-1, SIDES), axis=1, kind="stable")[:, :_KEPT]
    best = (order + SIDES * np.arange(len(marks))[:, None]).ravel()
    state = _descend(body, state.take(best), target.take(best), _FINAL)
    chosen = state.take(np.argmin(state.cost.reshape(-1, _KEPT), axis=1) + _KEPT * np.arange(len(marks)))
    points = chosen.points * size + centre
    distance = np.linalg.norm(points - marks, axis=2, keepdims=True)
    errors = (distance * known).sum((1, 2)) / known.sum((1, 2))
    place = chosen.values[:, -2:] * size[:, 0] + centre[:, 0]
    scale = np.exp(chosen.values[:, -3]) * size[:, 0, 0]
    return [
        Fit(chosen.values[i, :-3], float(scale[i]), place[i], points[i], float(errors[i]))
        for i in range(len(marks))
    ]


def _starts(body: Body, target: _Target) -> Array:
    """The usual pose seen from one side after the other, turned in the plane, scaled and moved onto the points."""
    angles = np.tile(_USUAL, (len(target.points), 1))
    angles[:, _TURN] = np.arange(len(angles)) % SIDES * 2 * math.pi / SIDES
    flat, weights = _flat(body.keypoints(body.pose(angles))[0]), target.weights[..., 0]
    middle = (flat * target.weights).sum(1, keepdims=True) / target.weights.sum(1, keepdims=True)
    # As complex numbers, turning and scaling is one factor; its angle and size follow in closed form.
    here, there = _complex(flat - middle), _complex(target.points)
    angles[:, _ROLL] = np.angle((weights * np.conj(here) * there).sum(1))
    scale = np.sqrt((weights * abs(there) ** 2).sum(1) / np.maximum((weights * abs(here) ** 2).sum(1), 1e-9))
    scale = np.maximum(scale, 1e-3)  # all known points may lie in one place
    flat = scale[:, None, None] * _flat(body.keypoints(body.pose(angles))[0])
    place = ((target.points - flat) * target.weights).sum(1) / target.weights.sum(1)
    return np.hstack([angles, np.log(scale)[:, None], place])


def _flat(points: Array) -> Array:
    """From the world (..., 3) onto the picture (..., 2), one metre as one pixel."""
    return points[..., [0, 2]] * [1.0, -1.0]


def _complex(points: Array) -> NDArray[np.complex128]:
    return points[..., 0] + 1j * points[..., 1]


def _evaluate(body: Body, values: Array, target: _Target) -> _State:
    angles, scale = values[:, :-3], np.exp(values[:, -3])[:, None, None]
    points, slopes = body.keypoints(body.pose(angles))
    flat, weights = scale * _flat(points), target.weights / _ACCURACY
    moved = np.broadcast_to(np.eye(2)[:, None], (len(values), 2, *flat.shape[1:]))
    jacobian = np.concatenate([scale[..., None] * _flat(slopes), flat[:, None], moved], 1) * weights[:, None]
    jacobian = jacobian.reshape(*values.shape, -1)
    flat = flat + values[:, None, -2:]
    residual = ((flat - target.points) * weights).reshape(len(values), -1)
    outside = (np.minimum(angles - _LOW, 0.0) + np.maximum(angles - _HIGH, 0.0)) / _SOFT
    unusual = (angles - _USUAL) / _SPREAD
    cost = (residual**2).sum(1) + (unusual**2).sum(1) + (outside**2).sum(1)
    gradient = (jacobian @ residual[..., None])[..., 0]
    gradient[:, :-3] += unusual / _SPREAD + outside / _SOFT
    curvature = jacobian @ jacobian.transpose(0, 2, 1)
    hinges = np.arange(len(HINGES))
    curvature[:, hinges, hinges] += 1 / _SPREAD**2 + (outside != 0) / _SOFT**2
    return _State(values, flat, cost, gradient, curvature)


def _descend(body: Body, state: _State, target: _Target, steps: int) -> _State:
    """Levenberg-Marquardt: each candidate with a damping of its own."""
    damping = np.full(len(state.values), 1e-2)
    for _ in range(steps):
        diagonal = np.einsum("nii->ni", state.curvature)
        damped = state.curvature + np.eye(diagonal.shape[1]) * (damping[:, None] * diagonal)[:, None]
        step = np.linalg.solve(damped, state.gradient[..., None])[..., 0]
        longest = np.abs(step[:, :-2]).max(1, keepdims=True)
        step *= np.minimum(1.0, 0.7 / np.maximum(longest, 1e-9))  # further than that the slope says nothing
        tried = _evaluate(body, state.values - step, target)
        better = tried.cost < state.cost
        damping = np.where(better, np.maximum(damping / 5, 1e-6), damping * 5)
        state = state.replaced(better, tried)
    return state
