"""A flat drawn figure from the 17 points of a body: capsules, a torso, a disc for the head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.core.scenes import KEYPOINTS
from unveil.core.types import Image

Points: TypeAlias = NDArray[np.float64]
Color: TypeAlias = tuple[int, int, int]

_AT = {name: index for index, name in enumerate(KEYPOINTS)}
_HEAD = [_AT[name] for name in ("nose", "left eye", "right eye", "left ear", "right ear")]
_SHOULDERS = [_AT["left shoulder"], _AT["right shoulder"]]
_HIPS = [_AT["left hip"], _AT["right hip"]]

_SEGMENTS = (
    ("shoulder", "elbow", 0.186), ("elbow", "wrist", 0.146), ("hip", "knee", 0.245), ("knee", "ankle", 0.246),
)  # fmt: skip
_TORSO, _SHOULDER_WIDTH, _HIP_WIDTH, _HEAD_UP, _HEAD_RADIUS = 0.288, 0.259, 0.191, 0.118, 0.065
# Shares of a person's height: Drillis and Contini 1966, as drawn in Winter, Biomechanics and Motor Control of
# Human Movement, figure 4.1. (The head's centre is above the shoulders by 0.936 - 0.818.)

_THICK = {"elbow": 0.055, "wrist": 0.045, "knee": 0.085, "ankle": 0.06}
"""Diameter of the limb that ends there, as a share of the height: how the figure is drawn."""


@dataclass(frozen=True, slots=True)
class Dress:
    """Colours of a figure; none is taken from a photo."""

    skin: Color
    shirt: Color
    trousers: Color


def known(landmarks: NDArray[np.float32] | None) -> int:
    """How many of the points of a body are known."""
    return 0 if landmarks is None else int(np.isfinite(landmarks).all(axis=1).sum())


def stature(points: Points, box: tuple[int, int, int, int]) -> float:
    """Height of the standing person in pixels, from the longest part: what is seen from its end is short.

    Args:
        points: (17, 2), NaN where not known.
        box: of the mask: its longer side is the answer where no two points of a part are known.
    """
    lengths = [
        _distance(points, f"{side} {start}", f"{side} {end}") / share
        for start, end, share in _SEGMENTS
        for side in ("left", "right")
    ]
    lengths.append(_distance(points, "left shoulder", "right shoulder") / _SHOULDER_WIDTH)
    lengths.append(_distance(points, "left hip", "right hip") / _HIP_WIDTH)
    lengths.append(float(np.hypot(*(points[_SHOULDERS].mean(0) - points[_HIPS].mean(0)))) / _TORSO)
    seen = [length for length in lengths if length > 0]  # NaN is not
    left, top, right, bottom = box
    return max(seen, default=float(max(right - left, bottom - top)))


def draw(canvas: Image, landmarks: NDArray[np.float32], box: tuple[int, int, int, int], dress: Dress) -> None:
    """Draw one person into a picture; what is not known of the body is left out.

    A torso whose hips are not known (a person cut by the lower border) hangs straight down from the shoulders.

    Args:
        canvas: (height, width, 3), contiguous; written to.
        landmarks: (17, 2), NaN where not known.
        box: of the person's mask.
        dress: colours.
    """
    reach = 4.0 * max(canvas.shape[:2])  # further than that is outside of any picture, and OpenCV counts in int
    points = np.where(np.isfinite(landmarks).all(axis=1, keepdims=True), landmarks, np.nan).astype(np.float64)
    points = np.clip(points, -reach, reach)
    height = min(stature(points, box), reach)
    for end in ("ankle", "knee"):
        _limbs(canvas, points, end, height, dress.trousers)
    _torso(canvas, points, height, dress.shirt)
    _head(canvas, points, height, dress.skin)
    _limbs(canvas, points, "wrist", height, dress.skin)
    _limbs(canvas, points, "elbow", height, dress.shirt)


def _distance(points: Points, start: str, end: str) -> float:
    return float(np.hypot(*(points[_AT[start]] - points[_AT[end]])))


def _limbs(canvas: Image, points: Points, end: str, height: float, color: Color) -> None:
    start = next(a for a, b, _ in _SEGMENTS if b == end)
    for side in ("left", "right"):
        pair = points[[_AT[f"{side} {start}"], _AT[f"{side} {end}"]]]
        if np.isfinite(pair).all():
            _capsule(canvas, pair, _THICK[end] * height, color)


def _torso(canvas: Image, points: Points, height: float, color: Color) -> None:
    import cv2

    corners = points[[*_SHOULDERS, *reversed(_HIPS)]]
    if not np.isfinite(corners[2:]).any() and np.isfinite(corners[:2]).all():
        middle = corners[:2].mean(0)
        below = middle + (corners[:2] - middle) * _HIP_WIDTH / _SHOULDER_WIDTH + [0, _TORSO * height]
        corners = np.vstack([corners[:2], below[::-1]])
    corners = corners[np.isfinite(corners).all(axis=1)]
    if len(corners) < 2:
        return
    hull = cv2.convexHull(np.rint(corners).astype(np.int32))
    cv2.fillConvexPoly(canvas, hull, color, cv2.LINE_AA)
    for pair in zip(corners, np.roll(corners, 1, axis=0), strict=True):  # rounded outline
        _capsule(canvas, np.array(pair), _THICK["knee"] * height, color)


def _head(canvas: Image, points: Points, height: float, color: Color) -> None:
    import cv2

    face = points[_HEAD][np.isfinite(points[_HEAD]).all(axis=1)]
    neck = points[_SHOULDERS].mean(0)
    centre = face.mean(0) if len(face) else neck - [0, _HEAD_UP * height]
    if not np.isfinite(centre).all():
        return
    if np.isfinite(neck).all():
        _capsule(canvas, np.array([neck, centre]), _THICK["elbow"] * height, color)
    radius = max(1, round(_HEAD_RADIUS * height))
    cv2.circle(canvas, _pixel(centre), radius, color, cv2.FILLED, cv2.LINE_AA)


def _capsule(canvas: Image, ends: Points, thickness: float, color: Color) -> None:
    import cv2

    wide = min(max(1, round(thickness)), 32767)  # the most OpenCV draws
    cv2.line(canvas, _pixel(ends[0]), _pixel(ends[1]), color, wide, cv2.LINE_AA)


def _pixel(point: Points) -> tuple[int, int]:
    x, y = np.rint(point).astype(int).tolist()
    return x, y
