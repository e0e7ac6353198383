"""A picture as the features of the Inception network on which FID is defined."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Image
from unveil.models.weights import require_library
from unveil.models.weights_records import INCEPTION_2015, find

if TYPE_CHECKING:
    from unveil.models.inception_network import InceptionNetwork

_BATCH = 8
"""Pictures per pass through the network."""


class Inception2015:
    """The Inception network of 2015, its last pooling: the encoder that FID means when it names none.

    Pictures of any shape are stretched to 299 x 299 pixels by bilinear interpolation between pixel centres,
    without smoothing where they shrink, as pytorch-fid does it in its network. TensorFlow's original
    resizes in another way, and torchmetrics' own encoder smooths where pictures shrink; their values differ.

    Source: Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, "Rethinking the Inception Architecture for Computer Vision",
    CVPR 2016, with the weights of 2015-12-05; as the encoder of FID, Heusel et al., NeurIPS 2017.
    """

    meta = ModelMeta(
        name="inception-2015",
        version=1,
        role="image_encoder",
        source=Source(
            citation=INCEPTION_2015.citation,
            licence=INCEPTION_2015.licence,
            url="https://arxiv.org/abs/1512.00567",
        ),
        weights={INCEPTION_2015.name: INCEPTION_2015.sha256},
    )
    dimension: int = 2048

    def require(self) -> None:
        """Raise Unavailable when PyTorch or the weights are missing."""
        require_library("torch", distribution="torch")
        find(INCEPTION_2015)

    @cached_property
    def _network(self) -> InceptionNetwork:
        from unveil.models.inception_network import InceptionNetwork
        from unveil.models.published import read_published

        network = InceptionNetwork()
        read_published(network, find(INCEPTION_2015), unused="fc.")
        return network

    def module(self) -> InceptionNetwork:
        """The network itself: pictures (n, 3, height, width) with values in 0..255 -> features (n, 2048).

        Raises:
            Unavailable: when the weights are missing or not the known ones.
        """
        return self._network

    def encode(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Vectors (n, 2048), none of them below 0.

        Raises:
            Unavailable: at the first call, when the weights are missing or not the known ones.
        """
        import torch

        from unveil.models.inception_network import resized
        from unveil.models.shapes import in_few_sizes

        parts = [np.zeros((0, self.dimension), np.float32)]
        for start in range(0, len(images), _BATCH):
            chosen = images[start : start + _BATCH]
            with torch.inference_mode():
                pixels = [torch.tensor(image).permute(2, 0, 1)[None] for image in chosen]
                batch = torch.cat([resized(picture) for picture in pixels])
                parts.append(in_few_sizes(self._network, batch, _BATCH).numpy())
        return np.concatenate(parts)
