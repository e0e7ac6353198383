"""dlib's face recognizer, run in PyTorch: batched, differentiable, and equal to dlib's own within 1e-5."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Embedding, Face, Failure, Image
from unveil.models.dlib_alignment import (
    PREDICTOR_FILE,
    PREDICTOR_HASH,
    describe_usable,
    face_chips,
    locate_dlib,
    require_alignment,
)
from unveil.models.weights import require_library

if TYPE_CHECKING:
    import torch
    from torch import nn

NETWORK_FILE = "dlib_face_recognition_resnet_model_v1.dat"
NETWORK_HASH = "55533b28a95800a551ba546ba62fe69625c7e95a7061c338adffead08719da30"

CHIP = 150
"""Side of a face chip in pixels."""

PADDING = 0.25
"""Margin about the face in a chip, as a share of its size."""

_BATCH = 32
"""Chips per pass through the network."""


class DlibRecognizer:
    """Embeddings of 128 numbers, compared by Euclidean distance; same person at 0.6 or below.

    A face is aligned by dlib's five-point landmarks inside its box; landmarks of the detector are not used.
    A box that cannot be aligned gives a Failure (``too_small``).

    Source: Davis King, "High Quality Face Recognition with Deep Metric Learning", dlib blog, 2017; 99.38 % on
    Labeled Faces in the Wild (published).
    """

    meta = ModelMeta(
        name="dlib",
        version=1,
        role="recognizer",
        source=Source(
            citation="King: High Quality Face Recognition with Deep Metric Learning, dlib blog, 2017",
            licence="CC0-1.0 (weights)",
            url="https://blog.dlib.net/2017/02/high-quality-face-recognition-with-deep.html",
        ),
        weights={NETWORK_FILE: NETWORK_HASH, PREDICTOR_FILE: PREDICTOR_HASH},
    )
    distance: Literal["cosine", "euclidean"] = "euclidean"
    dimension: int = 128
    customary_threshold: float = 0.6

    def require(self) -> None:
        """Raise Unavailable when weights or a library are missing."""
        require_library("torch", distribution="torch")
        require_alignment()
        locate_dlib(NETWORK_FILE, NETWORK_HASH)

    @cached_property
    def _network(self) -> nn.Module:
        import torch

        from unveil.models.dlib_format import read_recognition_network
        from unveil.models.dlib_network import DlibResNet

        path = locate_dlib(NETWORK_FILE, NETWORK_HASH)
        with torch.inference_mode(False):  # gradients must be able to pass, whoever asks first
            network = DlibResNet(read_recognition_network(path.read_bytes()))
        return network.eval().requires_grad_(False)

    def embed(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Embedding | Failure]:
        """Embedding (128,) of one face per picture.

        Raises:
            Unavailable: at the first call, when weights are missing or not the known ones.
        """
        import torch

        from unveil.models.shapes import in_few_sizes

        network = self._network

        def vectors(images: Sequence[Image], faces: Sequence[Face]) -> NDArray[np.float32]:
            chips = torch.from_numpy(self.chips(images, faces)).permute(0, 3, 1, 2)
            return in_few_sizes(network, self.preprocess(chips.float()), _BATCH // 8).numpy()

        return describe_usable(vectors, images, faces, batch=_BATCH)

    def chips(
        self, images: Sequence[Image], faces: Sequence[Face], *, aligned_by: Sequence[Image] | None = None
    ) -> NDArray[np.uint8]:
        """Aligned crops (n, 150, 150, 3), RGB.

        Args:
            images: what is cropped.
            faces: one per picture.
            aligned_by: pictures of the same sizes in which the landmarks are found; by default ``images``.

        Raises:
            ValueError: for a face for which :meth:`embed` gives a Failure; for two sizes of one picture.
        """
        crops = np.empty((len(faces), CHIP, CHIP, 3), np.uint8)
        for crop, image, face, seen in zip(crops, images, faces, aligned_by or images, strict=True):
            (crop[:],) = face_chips(image, face, [CHIP], PADDING, seen)
        return crops

    def preprocess(self, chips: torch.Tensor) -> torch.Tensor:
        """Float tensor (n, 3, 150, 150) in 0..255 -> the network's input; differentiable."""
        from unveil.models.dlib_network import preprocess

        return preprocess(chips)

    def module(self) -> nn.Module:
        """The network: preprocessed chips -> embeddings (n, 128). Its parameters take no gradient."""
        return self._network
