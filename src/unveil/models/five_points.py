"""Five points of a face - eyes, nose, mouth corners - and the upright crop that ArcFace and its kin are fed with.

The points come from the detector. Where it gives none (dlib, OpenCV's cascade), the output network of MTCNN looks
for them inside the detector's box: the recognizers were trained on its landmarks. Measured on 54 photos with the
boxes of dlib's HOG: 0.03 of the distance of the eyes from what MTCNN itself finds (median), 0.13 when the template
is laid over the eyes that dlib's own landmarks give.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Face, Failure, Image, Reason
from unveil.models.dlib_alignment import unusable
from unveil.models.mtcnn_networks import WEIGHTS, load_networks, weights_path
from unveil.models.weights import require_library

if TYPE_CHECKING:
    from torch import nn

Points = NDArray[np.floating[Any]]
"""Shape (5, 2): left eye, right eye, nose, left and right mouth corner as seen in the picture; x, y in pixels."""

TEMPLATE_SIDE = 112

TEMPLATE: Points = np.array(
    [[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655], [70.7299, 92.2041]]
)
"""Where the five points lie in a crop of 112 x 112 pixels.

Source: Deng et al., ArcFace, CVPR 2019, as published with insightface.
"""

_FILE = "onet.lz4"
LANDMARK_WEIGHTS: Mapping[str, str] = {_FILE: WEIGHTS[_FILE]}
"""File name -> SHA-256 of the network that finds five points where the detector gives none."""

_LEAST_FIT = 0.25
"""Share of the template's variance that the points must explain.

What YuNet finds in 302 real photos explains 0.43 (a profile) to 0.99; a face of which left and right are exchanged
explains 0.05.
"""

_LEAST_SPREAD = 1.0
"""Root mean square distance of the points from their centre, in pixels, below which they are one spot."""


def require_five_points() -> None:
    """Raise Unavailable when the network that finds missing landmarks cannot be had."""
    require_library("torch", distribution="torch")
    weights_path(_FILE)


def similarity(points: Points, target: Points) -> tuple[NDArray[np.float64], float]:
    """The rotation, scale and shift, without reflection, that brings ``points`` closest to ``target``.

    With points as complex numbers it is z -> a z + b, and its least squares have a closed form.

    Returns:
        The matrix (2, 3), and the share of the variance of ``target`` that is explained, 0 to 1.

    Source: Umeyama, IEEE Transactions on Pattern Analysis and Machine Intelligence 13(4), 1991, in two dimensions.
    """
    z, w = (np.asarray(each, np.float64) @ np.array([1, 1j]) for each in (points, target))
    from_centre, to_centre = z - z.mean(), w - w.mean()
    spread = np.vdot(from_centre, from_centre).real
    a = np.vdot(from_centre, to_centre) / spread
    b = w.mean() - a * z.mean()
    matrix = np.array([[a.real, -a.imag, b.real], [a.imag, a.real, b.imag]])
    return matrix, float(abs(a) ** 2 * spread / np.vdot(to_centre, to_centre).real)


def five_points(image: Image, face: Face) -> Points | Failure:
    """Points (5, 2) of a face, from its landmarks or else from its box.

    Landmarks of another number, such as the eyes alone, are as good as none.

    Failures: ``too_small`` for a box of a few pixels; ``bad_output`` for points that are not finite, one spot, or
    not laid out as those of a face.
    """
    if problem := unusable(face):
        return problem
    given = face.landmarks
    points = _in_box(image, face) if given is None or given.shape != (5, 2) else given
    if not np.isfinite(points).all():
        return Failure(Reason.BAD_OUTPUT, f"a face needs five finite landmarks, not {points.tolist()}")
    spread = float(np.sqrt(np.var(points, axis=0, dtype=np.float64).sum()))
    if spread < _LEAST_SPREAD:
        rule = f"landmarks must spread by {_LEAST_SPREAD:g} pixel about their centre, not by {spread:.2f}"
        return Failure(Reason.BAD_OUTPUT, rule)
    _, fit = similarity(points, TEMPLATE)
    if fit < _LEAST_FIT:
        rule = f"landmarks must explain {_LEAST_FIT:g} of the layout of a face, not {fit:.2f}"
        return Failure(Reason.BAD_OUTPUT, f"{rule}; in order: eyes, nose, mouth corners, left ones first")
    return points


def upright(image: Image, points: Points, side: int) -> Image:
    """Crop (side, side, 3) in which the points lie as in the template; black beyond the border.

    Args:
        image: the picture.
        points: of :func:`five_points`.
        side: of the crop in pixels; the template grows with it.
    """
    import cv2

    matrix, _ = similarity(points, TEMPLATE * (side / TEMPLATE_SIDE))
    return np.asarray(cv2.warpAffine(image, matrix, (side, side), flags=cv2.INTER_LINEAR), np.uint8)


@cache
def _output_network() -> nn.Module:
    return load_networks()[2]


def _in_box(image: Image, face: Face) -> Points:
    """What the output network of MTCNN sees in the box, grown to a square."""
    import torch

    from unveil.models import mtcnn_stages as stages

    one, nowhere = np.zeros(1, np.int64), np.zeros((1, 0, 2), np.float32)
    box = stages.Proposals(one, face.box[None].astype(np.float32), np.ones(1, np.float32), nowhere).squared()
    with torch.inference_mode():
        found = stages.judge(_output_network(), box, [stages.normalised(image)], 48, threshold=-1)
    points: Points = found.landmarks[0]
    return points
