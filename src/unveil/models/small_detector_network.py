"""The network of the small object detector: residual stages, a top-down path, one map of centres and sizes.

Sources: He et al., "Deep Residual Learning", CVPR 2016; Lin et al., "Feature Pyramid Networks", CVPR 2017;
Zhou et al., "Objects as Points", arXiv:1904.07850, 2019 (one map, no anchors).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

STRIDE = 8
"""Distance of neighbouring cells of the output, in pixels of the input."""

COARSEST = 32
"""The sides of the input must be multiples of it."""

_RARE = 0.01
"""Score of a network that has learnt nothing (Lin et al., "Focal Loss", ICCV 2017, section 3.3)."""


class _Block(nn.Module):
    """Two 3 x 3 convolutions with a shortcut."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _convolution(channels, channels)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, inputs: Tensor) -> Tensor:
        return functional.relu(inputs + self.second(self.first(inputs)))


def _convolution(before: int, after: int, *, side: int = 3, stride: int = 1) -> nn.Sequential:
    layer = nn.Conv2d(before, after, side, stride, side // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(after), nn.ReLU(inplace=True))


class Maps(NamedTuple):
    """What is in every cell.

    Attributes:
        centre: logits (n, h, w): whether the centre of an object, of whatever class, is here.
        kind: logits (n, classes, h, w): what the object here is.
        distances: (n, 4, h, w): from the cell's centre to the left, top, right and bottom of the object, in
            pixels of the input, at least 0.
    """

    centre: Tensor
    kind: Tensor
    distances: Tensor


class CentreNet(nn.Module):
    """RGB pictures (n, 3, height, width) in 0..255 -> what is in every cell of a grid; see :class:`Maps`.

    Args:
        classes: how many.
        width: channels at stride 4; they double at strides 8 and 16.
    """

    def __init__(self, classes: int, width: int) -> None:
        super().__init__()
        fine, middle, coarse = width, 2 * width, 4 * width
        self.stem = nn.Sequential(_convolution(3, width // 2, stride=2), _convolution(width // 2, fine, stride=2))
        self.stage8 = nn.Sequential(_convolution(fine, middle, stride=2), _Block(middle))
        self.stage16 = nn.Sequential(_convolution(middle, coarse, stride=2), _Block(coarse))
        self.stage32 = nn.Sequential(_convolution(coarse, coarse, stride=2), _Block(coarse))
        self.across32 = _convolution(coarse, coarse, side=1)
        self.across16 = _convolution(coarse, middle, side=1)
        self.head = _convolution(middle, middle)
        self.outputs = nn.Conv2d(middle, 1 + 4 + classes, 1)
        nn.init.zeros_(self.outputs.weight[:1])
        nn.init.constant_(self.outputs.bias[:1], math.log(_RARE / (1 - _RARE)))  # type: ignore[index]

    def forward(self, pictures: Tensor) -> Maps:
        """The maps of a batch."""
        eighth = self.stage8(self.stem(pictures / 64 - 2))
        sixteenth = self.stage16(eighth)
        sixteenth = sixteenth + _doubled(self.across32(self.stage32(sixteenth)))
        every = self.outputs(self.head(eighth + _doubled(self.across16(sixteenth))))
        return Maps(every[:, 0], every[:, 5:], functional.softplus(every[:, 1:5]) * (2 * STRIDE))


def _doubled(features: Tensor) -> Tensor:
    return functional.interpolate(features, scale_factor=2.0, mode="nearest")


def corners(distances: Tensor) -> Tensor:
    """Boxes (n, 4, h, w) in pixels of the input, from distances (n, 4, h, w)."""
    height, width = distances.shape[2:]
    rows = (torch.arange(height, dtype=distances.dtype) + 0.5) * STRIDE
    columns = (torch.arange(width, dtype=distances.dtype) + 0.5) * STRIDE
    y, x = torch.meshgrid(rows, columns, indexing="ij")
    left, top, right, bottom = distances.unbind(1)
    return torch.stack([x - left, y - top, x + right, y + bottom], dim=1)
