"""How close one picture is to another, and how sharp a picture is, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from unveil.core.types import Image

WINDOW = 11
"""Side of the windows of SSIM and of the blur behind sharpness: smaller pictures have neither."""

PSNR_LIMIT = 100.0
"""PSNR in dB that is never exceeded: that of equal pictures would be infinite, and so would every mean with it.

A picture of ten megapixels in which a single value differs by 1 is at 123 dB; one of which every value differs
by 1 at 48 dB.
"""


def ssim(one: Image, two: Image) -> float:
    """Structural similarity in [-1, 1] of two pictures of one size, of at least :data:`WINDOW` pixels each way.

    Gaussian windows with sigma 1.5, mean over the three colours. Source: Wang, Bovik, Sheikh, Simoncelli, IEEE
    Transactions on Image Processing 13, 2004, equations 13 and 17, which are about grey values.
    """
    from skimage.metrics import structural_similarity

    wang = {"gaussian_weights": True, "sigma": 1.5, "use_sample_covariance": False}
    compare: Any = structural_similarity
    return float(compare(one, two, channel_axis=2, data_range=255, **wang))


def psnr(one: Image, two: Image) -> float:
    """Peak signal-to-noise ratio in dB of two pictures of one size, over all colours; at most :data:`PSNR_LIMIT`.

    10 log10(255^2 / mean squared error).
    """
    from skimage.metrics import peak_signal_noise_ratio

    compare: Any = peak_signal_noise_ratio
    with np.errstate(divide="ignore"):  # of equal pictures
        return min(float(compare(one, two, data_range=255)), PSNR_LIMIT)


def sharpness(image: Image) -> float:
    """How much of its edges a picture would lose by a blur, in [0, 1], without knowing how it was before.

    1 - blur, where blur is the share of the grey differences between neighbours that a mean over 11 pixels
    leaves, in the direction in which it leaves more. A picture without edges has the sharpness 0. It is a measure
    of blur alone: noise and the borders of large pixels are edges, too, so that pixelation scores high.

    Source: Crete, Dolmiere, Ladret, Nicolas, The blur effect, SPIE 6492, 2007 (in scikit-image with Sobel
    differences in place of plain ones).
    """
    from skimage.measure import blur_effect

    blur: Any = blur_effect
    return 1 - float(blur(image, h_size=WINDOW, channel_axis=2))


def in_the_size_of(image: Image, other: Image) -> Image:
    """A picture brought to the size of another one: means of areas where it shrinks, bilinear where it grows."""
    import cv2

    if image.shape == other.shape:
        return image
    height, width = other.shape[:2]
    shrinks = height <= image.shape[0] and width <= image.shape[1]
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=how), np.uint8)
