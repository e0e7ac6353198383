from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter, uniform_filter

from unveil.methods.blur import BoxBlur, GaussianBlur, odd_kernel

from .material import Context, picture, sample

ONE = Context([sample()])


def test_gaussian_agrees_with_scipy() -> None:
    image = picture(60, 80)
    (blurred,) = GaussianBlur(kernel=0.35).protect([image], ONE)  # 21 pixels, sigma 3.5
    wanted = gaussian_filter(image.astype(float), (3.5, 3.5, 0), mode="mirror", radius=(10, 10, 0))
    assert np.abs(blurred - wanted).max() <= 0.51


@given(st.integers(1, 400), st.integers(1, 400), st.floats(0.3, 4), st.integers(0, 999))
@settings(deadline=None, max_examples=30)
def test_wide_kernels_are_within_a_grey_level_of_the_whole_kernel(
    height: int, width: int, share: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    edge = int(random.integers(1, 60))  # black and white squares are the hardest
    squares = random.integers(0, 2, (height // edge + 1, width // edge + 1, 3), np.uint8) * 255
    image = squares.repeat(edge, 0).repeat(edge, 1)[:height, :width]
    kernel = odd_kernel(share, image.shape)
    wanted = cv2.GaussianBlur(image.astype(np.float32), (kernel, kernel), kernel / 6) if kernel > 1 else image
    (blurred,) = GaussianBlur(kernel=share).protect([image], ONE)
    assert np.abs(blurred - wanted).max() <= 1.5  # one level, and rounding


def test_box_agrees_with_scipy() -> None:
    image = picture(60, 80)
    (blurred,) = BoxBlur(kernel=0.35).protect([image], ONE)
    wanted = uniform_filter(image.astype(float), (21, 21, 0), mode="mirror")
    assert np.abs(blurred - wanted).max() <= 0.51


@pytest.mark.parametrize("method", [GaussianBlur(), BoxBlur()])
def test_strength_does_not_depend_on_resolution(method: GaussianBlur | BoxBlur) -> None:
    small = np.zeros((128, 128, 3), np.uint8)
    small[32:96, 32:96] = 255
    large = small.repeat(4, 0).repeat(4, 1)
    (a,), (b,) = method.protect([small], ONE), method.protect([large], ONE)
    means = b.reshape(128, 4, 128, 4, 3).mean((1, 3))
    assert np.abs(a - means).max() < 6  # grey levels: 65 pixels are not exactly a fourth of 257


@given(st.floats(0.001, 5), st.integers(1, 300), st.integers(1, 300))
def test_kernels_are_odd_and_near_the_share(share: float, height: int, width: int) -> None:
    kernel = odd_kernel(share, (height, width, 3))
    assert kernel % 2 == 1
    assert kernel >= 1
    assert kernel == 1 or abs(kernel - share * min(height, width)) <= 1.000001


@pytest.mark.parametrize("method", [GaussianBlur(kernel=4.0), BoxBlur(kernel=4.0)])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (5, 300)])
def test_kernels_wider_than_the_picture(method: GaussianBlur | BoxBlur, shape: tuple[int, int]) -> None:
    flat = np.full((*shape, 3), 77, np.uint8)
    assert np.array_equal(method.protect([flat], ONE)[0], flat)
