"""Angles of a head from its rotation."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def angles(transform: NDArray[np.floating]) -> tuple[float, float, float]:
    """Yaw, pitch and roll in degrees: turn, then nod, then tilt, each about the head's own axes.

    The axes are those of a picture of somebody who looks at the camera: x to the right, y up, z towards the
    viewer. Every rotation follows the right-hand rule, so a positive

    - yaw (about y) turns the face towards the right side of the picture, the person's left,
    - pitch (about x) lets it look down,
    - roll (about z) tilts it counter-clockwise, as seen in the picture.

    Args:
        transform: (3, 3) or larger; its upper left 3 x 3 is a rotation, or one times a positive scale.

    Returns:
        Yaw and roll in [-180, 180], pitch in [-90, 90]. With a pitch of 90 degrees either way, yaw and roll turn
        about the same axis; then the yaw is 0.

    Raises:
        ValueError: for a matrix that is not finite or mirrors.

    >>> angles(np.eye(4))
    (0.0, 0.0, 0.0)
    """
    matrix = np.asarray(transform, np.float64)[:3, :3]
    volume = float(np.linalg.det(matrix)) if np.isfinite(matrix).all() else math.nan
    if not volume > 0:
        raise ValueError(f"transform must be a finite rotation, its determinant is {volume:g}")
    matrix = matrix / np.cbrt(volume)
    sine = float(np.clip(0.0 - matrix[1, 2], -1, 1))
    if math.hypot(matrix[0, 2], matrix[2, 2]) < 1e-6:  # the face points straight up or down
        yaw, roll = 0.0, math.atan2(0.0 - matrix[0, 1], matrix[0, 0])
    else:
        yaw, roll = math.atan2(matrix[0, 2], matrix[2, 2]), math.atan2(matrix[1, 0], matrix[1, 1])
    return math.degrees(yaw), math.degrees(math.asin(sine)), math.degrees(roll)
