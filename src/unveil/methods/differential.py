"""Methods with a guarantee of differential privacy: DP-Pix and DP-Snow.

Three limits hold for them, and for ``dp_samp`` and ``metric_svd``, and belong beside every table:

* Neighbouring pictures differ in a few pixels. Two photos of one person differ in all of them, so these
  guarantees do **not** bound whether a face can be recognised.
* The noise comes from the run's seed: the guarantee holds against those who do not know the seed.
* Noise is drawn in floating point and rounded to 8 bits; the proofs are about real numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image
from unveil.core.validation import choice, number, whole
from unveil.methods import cells
from unveil.methods.region import Region
from unveil.methods.silhouettes import Result

_FACES = "; holds inside the detected face boxes, while where they are is published as it is"
_SEED = "; the run's seed must stay secret"

Where: TypeAlias = Literal["image", "face"]


def private_region(where: Where, margin: float) -> Region:
    """The region rule for methods with a guarantee: the image or the faces, never a person.

    Where boxes of people overlap outside of one's mask, the same original pixels would go into two results,
    and the privacy losses would add up.

    Raises:
        ValueError: for another region, or a margin outside its range.
    """
    choice("region", where, get_args(Where))
    return Region(where, margin)


def limits(region: Region) -> str:
    """What every guarantee of this family adds: where it holds, and that the seed is a secret."""
    return (_FACES if region.kind == "face" else "") + _SEED


class DPPix:
    """DP-Pix: pixelation with Laplace noise on every cell mean.

    A cell of b x b pixels changes by at most 255 m / b^2 when m pixels change, so noise of scale
    255 m / (b^2 eps) gives eps-differential privacy for m-neighbouring pictures. A cell cut by the border
    has n < b^2 pixels and gets the scale 255 m / (n eps): if m_c of the m pixels lie in cell c, the
    privacy loss is at most sum_c (255 m_c / n_c) / (255 m / (n_c eps)) = eps. Clipping is post-processing.

    The paper's pictures are grey. In a colour picture the m pixels change three numbers each, so the
    published scale on each channel gives eps per channel and 3 eps for the picture (composition).
    ``budget="channel"`` is that published form; ``budget="image"`` makes the noise three times larger
    so that the whole colour picture has eps.

    Args:
        eps: privacy parameter, above 0.
        m: number of pixels by which neighbouring pictures differ, at least 1.
        b: edge of a cell in pixels, at least 1.
        budget: what eps is spent on: each ``channel``, or the ``image``.
        region: ``image`` or ``face``.
        margin: share by which a face box grows on each side.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="dp_pix",
        version=1,
        scope="image",
        deterministic=False,
        source=Source(
            "L. Fan, Image Pixelization with Differential Privacy, DBSec 2018, LNCS 10980, pp. 148-162",
            url="https://doi.org/10.1007/978-3-319-95729-6_10",
        ),
    )

    def __init__(
        self,
        *,
        eps: float = 0.5,
        m: int = 16,
        b: int = 16,
        budget: Literal["channel", "image"] = "channel",
        region: Where = "image",
        margin: float = 0.0,
    ) -> None:
        self.eps = number("eps", eps, above=0)
        self.m = whole("m", m)
        self.b = whole("b", b)
        self.budget = choice("budget", budget, ("channel", "image"))
        self.region, self.margin = region, margin
        self._region = private_region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """Differential privacy for pictures that differ in at most ``m`` pixels."""
        each = f"{self.eps:g} for each colour channel, {3 * self.eps:g} for the picture"
        spent = each if self.budget == "channel" else f"{self.eps:g} for the colour picture"
        return Guarantee(
            f"eps-differential privacy with eps = {spent}, for pictures that differ in at most {self.m} pixels"
            + limits(self._region),
            "Fan 2018 (DBSec), Laplace mechanism on cell means; border cells and colour: docstring of DPPix",
        )

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Noisy mosaics; ``no_face`` where the region is the face and none is found."""
        return self._region.protect_randomly(images, context, self._pixelate)

    def _pixelate(self, image: Image, rng: np.random.Generator) -> Image:
        rows, columns = cells.steps(image.shape[0], self.b), cells.steps(image.shape[1], self.b)
        means, counts = cells.means(image, rows, columns)
        channels = 3 if self.budget == "image" else 1
        scale = 255.0 * self.m * channels / (counts[:, :, None] * self.eps)
        return cells.paint(means + rng.laplace(0.0, 1.0, means.shape) * scale, rows, columns, image.shape)


class DPSnow:
    """DP-Snow: a share of the pixels, drawn at random, becomes grey (127, 127, 127).

    Exactly ``ceil(replace_fraction * n)`` of the n pixels are drawn without replacement. Couple the draws for
    two pictures that differ in one pixel: with probability at least ``replace_fraction`` that pixel is
    replaced and the outputs are equal, so the total variation distance is at most
    ``delta = 1 - replace_fraction``. FairDeFace's text calls the replaced share delta; at its 0.5 the
    two readings agree.

    Args:
        replace_fraction: share of the pixels that are replaced, in 0..1.
        region: ``image`` or ``face``.
        margin: share by which a face box grows on each side.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="dp_snow",
        version=1,
        scope="image",
        deterministic=False,
        source=Source(
            "B. John, A. Liu, L. Xia, S. Koppal, E. Jain, Let It Snow: Adding pixel noise to protect the "
            "user's identity, ETRA 2020 Adjunct"
        ),
    )

    def __init__(self, *, replace_fraction: float = 0.5, region: Where = "image", margin: float = 0.0) -> None:
        self.replace_fraction = number("replace_fraction", replace_fraction, low=0, high=1)
        self.region, self.margin = region, margin
        self._region = private_region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """(0, delta)-differential privacy for pictures that differ in one pixel."""
        return Guarantee(
            f"(0, delta)-differential privacy with delta = {1 - self.replace_fraction:g}, for pictures that "
            "differ in one pixel" + limits(self._region),
            "John et al. 2020 (ETRA Adjunct); proof in the docstring of DPSnow",
        )

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Snowy pictures; ``no_face`` where the region is the face and none is found."""
        return self._region.protect_randomly(images, context, self._snow)

    def _snow(self, image: Image, rng: np.random.Generator) -> Image:
        protected = image.copy(order="C")
        pixels = protected.reshape(-1, 3)
        # The tiny term keeps 0.1 * 30 = 3.0000000000000004 from becoming 4.
        replaced = math.ceil(self.replace_fraction * len(pixels) - 1e-9)
        # Shuffled marks are drawn without replacement, in linear time.
        marks = np.zeros(len(pixels), bool)
        marks[:replaced] = True
        pixels[rng.permutation(marks)] = 127
        return protected
