"""The network of LPIPS: AlexNet's five layers, compared place by place, with learned weights of the channels."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

CHANNELS = (64, 192, 384, 256, 256)
"""Of the five layers that are compared, each after its ReLU."""

_MEAN, _DEVIATION = (-0.030, -0.088, -0.188), (0.458, 0.448, 0.450)
"""Of red, green and blue in [-1, 1] in the pictures that AlexNet learnt from."""

_TINY = 1e-10


class AlexNetLayers(nn.Module):
    """The convolutions of AlexNet, with the names of the published weights; no last pooling, no classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 11, stride=4, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.Conv2d(64, 192, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.Conv2d(192, 384, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(384, 256, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(256, 256, 3, padding=1),
            nn.ReLU(),
        )

    def forward(self, x: Tensor) -> list[Tensor]:
        """The five layers after their ReLU: (n, channels, rows, columns) each."""
        layers = []
        for step in self.features:
            x = step(x)
            if isinstance(step, nn.ReLU):
                layers.append(x)
        return layers


class ChannelWeights(nn.Module):
    """How much the channels of each layer count, not below 0, with the names of the published weights."""

    def __init__(self) -> None:
        super().__init__()
        for number, channels in enumerate(CHANNELS):
            layer = nn.Module()
            layer.model = nn.Sequential(nn.Identity(), nn.Conv2d(channels, 1, 1, bias=False))
            self.add_module(f"lin{number}", layer)

    def forward(self, number: int, squares: Tensor) -> Tensor:
        """Squared differences of a layer (n, channels, rows, columns) -> (n, 1, rows, columns)."""
        weighted: Tensor = self.get_submodule(f"lin{number}.model")(squares)
        return weighted


class LpipsNetwork(nn.Module):
    """Two batches of pictures (n, 3, height, width) in [-1, 1] -> how different each pair is (n,)."""

    mean: Tensor
    deviation: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.layers = AlexNetLayers()
        self.weights = ChannelWeights()
        self.register_buffer("mean", torch.tensor(_MEAN).view(3, 1, 1), persistent=False)
        self.register_buffer("deviation", torch.tensor(_DEVIATION).view(3, 1, 1), persistent=False)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Zhang et al. 2018, equation 1."""
        both = torch.cat([left, right])
        total = torch.zeros(len(left))
        for number, layer in enumerate(self.layers((both - self.mean) / self.deviation)):
            one, two = (layer / (layer.norm(dim=1, keepdim=True) + _TINY)).chunk(2)
            total = total + self.weights(number, (one - two).square()).mean(dim=(1, 2, 3))
        return total


def enlarged(pictures: Tensor, least: int) -> Tensor:
    """Pictures (n, 3, height, width), the shorter side at least ``least`` pixels; bilinear, same shape."""
    height, width = pictures.shape[2:]
    scale = least / min(height, width)
    if scale <= 1:
        return pictures
    size = (round(height * scale), round(width * scale))
    return functional.interpolate(pictures, size, mode="bilinear", align_corners=False)
