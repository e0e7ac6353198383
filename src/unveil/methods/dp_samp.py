"""DP-Samp: a picture made of a few sampled pixels. See ``differential`` for common limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image
from unveil.core.validation import number, whole
from unveil.methods.differential import Where, limits, private_region
from unveil.methods.silhouettes import Result
from unveil.methods.threads import single_threaded

_GREY = 127
_ROUNDS = 30
_LEVELS = 32  # per channel, of the colour histogram that is clustered


class DPSamp:
    """DP-Samp: pixels are clustered by colour, a few of each cluster are kept, the rest is interpolated.

    1. k-means with ``k`` centres on the colours (here on their histogram with 32 levels per channel).
    2. Cluster i with f_i of the n pixels gets the share eps_i = eps f_i / n of the budget.
    3. The largest x_i with C(f_i, x_i) / C(f_i - m, x_i) <= exp(eps_i) pixels of it are drawn without
       replacement and take the colour of its centre.
    4. All other pixels are interpolated: linearly between the sampled ones, from the nearest outside their
       hull. Where the budget allows no sample at all, the region is grey (127).

    The steps are those of the published description as two independent implementations read it; the
    paper's own code and defaults were not available to compare with.

    What is proved: take any m pixels, m_i of them in cluster i. None of the drawn ones is among them with
    probability prod_i C(f_i - m_i, x_i) / C(f_i, x_i) >= prod_i exp(-eps_i) = exp(-eps), as m_i <= m. What is
    not: centres, cluster sizes and the borders between clusters are used without noise, so this is **not**
    differential privacy of the picture.

    Args:
        eps: privacy parameter, above 0.
        k: number of clusters, at least 1.
        m: number of pixels that the statement protects, at least 1.
        region: ``image`` or ``face``.
        margin: share by which a face box grows on each side.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="dp_samp",
        version=1,
        scope="image",
        deterministic=False,
        source=Source(
            "D. Reilly, L. Fan, A Comparative Evaluation of Differentially Private Image Obfuscation, IEEE "
            "TPS-ISA 2021, pp. 80-89, after the pixel sampling of VideoDP (H. Wang, S. Xie, Y. Hong, PoPETs 2020)",
            url="https://doi.org/10.1109/TPSISA52974.2021.00009",
        ),
    )

    def __init__(
        self, *, eps: float = 0.5, k: int = 8, m: int = 16, region: Where = "image", margin: float = 0.0
    ) -> None:
        self.eps = number("eps", eps, above=0)
        self.k = whole("k", k)
        self.m = whole("m", m)
        self.region, self.margin = region, margin
        self._region = private_region(region, margin)
        self.meta = self._region.meta(self.meta)

    @property
    def guarantee(self) -> Guarantee | None:
        """A bound on the chance that given pixels are used; not differential privacy."""
        return Guarantee(
            f"for any {self.m} pixels: with probability at least exp(-{self.eps:g}) none of them is sampled; "
            "cluster colours and sizes are used without noise, so this is not differential privacy"
            + limits(self._region),
            "proof in the docstring of DPSamp; sampling rule of Reilly and Fan 2021 (TPS-ISA)",
        )

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Interpolated pictures; ``no_face`` where the region is the face and none is found."""
        with single_threaded():
            return self._region.protect_randomly(images, context, self._sample)

    def _sample(self, image: Image, rng: np.random.Generator) -> Image:
        labels, centres = clusters(image, self.k)
        places = []
        for label in range(len(centres)):
            members = np.flatnonzero(labels == label)
            share = self.eps * len(members) / labels.size
            places.append(rng.choice(members, sample_size(len(members), self.m, share), replace=False))
        drawn = np.sort(np.concatenate(places))
        if not len(drawn):
            return np.full_like(image, _GREY)
        return interpolate(drawn, centres[labels[drawn]], image.shape)


def sample_size(pixels: int, m: int, eps: float) -> int:
    """Largest x with C(pixels, x) / C(pixels - m, x) <= exp(eps); 0 when there is none.

    >>> sample_size(1000, 1, 0.1), sample_size(10, 16, 5.0)
    (95, 0)
    """
    rest = pixels - m - np.arange(max(pixels - m, 0))
    return int(np.searchsorted(np.cumsum(np.log1p(m / rest)), eps, side="right"))


def clusters(image: Image, k: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """k-means over the colours of a picture, without randomness.

    Args:
        image: (height, width, 3).
        k: number of clusters; fewer when the picture has fewer colours.

    Returns:
        Cluster of each pixel in reading order, and the mean colours (clusters, 3).
    """
    pixels = image.reshape(-1, 3)
    code = np.ravel_multi_index(tuple(pixels.T // (256 // _LEVELS)), (_LEVELS,) * 3)
    weights = np.bincount(code, minlength=_LEVELS**3)
    used = np.flatnonzero(weights)
    sums = np.stack([np.bincount(code, pixels[:, c], _LEVELS**3)[used] for c in range(3)], axis=1)
    weights = weights[used]
    colors = sums / weights[:, None]
    # Starting points: colours at equally spaced shares of the pixels ordered by brightness.
    order = np.argsort(colors.sum(1), kind="stable")
    at = (np.arange(k) + 0.5) / k * weights.sum()
    centres = colors[np.unique(order[np.searchsorted(np.cumsum(weights[order]), at)])]
    for _ in range(_ROUNDS):
        label = np.argmin((centres**2).sum(1) - 2 * colors @ centres.T, axis=1)
        mass = np.bincount(label, weights, len(centres))
        moved = np.stack([np.bincount(label, sums[:, c], len(centres)) for c in range(3)], axis=1)
        new = np.where(mass[:, None] > 0, moved / np.maximum(mass, 1)[:, None], centres)
        if np.allclose(new, centres, atol=0.01):
            break
        centres = new
    lookup = np.zeros(_LEVELS**3, np.intp)
    lookup[used] = label
    return lookup[code], new


def interpolate(places: NDArray[np.intp], colors: NDArray[np.float64], shape: tuple[int, ...]) -> Image:
    """A picture from the colours of some of its pixels.

    Args:
        places: pixels in reading order, sorted; at least one.
        colors: (n, 3) in 0..255.
        shape: of the picture.
    """
    import cv2
    from scipy.interpolate import LinearNDInterpolator
    from scipy.spatial import QhullError

    height, width = shape[:2]
    rows, columns = np.mgrid[:height, :width]
    try:
        filled = LinearNDInterpolator(np.stack(np.divmod(places, width), axis=1), colors)(rows, columns)
    except QhullError:  # fewer than three samples, or all on one line: there is no triangle
        filled = np.full(shape, np.nan)
    empty = np.ones((height, width), np.uint8)
    empty.flat[places] = 0
    nearest = cv2.distanceTransformWithLabels(empty, cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_PIXEL)[
        1
    ]
    by_label = np.zeros(nearest.max() + 1, np.intp)
    by_label[nearest.flat[places]] = np.arange(len(places))
    outside = np.isnan(filled[:, :, 0])
    filled[outside] = colors[by_label[nearest[outside]]]
    return np.asarray(np.rint(filled), np.uint8)
