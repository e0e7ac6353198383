"""dlib's face recognition network as a differentiable PyTorch module.

Architecture: Davis King, dlib's ``dnn_face_recognition_ex.cpp`` (a ResNet-34 after He et al., CVPR 2016, with
fewer layers and half the filters: 29 convolutions).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from unveil.models.dlib_format import DlibParameters, Floats

BLOCKS = ("same",) * 3 + ("down",) + ("same",) * 3 + 2 * (("down",) + ("same",) * 2) + ("down",)
"""Residual blocks of two 3 x 3 convolutions each. ``down``: the first of the two has stride 2."""

MEANS = (122.782, 117.001, 104.298)
"""Subtracted from red, green and blue (0..255) before the division by 256."""


class DlibResNet(nn.Module):
    """Prepared face chips (n, 3, 150, 150) -> embeddings (n, 128).

    Args:
        parameters: as :func:`unveil.models.dlib_format.read_recognition_network` reads them.
    """

    def __init__(self, parameters: DlibParameters) -> None:
        super().__init__()
        strides = [2, *(stride for block in BLOCKS for stride in ((2, 1) if block == "down" else (1, 1)))]
        layers = zip(parameters.filters, parameters.biases, strides, strict=True)
        self.convolutions = nn.ModuleList(_convolution(*layer) for layer in layers)
        self.matrix = nn.Parameter(torch.from_numpy(parameters.matrix))

    def forward(self, chips: Tensor) -> Tensor:
        """Embeddings (n, 128) of chips that :func:`preprocess` prepared."""
        first, *rest = self.convolutions
        features = functional.max_pool2d(functional.relu(first(chips)), 3, stride=2)
        for block, one, two in zip(BLOCKS, rest[0::2], rest[1::2], strict=True):
            shortcut = functional.avg_pool2d(features, 2) if block == "down" else features
            features = functional.relu(_padded_sum(two(functional.relu(one(features))), shortcut))
        return features.mean(dim=(2, 3)) @ self.matrix


def preprocess(chips: Tensor) -> Tensor:
    """RGB chips (n, 3, height, width) in 0..255 as the network wants them; differentiable."""
    means = torch.tensor(MEANS, dtype=chips.dtype, device=chips.device)
    return (chips - means[:, None, None]) / 256


def _convolution(kernel: Floats, bias: Floats, stride: int) -> nn.Conv2d:
    filters, channels, size, _ = kernel.shape
    layer = nn.Conv2d(channels, filters, size, stride, padding=size // 2 if stride == 1 else 0)
    # With channels last oneDNN takes 1.4 ms per face instead of 1.9 (2 cores, batch of 32).
    weight = torch.from_numpy(kernel).contiguous(memory_format=torch.channels_last)
    layer.weight = nn.Parameter(weight)
    layer.bias = nn.Parameter(torch.from_numpy(bias))
    return layer


def _padded_sum(one: Tensor, two: Tensor) -> Tensor:
    """Sum of two feature maps; where they differ in a dimension the smaller is zero at its end."""
    if one.shape == two.shape:
        return one + two
    shape = [max(sizes) for sizes in zip(one.shape, two.shape, strict=True)]
    return _padded(one, shape) + _padded(two, shape)


def _padded(value: Tensor, shape: list[int]) -> Tensor:
    missing = [want - have for want, have in zip(shape[1:], value.shape[1:], strict=True)]
    return functional.pad(value, [side for size in reversed(missing) for side in (0, size)])
