"""People taken out of the picture: the background around them is continued over the place where they stood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image, Sample
from unveil.core.validation import choice, number, whole
from unveil.methods.silhouettes import Mask, Result, Silhouette, overlay, protect_people, union

Algorithm: TypeAlias = Literal["telea", "navier_stokes"]

GREY = 127
"""What stands under the mask before it is filled, and after it where the mask leaves nothing to continue."""


def continued(
    image: Image, mask: Mask, *, algorithm: Algorithm = "navier_stokes", radius: int = 3, detail: int = 192
) -> Image:
    """A picture whose pixels under a mask are filled in from the others.

    A large picture is reduced for the filling by a whole factor, so that its long side has at most ``detail``
    cells; a cell that touches the mask counts as masked, so no pixel under the mask has any influence on the
    result. The fill is smooth in any case, and the pixels outside of the mask are kept as they are.

    Args:
        image: (height, width, 3); not written to.
        mask: ``bool`` (height, width), what has to go.
        algorithm: of OpenCV.
        radius: from how far a pixel is filled, in cells, at least 1.
        detail: longest side for the filling, at least 1.
    """
    import cv2

    factor = -(-max(mask.shape) // detail)
    height, width = mask.shape
    # One cell more on every side: on pictures one pixel wide OpenCV reads what is not theirs.
    sides = (factor, factor + -height % factor, factor, factor + -width % factor)
    covered = cv2.copyMakeBorder(mask.view(np.uint8), *sides, cv2.BORDER_REPLICATE)
    padded = cv2.copyMakeBorder(image, *sides, cv2.BORDER_REPLICATE)
    rows, columns = covered.shape[0] // factor, covered.shape[1] // factor
    shares = cv2.resize(covered.astype(np.float32), (columns, rows), interpolation=cv2.INTER_AREA)
    hole = (shares > 0).view(np.uint8)
    small = cv2.resize(padded, (columns, rows), interpolation=cv2.INTER_AREA)
    small[hole > 0] = GREY
    flag = cv2.INPAINT_TELEA if algorithm == "telea" else cv2.INPAINT_NS
    small = cv2.inpaint(small, hole, radius, flag)
    filled = cv2.resize(small, (columns * factor, rows * factor), interpolation=cv2.INTER_LINEAR)
    result = image.copy(order="C")
    filled = filled[factor : factor + height, factor : factor + width]
    overlay(result, np.asarray(filled, np.uint8), mask)
    return result


class Inpainting:
    """Masking with background inpainting: all people vanish, and the background closes over them.

    All masks are taken together, so nobody is painted over with pixels of somebody else. The fill is smooth:
    where people stood can often be seen, who they were cannot.

    Args:
        algorithm: ``navier_stokes``, or ``telea`` (fast marching), which some versions of OpenCV compute wrongly
            in the corners of a picture (opencv/opencv#28648).
        radius: from how far a pixel is filled, in cells of the reduced picture, at least 1.
        detail: longest side of the picture on which the fill is computed, at least 16; see :func:`continued`.
        margin: share of the short side of its box by which a mask grows, as masks end inside of hair and clothes.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="mask.person.inpaint",
        version=1,
        scope="image",
        deterministic=True,
        needs=("segmenter",),
        source=Source(
            "A. Telea, An Image Inpainting Technique Based on the Fast Marching Method, J. Graphics Tools 9(1), "
            "2004; M. Bertalmio, A. Bertozzi, G. Sapiro, Navier-Stokes, Fluid Dynamics, and Image and Video "
            "Inpainting, CVPR 2001; on a reduced picture"
        ),
    )

    def __init__(
        self, *, algorithm: Algorithm = "navier_stokes", radius: int = 3, detail: int = 192, margin: float = 0.05
    ) -> None:
        self.algorithm: Algorithm = algorithm
        choice("algorithm", algorithm, get_args(Algorithm))
        self.radius = whole("radius", radius)
        self.detail = whole("detail", detail, low=16)
        self.margin = number("margin", margin, low=0)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: nothing of the pixels under the masks is left, but where and how large people were may show."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Pictures without the people that have a mask."""
        return protect_people(images, context, self._remove, margin=self.margin)

    def _remove(self, image: Image, people: Sequence[Silhouette], sample: Sample) -> Image:
        mask = union(people, image.shape)
        return continued(image, mask, algorithm=self.algorithm, radius=self.radius, detail=self.detail)
