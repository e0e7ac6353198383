"""An estimator of attributes for evaluations that compare what is told of faces; it looks at the pixels alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from unveil.core.protocols import Source
from unveil.core.roles import Kind, ModelMeta
from unveil.core.types import Face, Failure, Image, Value


class Teller:
    """Tells a number, a word and angles from the colours of a picture; some pictures show it no word."""

    meta = ModelMeta("teller", 1, "estimator", Source("drawn for tests"))
    kinds: ClassVar[Mapping[str, Kind]] = MappingProxyType(
        {
            "brightness": "numeric",
            "gender": "categorical",
            "head_pose": "angles",
            "gender_confidence": "confidence",
        }
    )

    def estimate(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Mapping[str, Value] | Failure]:
        """The attributes of one picture each, wherever the face is."""
        return [_told(image) for image in images]


def _told(image: Image) -> dict[str, Value]:
    red, green, blue = (float(mean) for mean in image.mean(axis=(0, 1)))
    told: dict[str, Value] = {"brightness": red + green + blue, "head_pose": (red - 128, green - 128, blue - 128)}
    if abs(red - blue) > 10:  # a grey picture tells nothing
        told["gender"] = "Female" if red > blue else "Male"
        told["gender_confidence"] = float(np.tanh(abs(red - blue) / 255))
    return told
