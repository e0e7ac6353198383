"""What the small object detector is to say about each picture, and how wrong it is.

Every object makes an elliptic Gaussian hill in the map of centres, and all cells on the hill learn its box and its
class, those near the centre most. One map serves all classes, because a class that is rare in a few hundred
pictures would hardly learn its own. Source: Liu, Zheng, Xu, Yang, Liu, Cai, "Training-Time-Friendly Network for
Real-Time Object Detection", AAAI 2020: equations 1 to 6; it needs fewer epochs than learning from centres alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from unveil.models.small_detector_network import STRIDE, Maps, corners

_SPREAD = 0.54 / 6
"""Standard deviation of a hill, as a share of the object's sides (alpha = beta = 0.54 in the paper)."""

_BOXES, _KINDS = 5.0, 1.0
"""Weights of boxes (as in the paper) and classes against the centres."""

_NEGATIVE_POWER = 4
_FOCUS = 2
"""Exponents of the focal loss (Zhou et al., "Objects as Points", 2019, equation 1)."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What is to be said about one picture, on the grid of the output.

    Attributes:
        heat: ``float32`` (h, w): 1 in the cell of an object's centre, falling off around it.
        kind: ``int64`` (h, w): index of the class that a cell must name.
        boxes: ``float32`` (4, h, w): box that a cell must name, in pixels of the input.
        weight: ``float32`` (h, w): how much that counts; sums to about log(area) per object, 0 off the hills.
    """

    heat: NDArray[np.float32]
    kind: NDArray[np.int64]
    boxes: NDArray[np.float32]
    weight: NDArray[np.float32]


def targets(boxes: NDArray[np.float32], classes: Sequence[int], *, grid: tuple[int, int]) -> Targets:
    """Targets of one picture.

    Args:
        boxes: (n, 4) in pixels of the input; the centre must lie inside the grid.
        classes: index of each box's class.
        grid: rows and columns of the output.
    """
    heat = np.zeros(grid, np.float32)
    kind = np.zeros(grid, np.int64)
    target = np.zeros((4, *grid), np.float32)
    weight = np.zeros(grid, np.float32)
    rows, columns = np.arange(grid[0])[:, None], np.arange(grid[1])[None]
    sides = boxes[:, 2:] - boxes[:, :2]
    for index in np.argsort(-sides.prod(axis=1), kind="stable"):  # small ones last: they win shared cells
        box, (width, height) = boxes[index], sides[index] / STRIDE
        x, y = (int(v) for v in (box[:2] + box[2:]) / 2 / STRIDE)
        spread_x, spread_y = max(width * _SPREAD, 0.3), max(height * _SPREAD, 0.3)
        hill = np.exp(-((columns - x) ** 2) / (2 * spread_x**2) - (rows - y) ** 2 / (2 * spread_y**2))
        hill = np.where(hill > 0.05, hill, 0).astype(np.float32)
        np.maximum(heat, hill, out=heat)
        mine = hill > 0
        kind[mine] = classes[index]
        target[:, mine] = box[:, None]
        weight[mine] = hill[mine] / hill.sum() * np.log(max(width * height, 1) + np.e)
    return Targets(heat, kind, target, weight)


def loss(maps: Maps, wanted: Sequence[Targets], balance: Tensor) -> Tensor:
    """Focal loss of the centres per object, plus weighted means of 1 - GIoU and of the cross-entropy of classes.

    Args:
        maps: what the network says.
        wanted: what it is to say.
        balance: (classes,): how much a cell of each class counts in the cross-entropy.
    """
    heat, kind, boxes, weight = (
        torch.from_numpy(np.stack([getattr(target, name) for target in wanted]))
        for name in ("heat", "kind", "boxes", "weight")
    )
    centres = heat == 1
    hit = torch.sigmoid(maps.centre)
    positive = -functional.logsigmoid(maps.centre) * (1 - hit) ** _FOCUS * centres
    negative = -functional.logsigmoid(-maps.centre) * hit**_FOCUS * (1 - heat) ** _NEGATIVE_POWER
    focal = (positive.sum() + negative.sum()) / centres.sum().clamp(min=1)
    chosen = weight > 0
    shares, kinds = weight[chosen], kind[chosen]
    found = corners(maps.distances).permute(0, 2, 3, 1)[chosen]
    misses = 1 - generalised_overlap(found, boxes.permute(0, 2, 3, 1)[chosen])
    confusion = functional.cross_entropy(maps.kind.permute(0, 2, 3, 1)[chosen], kinds, reduction="none")
    counts = shares * balance[kinds]
    return (
        focal
        + _BOXES * (misses * shares).sum() / shares.sum().clamp(min=1)
        + _KINDS * (confusion * counts).sum() / counts.sum().clamp(min=1)
    )


def generalised_overlap(one: Tensor, two: Tensor) -> Tensor:
    """GIoU in [-1, 1] of boxes (n, 4) pair by pair (Rezatofighi et al., CVPR 2019, algorithm 1)."""
    common = _area(torch.maximum(one[:, :2], two[:, :2]), torch.minimum(one[:, 2:], two[:, 2:]))
    union = _area(one[:, :2], one[:, 2:]) + _area(two[:, :2], two[:, 2:]) - common
    hull = _area(torch.minimum(one[:, :2], two[:, :2]), torch.maximum(one[:, 2:], two[:, 2:]))
    return common / union.clamp(min=1e-6) - (hull - union) / hull.clamp(min=1e-6)


def _area(low: Tensor, high: Tensor) -> Tensor:
    return (high - low).clamp(min=0).prod(dim=1)
