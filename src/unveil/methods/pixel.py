"""The classical methods that work on the pixels of one picture: nothing, pixelation, a mask, noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from unveil.core import validation
from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image
from unveil.core.validation import choice, number, whole
from unveil.methods import cells
from unveil.methods.region import Region, Where
from unveil.methods.silhouettes import Result


class Original:
    """No protection: the pictures unchanged. The reference that every method is compared with."""

    meta = MethodMeta(
        name="original", version=1, scope="image", deterministic=True, source=Source("the unprotected picture")
    )

    @property
    def guarantee(self) -> Guarantee | None:
        """None: nothing is protected."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """The pictures as they are."""
        return list(images)


class Pixelation:
    """Mosaic: every cell of a grid takes the mean colour of its pixels.

    FairDeFace gives the strength as "1/16 for 224x224", which can be read in two ways; ``unit`` says which.
    ``grid`` divides the short side of the region into ``size`` cells (16 cells, each 14 pixels at 224), so
    the strength does not depend on the resolution; the long side gets as many cells of about the same
    edge as fit. ``pixel`` makes cells of ``size`` pixels (14 cells at 224), the last ones smaller where the
    side is no multiple. A region with fewer pixels than cells has cells of one pixel, that is no change.

    Args:
        size: number of cells along the short side, or the edge of a cell in pixels; at least 1.
        unit: ``grid`` or ``pixel``.
        region: ``image``, ``face`` or ``person``.
        margin: share by which a face box grows on each side, or a person's mask.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="pixelation",
        version=1,
        scope="image",
        deterministic=True,
        source=Source(
            "S. Hill, Z. Zhou, L. Saul, H. Shacham, On the (In)effectiveness of Mosaicing and Blurring as Tools "
            "for Document Redaction, PoPETs 2016(4); strength 1/16 as in FairDeFace"
        ),
    )

    def __init__(
        self,
        *,
        size: int = 16,
        unit: Literal["grid", "pixel"] = "grid",
        region: Where = "image",
        margin: float = 0.0,
    ) -> None:
        self.size = whole("size", size)
        self.unit = choice("unit", unit, ("grid", "pixel"))
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: mosaicing is broken by recognizers trained on mosaics."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Pixelated pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect(images, context, lambda sample: self._pixelate)

    def _pixelate(self, image: Image) -> Image:
        height, width = image.shape[:2]
        if self.unit == "pixel":
            rows, columns = cells.steps(height, self.size), cells.steps(width, self.size)
        else:
            edge = min(height, width) / min(self.size, height, width)
            rows = cells.grid(height, max(1, round(height / edge)))
            columns = cells.grid(width, max(1, round(width / edge)))
        return cells.paint(cells.means(image, rows, columns)[0], rows, columns, image.shape)


class Mask:
    """The region filled with one colour: nothing of it is left.

    With ``region="image"`` the output carries only the picture's size. With ``face`` or ``person`` it also
    carries where the faces were, or the outlines of the people; the rest of the picture is unchanged.

    Args:
        color: red, green and blue in 0..255.
        region: ``image``, ``face`` or ``person``.
        margin: share by which a face box grows on each side, or a person's mask.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="mask",
        version=1,
        scope="image",
        deterministic=True,
        source=Source(
            "E. M. Newton, L. Sweeney, B. Malin, Preserving Privacy by De-identifying Face Images, IEEE TKDE "
            "17(2), 2005: masking as the ad hoc method"
        ),
    )

    def __init__(self, *, color: Sequence[int] = (0, 0, 0), region: Where = "image", margin: float = 0.0) -> None:
        self.color = validation.color("color", color)
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """For the whole picture: the output does not depend on its content."""
        if self._region.kind != "image":
            return None
        return Guarantee(
            "(0, 0)-differential privacy of the pixels: pictures of one size have the same output",
            "immediate: the output is a constant",
        )

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Masked pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect(images, context, lambda sample: self._fill)

    def _fill(self, image: Image) -> Image:
        filled = np.empty_like(image)
        filled[:] = self.color
        return filled


class GaussianNoise:
    """Independent normal noise on every pixel and channel, limited to 0..255.

    Args:
        sigma: standard deviation in grey levels, at least 0.
        region: ``image``, ``face`` or ``person``.
        margin: share by which a face box grows on each side, or a person's mask.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="gaussian_noise",
        version=1,
        scope="image",
        deterministic=False,
        source=Source("additive white Gaussian noise, the usual baseline; no paper prescribes a strength"),
    )

    def __init__(self, *, sigma: float = 50.0, region: Where = "image", margin: float = 0.0) -> None:
        self.sigma = number("sigma", sigma, low=0)
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: the noise is far below what differential privacy of a picture would need."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Noisy pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect_randomly(images, context, self._noisy)

    def _noisy(self, image: Image, rng: np.random.Generator) -> Image:
        noise = rng.standard_normal(image.shape, dtype=np.float32)
        noise *= np.float32(self.sigma)
        noise += image
        return np.clip(np.rint(noise, out=noise), 0, 255, out=noise).astype(np.uint8)
