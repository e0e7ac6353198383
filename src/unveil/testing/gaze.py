"""Models of faces whose gradients can be had, for evaluations that look into a recognizer; and drawn pictures.

The models are simple but real: they look at the pixels they are given and at nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.core.face_regions import MESH_POINTS
from unveil.core.fingerprint import rng
from unveil.core.protocols import Source, Version
from unveil.core.roles import ModelMeta
from unveil.core.types import Embedding, Face, Failure, Image, Reason
from unveil.testing.people import face_of, portrait

_SOURCE = Source("drawn for tests")
_DARK = 60.0


class SmallRecognizer:
    """Projects the mean colours of a few patches of a face; differentiable (implements both protocols)."""

    meta = ModelMeta("small", 1, "recognizer", _SOURCE)
    distance: Literal["cosine", "euclidean"] = "cosine"
    dimension = 6
    customary_threshold = 0.4
    side = 24

    @cached_property
    def _network(self) -> Any:
        import torch

        weights = rng("small recognizer").normal(size=(self.dimension, 3, 6, 6)) / 108
        layer = torch.nn.Conv2d(3, self.dimension, 6, stride=6, bias=False).requires_grad_(False)
        layer.weight.copy_(torch.from_numpy(weights))
        return torch.nn.Sequential(layer, torch.nn.Tanh(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())

    def chips(
        self, images: Sequence[Image], faces: Sequence[Face], *, aligned_by: Sequence[Image] | None = None
    ) -> NDArray[np.uint8]:
        """Crops (n, 24, 24, 3) of the boxes; they need no pixels to be aligned."""
        crops = np.empty((len(faces), self.side, self.side, 3), np.uint8)
        for crop, image, face in zip(crops, images, faces, strict=True):
            x, y = (np.linspace(face.box[i], face.box[i + 2] - 1, self.side).round().astype(int) for i in (0, 1))
            crop[:] = image[np.clip(y, 0, len(image) - 1)][:, np.clip(x, 0, image.shape[1] - 1)]
        return crops

    def preprocess(self, chips: Any) -> Any:
        """Float tensor (n, 3, 24, 24) in 0..255 -> in -1..1."""
        return chips / 127.5 - 1

    def module(self) -> Any:
        """Preprocessed chips -> embeddings (n, 6)."""
        return self._network

    def embed(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Embedding | Failure]:
        """Embedding of one face per picture."""
        import torch

        chips = torch.from_numpy(self.chips(images, faces)).permute(0, 3, 1, 2).float()
        return list(self._network(self.preprocess(chips)).numpy())


class GridLandmarker:
    """Spreads the points of a mesh over the box of a face, moved a little by its colour; sees none in the dark."""

    meta = ModelMeta("grid", 1, "landmarker", _SOURCE)
    points = MESH_POINTS

    def landmarks(self, images: Sequence[Image], faces: Sequence[Face]) -> list[NDArray[np.float32] | Failure]:
        """Points (468, 2) of one face per picture."""
        return [self._mesh(image, face) for image, face in zip(images, faces, strict=True)]

    def _mesh(self, image: Image, face: Face) -> NDArray[np.float32] | Failure:
        light = float(image.mean())
        if light < _DARK:
            return Failure(Reason.NO_FACE, f"mean brightness must be {_DARK:g} at least, not {light:.1f}")
        spread = rng("mesh").random((MESH_POINTS, 2)) + light / 2550
        left_top, right_bottom = face.box[:2], face.box[2:]
        return (left_top + spread * (right_bottom - left_top)).astype(np.float32)


FACE_MODELS: Mapping[str, Any] = {"recognizer": SmallRecognizer(), "landmarker": GridLandmarker()}
"""Role -> model of faces."""


def drawn_face() -> Face:
    """Where the face of every drawn picture is."""
    return face_of(portrait(0, 0))


def drawn_picture(version: Version, sample_id: str, status: str) -> Image | Failure:
    """A portrait by sample id, protected by turning its colours over; some are dark.

    Args:
        version: of the picture.
        sample_id: any text.
        status: what has become of the protected picture.
    """
    number = int(rng("picture", sample_id).integers(1, 1 << 16))
    image = portrait(number, 0) // (4 if number % 5 == 0 else 1)
    if version == "original":
        return image
    if status == "not_protected":
        return Failure(Reason.MISSING, f"{sample_id}: the method gave no picture")
    if status == "error":
        return Failure(Reason.EXCEPTION, f"{sample_id}: the method broke")
    return 255 - image
