"""Embossing: a picture as if pressed into grey metal and lit from one side."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image
from unveil.core.validation import number
from unveil.methods.region import Region, Where
from unveil.methods.silhouettes import Result


class Embossing:
    """Embossing: grey 128, brighter where the picture brightens along one direction and darker where it darkens.

    The luminance (0.299 R + 0.587 G + 0.114 B) is filtered with a 3x3 kernel: each of the eight neighbours
    counts with the cosine of its direction to ``direction``, times its distance and ``strength``; the centre
    counts 0, so flat areas become grey. Colours are gone, edges across the direction stay, and edges along it
    vanish. HR-VISPR lists embossing among the methods on people, without parameters; the defaults are the
    kernel [[-2, -1, 0], [-1, 0, 1], [0, 1, 2]] of image editors, but for its scale.

    Args:
        direction: in which the picture must brighten to become bright, in degrees from the right, clockwise;
            45 is towards the lower right.
        strength: grey levels per grey level of difference, above 0.
        region: ``image``, ``face`` or ``person``.
        margin: share by which a face box grows on each side, or a person's mask.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="embossing",
        version=1,
        scope="image",
        deterministic=True,
        source=Source(
            "emboss filter of image editors; HR-VISPR framework (privacy, utility, practicality): human "
            "embossing, whose parameters are in a supplement that was not available"
        ),
    )

    def __init__(
        self, *, direction: float = 45.0, strength: float = 1.0, region: Where = "image", margin: float = 0.0
    ) -> None:
        self.direction = number("direction", direction)
        self.strength = number("strength", strength, above=0)
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: the edges of a face are kept, and recognizers can be trained on them."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Embossed pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect(images, context, lambda sample: self._emboss)

    def _emboss(self, image: Image) -> Image:
        import cv2

        angle = math.radians(self.direction)
        step = np.array([-1.0, 0.0, 1.0])
        kernel = self.strength * (step[None, :] * math.cos(angle) + step[:, None] * math.sin(angle))
        grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
        relief = cv2.filter2D(grey, cv2.CV_8U, kernel, delta=128)  # rounds and limits to 0..255
        return np.asarray(cv2.cvtColor(relief, cv2.COLOR_GRAY2RGB), np.uint8)
