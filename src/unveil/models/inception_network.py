"""The Inception network of 2015 whose features FID is defined on, with the names of its published weights.

Its peculiarities, in which it differs from Inception v3 as it is usually built: average pooling leaves padded
places out of the mean, and the last block pools by the maximum. Batch normalisation has an epsilon of 0.001.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

SIDE = 299
"""Pixels each way of the network's input."""

FEATURES = 2048


class _Conv(nn.Module):
    """Convolution without bias, batch normalisation, ReLU."""

    def __init__(
        self, inputs: int, outputs: int, size: int | tuple[int, int] = 1, *, stride: int = 1, padded: bool = True
    ) -> None:
        super().__init__()
        height, width = (size, size) if isinstance(size, int) else size
        padding = (height // 2, width // 2) if padded and stride == 1 else (0, 0)
        self.conv = nn.Conv2d(inputs, outputs, (height, width), stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=0.001)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.bn(self.conv(x)), inplace=True)


def _mean_around(x: Tensor) -> Tensor:
    return functional.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=False)


def _largest_around(x: Tensor) -> Tensor:
    return functional.max_pool2d(x, 3, stride=1, padding=1)


def _halved(x: Tensor) -> Tensor:
    return functional.max_pool2d(x, 3, stride=2)


class _A(nn.Module):
    """35 x 35."""

    def __init__(self, inputs: int, pooled: int) -> None:
        super().__init__()
        self.branch1x1 = _Conv(inputs, 64)
        self.branch5x5_1, self.branch5x5_2 = _Conv(inputs, 48), _Conv(48, 64, 5)
        self.branch3x3dbl_1, self.branch3x3dbl_2 = _Conv(inputs, 64), _Conv(64, 96, 3)
        self.branch3x3dbl_3 = _Conv(96, 96, 3)
        self.branch_pool = _Conv(inputs, pooled)

    def forward(self, x: Tensor) -> Tensor:
        wide = self.branch5x5_2(self.branch5x5_1(x))
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return torch.cat([self.branch1x1(x), wide, double, self.branch_pool(_mean_around(x))], dim=1)


class _B(nn.Module):
    """35 x 35 to 17 x 17."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.branch3x3 = _Conv(inputs, 384, 3, stride=2)
        self.branch3x3dbl_1, self.branch3x3dbl_2 = _Conv(inputs, 64), _Conv(64, 96, 3)
        self.branch3x3dbl_3 = _Conv(96, 96, 3, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return torch.cat([self.branch3x3(x), double, _halved(x)], dim=1)


class _C(nn.Module):
    """17 x 17, with lines of seven."""

    def __init__(self, inner: int) -> None:
        super().__init__()
        self.branch1x1 = _Conv(768, 192)
        self.branch7x7_1, self.branch7x7_2 = _Conv(768, inner), _Conv(inner, inner, (1, 7))
        self.branch7x7_3 = _Conv(inner, 192, (7, 1))
        self.branch7x7dbl_1, self.branch7x7dbl_2 = _Conv(768, inner), _Conv(inner, inner, (7, 1))
        self.branch7x7dbl_3, self.branch7x7dbl_4 = _Conv(inner, inner, (1, 7)), _Conv(inner, inner, (7, 1))
        self.branch7x7dbl_5 = _Conv(inner, 192, (1, 7))
        self.branch_pool = _Conv(768, 192)

    def forward(self, x: Tensor) -> Tensor:
        single = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        double = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        double = self.branch7x7dbl_5(self.branch7x7dbl_4(double))
        return torch.cat([self.branch1x1(x), single, double, self.branch_pool(_mean_around(x))], dim=1)


class _D(nn.Module):
    """17 x 17 to 8 x 8."""

    def __init__(self) -> None:
        super().__init__()
        self.branch3x3_1, self.branch3x3_2 = _Conv(768, 192), _Conv(192, 320, 3, stride=2)
        self.branch7x7x3_1, self.branch7x7x3_2 = _Conv(768, 192), _Conv(192, 192, (1, 7))
        self.branch7x7x3_3, self.branch7x7x3_4 = _Conv(192, 192, (7, 1)), _Conv(192, 192, 3, stride=2)

    def forward(self, x: Tensor) -> Tensor:
        lines = self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x)))
        return torch.cat([self.branch3x3_2(self.branch3x3_1(x)), self.branch7x7x3_4(lines), _halved(x)], dim=1)


class _E(nn.Module):
    """8 x 8; the last of the two pools by the maximum."""

    def __init__(self, inputs: int, *, last: bool) -> None:
        super().__init__()
        self.pool = _largest_around if last else _mean_around
        self.branch1x1 = _Conv(inputs, 320)
        self.branch3x3_1 = _Conv(inputs, 384)
        self.branch3x3_2a, self.branch3x3_2b = _Conv(384, 384, (1, 3)), _Conv(384, 384, (3, 1))
        self.branch3x3dbl_1, self.branch3x3dbl_2 = _Conv(inputs, 448), _Conv(448, 384, 3)
        self.branch3x3dbl_3a, self.branch3x3dbl_3b = _Conv(384, 384, (1, 3)), _Conv(384, 384, (3, 1))
        self.branch_pool = _Conv(inputs, 192)

    def forward(self, x: Tensor) -> Tensor:
        single, double = self.branch3x3_1(x), self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        parts = [self.branch1x1(x), self.branch3x3_2a(single), self.branch3x3_2b(single)]
        parts += [self.branch3x3dbl_3a(double), self.branch3x3dbl_3b(double), self.branch_pool(self.pool(x))]
        return torch.cat(parts, dim=1)


class InceptionNetwork(nn.Module):
    """Pictures (n, 3, height, width) with values in 0..255 -> features (n, 2048) of the last pooling.

    Pictures of any size are brought to 299 x 299 by bilinear interpolation between pixel centres, without
    smoothing where they shrink, and their values to [-1, 1].
    """

    num_features = FEATURES

    def __init__(self) -> None:
        super().__init__()
        self.Conv2d_1a_3x3 = _Conv(3, 32, 3, stride=2)
        self.Conv2d_2a_3x3 = _Conv(32, 32, 3, padded=False)
        self.Conv2d_2b_3x3 = _Conv(32, 64, 3)
        self.Conv2d_3b_1x1 = _Conv(64, 80)
        self.Conv2d_4a_3x3 = _Conv(80, 192, 3, padded=False)
        self.Mixed_5b, self.Mixed_5c, self.Mixed_5d = _A(192, 32), _A(256, 64), _A(288, 64)
        self.Mixed_6a = _B(288)
        self.Mixed_6b, self.Mixed_6c, self.Mixed_6d, self.Mixed_6e = _C(128), _C(160), _C(160), _C(192)
        self.Mixed_7a = _D()
        self.Mixed_7b, self.Mixed_7c = _E(1280, last=False), _E(2048, last=True)

    def forward(self, pictures: Tensor) -> Tensor:
        """Features of a batch; in training mode they would depend on each other."""
        x = resized(pictures) / 127.5 - 1
        x = _halved(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
        x = _halved(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
        x = self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x)))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(self.Mixed_6a(x)))))
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))
        return x.mean(dim=(2, 3))


def resized(pictures: Tensor) -> Tensor:
    """Pictures (n, 3, height, width) -> the same values as floats, (n, 3, 299, 299); unchanged at that size."""
    return functional.interpolate(pictures.float(), (SIDE, SIDE), mode="bilinear", align_corners=False)
