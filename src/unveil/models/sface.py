"""SFace through OpenCV's FaceRecognizerSF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.core.errors import ConfigError
from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Embedding, Face, Failure, Image
from unveil.models.five_points import LANDMARK_WEIGHTS, TEMPLATE_SIDE, Points, require_five_points
from unveil.models.model_file import ModelFile
from unveil.models.pool import Pool
from unveil.models.weights import require_library
from unveil.models.weights_records import SFACE

if TYPE_CHECKING:
    import cv2

    Networks: TypeAlias = Pool[cv2.FaceRecognizerSF]

_BATCH = 16
"""Crops that one thread takes at a time; OpenCV describes them one by one."""


class SFace:
    """Embeddings of 128 numbers by a small MobileFaceNet, compared by cosine; same person at 0.637 or below.

    Alignment, colours and scaling are OpenCV's own. The threshold is the similarity of 0.363 of OpenCV's samples.

    Args:
        path: of another graph for FaceRecognizerSF, such as a quantised one; or ``""``.

    Source: Zhong, Deng, Hu, Zhao, Li and Wen, "SFace: Sigmoid-Constrained Hypersphere Loss for Robust Face
    Recognition", IEEE Transactions on Image Processing 30, 2021.
    """

    meta = ModelMeta(
        name="sface",
        version=1,
        role="recognizer",
        source=Source(
            citation="Zhong, Deng, Hu, Zhao, Li, Wen: SFace: Sigmoid-Constrained Hypersphere Loss for Robust Face "
            "Recognition, IEEE Transactions on Image Processing 30, 2021",
            licence="Apache-2.0",
            url="https://github.com/zhongyy/SFace",
        ),
    )
    distance: Literal["cosine", "euclidean"] = "cosine"
    dimension: int = 128
    customary_threshold: float = 1 - 0.363
    not_identity = ("path",)

    def __init__(self, *, path: str = "") -> None:
        self.path = path
        self._file = ModelFile(path, SFACE)
        self.meta = replace(self.meta, weights={**self._file.weights, **LANDMARK_WEIGHTS})

    def require(self) -> None:
        """Raise Unavailable when the weights or a library are missing."""
        require_library("cv2", distribution="'opencv-python-headless>=4.10,<5'")
        require_five_points()
        self._file.locate()

    def content_fingerprint(self) -> str:
        """SHA-256 of the graph's file, part of the model's identity in place of the path."""
        return self._file.fingerprint()

    def weights_found(self) -> Mapping[str, str]:
        """File name -> SHA-256 of what is read, for the run's manifest."""
        return self._file.hashes()

    @cached_property
    def _networks(self) -> Networks:
        import cv2

        file = str(self._file.locate())
        networks = Pool(lambda: cv2.FaceRecognizerSF.create(file, ""))
        try:
            with networks.lend() as network:
                shape = network.feature(np.zeros((TEMPLATE_SIDE, TEMPLATE_SIDE, 3), np.uint8)).shape
        except cv2.error as error:
            raise ConfigError(f"sface: OpenCV cannot run {file}: {' '.join(str(error).split())}") from error
        if shape != (1, self.dimension):
            raise ConfigError(f"sface: {file} must give (1, {self.dimension}) numbers for a face, not {shape}")
        return networks

    def embed(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Embedding | Failure]:
        """Embedding (128,) of one face per picture.

        Raises:
            Unavailable: at the first call, when weights are missing or not the known ones.
            ConfigError: at the first call, when the graph at ``path`` is none for FaceRecognizerSF.
        """
        from unveil.models.aligned_faces import describe_aligned

        networks = self._networks
        return describe_aligned(
            images, faces, partial(_align, networks), partial(_describe, networks), batch=_BATCH
        )


def _align(networks: Networks, image: Image, points: Points) -> Image:
    row = np.zeros((1, 15), np.float32)  # box, five points, score; only the points are read
    row[0, 4:14] = points.reshape(-1)
    with networks.lend() as network:
        return np.asarray(network.alignCrop(np.ascontiguousarray(image), row), np.uint8)


def _describe(networks: Networks, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    bgr = np.ascontiguousarray(crops[..., ::-1])  # as OpenCV reads files; the network itself is given RGB
    with networks.lend() as network:
        return np.concatenate([network.feature(crop).copy() for crop in bgr])
