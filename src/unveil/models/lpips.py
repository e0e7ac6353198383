"""How different two pictures look, by LPIPS."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Image
from unveil.models.weights import locate, require_library
from unveil.models.weights_files import find
from unveil.models.weights_records import ALEXNET

if TYPE_CHECKING:
    from torch import Tensor

    from unveil.models.lpips_network import LpipsNetwork

LEAST = 64
"""Pixels that the shorter side is enlarged to: the size of the patches that the weights were learnt from."""


_CHANNELS = "functional/image/lpips_models/alex.pth"
_CHANNELS_SHA256 = "df73285e35b22355a2df87cdb6b70b343713b667eddbda73e1977e0c860835c0"


class Lpips:
    """Learned perceptual image patch similarity, version 0.1, with AlexNet.

    The difference is the squared distance of the unit-length features of both pictures, weighted by channel,
    averaged over the places of each of five layers, and summed over the layers. It is 0 for equal pictures and
    rarely above 1. Pictures are compared at their own size, which the value depends on; where the shorter side
    has fewer than 64 pixels they are enlarged. The weights of the channels come with torchmetrics; those of
    AlexNet must be on this machine: ``unveil weights fetch alexnet-owt-7be5be79.pth``.

    Source: Zhang, Isola, Efros, Shechtman, Wang, "The Unreasonable Effectiveness of Deep Features as a Perceptual
    Metric", CVPR 2018, equation 1.
    """

    meta = ModelMeta(
        name="lpips",
        version=1,
        role="perceptual_metric",
        source=Source(
            citation="Zhang, Isola, Efros, Shechtman, Wang: The Unreasonable Effectiveness of Deep Features as a "
            "Perceptual Metric, CVPR 2018",
            licence="BSD-2-Clause",
            url="https://arxiv.org/abs/1801.03924",
        ),
        weights={ALEXNET.name: ALEXNET.sha256, "alex.pth": _CHANNELS_SHA256},
    )

    def require(self) -> None:
        """Raise Unavailable when PyTorch or one of both files of weights is missing."""
        require_library("torch", distribution="torch")
        require_library("torchmetrics", distribution="'unveil[lpips]'")
        _channel_weights()
        find(ALEXNET)

    @cached_property
    def _network(self) -> LpipsNetwork:
        from unveil.models.lpips_network import LpipsNetwork
        from unveil.models.published import read_published

        network = LpipsNetwork()
        read_published(network.layers, find(ALEXNET), unused="classifier.")
        read_published(network.weights, _channel_weights())
        return network.eval()

    def differences(self, left: Sequence[Image], right: Sequence[Image]) -> NDArray[np.float32]:
        """Of each pair (n,), not below 0.

        Raises:
            ValueError: for a pair of pictures of different size.
            Unavailable: at the first call, when weights are missing or not the known ones.
        """
        import torch

        for number, (one, two) in enumerate(zip(left, right, strict=True)):
            if one.shape != two.shape:
                raise ValueError(f"pictures of pair {number} must be of one size, got {one.shape} and {two.shape}")
        found = np.zeros(len(left), np.float32)
        with torch.inference_mode():
            for number, (one, two) in enumerate(zip(left, right, strict=True)):
                found[number] = self._network(_input(one), _input(two)).item()
        return found


def _channel_weights() -> Path:
    return locate("torchmetrics", _CHANNELS, _CHANNELS_SHA256, distribution="'unveil[lpips]'")


def _input(image: Image) -> Tensor:
    """(1, 3, height, width) in [-1, 1]."""
    import torch

    from unveil.models.lpips_network import enlarged

    return enlarged(torch.tensor(image).permute(2, 0, 1)[None].float() / 127.5 - 1, LEAST)
