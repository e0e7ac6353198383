"""A small residual network that can be trained from scratch on a few hundred pictures."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

DEPTH = 4
"""Blocks; each halves height and width, after a first convolution that halves them too."""


class _Block(nn.Module):
    """Two 3 x 3 convolutions with batch normalisation, the first with stride 2, and a shortcut.

    Source: He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", CVPR 2016, figure 2; shortcut by
    average pooling as in He et al., "Bag of Tricks for Image Classification", CVPR 2019, figure 2c.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, bias=False)
        self.shortcut_norm = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.first_norm(self.first(x)))
        inner = self.second_norm(self.second(inner))
        pooled = functional.avg_pool2d(x, 2, ceil_mode=True)
        return functional.relu(inner + self.shortcut_norm(self.shortcut(pooled)))


class SmallNetwork(nn.Module):
    """Pictures (n, 3, height, width) in 0..1 -> logits (n, labels).

    The features are pooled by their mean and by their maximum: an attribute may fill the picture, or be seen
    at one small place.

    Args:
        labels: number of outputs.
        channels: of the first block; doubled in the second and third.
    """

    def __init__(self, *, labels: int, channels: int) -> None:
        super().__init__()
        widths = (channels, 2 * channels, 4 * channels, 4 * channels)
        self.stem = nn.Conv2d(3, channels, 3, stride=2, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(channels)
        inputs = (channels, *widths[:-1])
        self.blocks = nn.Sequential(*(_Block(a, b) for a, b in zip(inputs, widths, strict=True)))
        self.head = nn.Linear(2 * widths[-1], labels)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (n, labels)."""
        x = functional.relu(self.stem_norm(self.stem(2 * x - 1)))
        x = self.blocks(x)
        pooled = torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)
        return self.head(pooled)
