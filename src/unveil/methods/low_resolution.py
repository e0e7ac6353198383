"""Low resolution and back: detail that a reduced picture cannot hold is gone, whatever enlarges it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image
from unveil.core.validation import choice, number
from unveil.methods.region import Region, Where
from unveil.methods.silhouettes import Result

Upscaler: TypeAlias = Literal["bicubic", "lanczos"]

SOURCE = Source(
    "HR-VISPR framework (privacy, utility, practicality): low resolution with super resolution (LR+SR), whose "
    "factor is in a supplement that was not available; reduced images for privacy: M. Ryoo, B. Rothrock, C. "
    "Fleming, H. J. Yang, Privacy-Preserving Human Activity Recognition from Extreme Low Resolution, AAAI 2017"
)


def reduced(image: Image, factor: float) -> Image:
    """Each side divided by ``factor``, to one pixel at least; a pixel is the mean of the area it stands for."""
    import cv2

    height, width = image.shape[:2]
    size = (max(1, round(width / factor)), max(1, round(height / factor)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


class LowResolution:
    """Low resolution: the picture reduced by a factor and enlarged again by interpolation.

    Args:
        factor: by which each side is divided, at least 1.
        upscaler: ``bicubic`` or ``lanczos`` (8x8 pixels), of OpenCV. A network is ``low_resolution.swin2sr``.
        region: ``image``, ``face`` or ``person``.
        margin: share by which a face box grows on each side, or a person's mask.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(name="low_resolution", version=1, scope="image", deterministic=True, source=SOURCE)

    def __init__(
        self, *, factor: float = 8.0, upscaler: Upscaler = "bicubic", region: Where = "image", margin: float = 0.0
    ) -> None:
        self.factor = number("factor", factor, low=1)
        self.upscaler = choice("upscaler", upscaler, get_args(Upscaler))
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: recognizers can be trained on low resolution."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Pictures of the same size; ``no_face`` where the region is the face and none is found."""
        return self._region.protect(images, context, lambda sample: self._degrade)

    def _degrade(self, image: Image) -> Image:
        import cv2

        kind = cv2.INTER_CUBIC if self.upscaler == "bicubic" else cv2.INTER_LANCZOS4
        size = (image.shape[1], image.shape[0])
        return np.asarray(cv2.resize(reduced(image, self.factor), size, interpolation=kind), np.uint8)
