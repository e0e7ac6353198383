from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.types import Image
from unveil.evaluations.fidelity import PSNR_LIMIT, in_the_size_of, psnr, sharpness, ssim
from unveil.testing.toy_scenes import scene


def noise(seed: int, size: tuple[int, int] = (40, 60)) -> Image:
    return np.random.default_rng(seed).integers(0, 256, (*size, 3), np.uint8)


@given(st.integers(0, 10**6), st.integers(1, 80))
@settings(max_examples=30, deadline=None)
def test_psnr_is_ten_decades_of_the_squared_error(seed: int, strength: int) -> None:
    one = noise(seed)
    change = np.random.default_rng(seed + 1).integers(-strength, strength + 1, one.shape)
    two = np.clip(one + change, 0, 255).astype(np.uint8)
    squared = np.square(one.astype(float) - two).mean()
    assert psnr(one, two) == pytest.approx(10 * np.log10(255**2 / squared)) == psnr(two, one)
    assert psnr(one, one) == PSNR_LIMIT


def test_a_step_of_one_everywhere_is_48_db() -> None:
    one = np.full((12, 12, 3), 100, np.uint8)
    assert psnr(one, one + np.uint8(1)) == pytest.approx(48.13, abs=0.01)


def test_equal_pictures_are_alike_and_noise_is_not() -> None:
    assert ssim(noise(1), noise(1)) == pytest.approx(1)
    assert abs(ssim(noise(1), noise(2))) < 0.1
    assert ssim(noise(1, (11, 11)), noise(1, (11, 11))) == pytest.approx(1)


def test_blur_takes_sharpness_and_what_has_no_edge_has_none() -> None:
    import cv2

    image = scene(1)[0]
    mild, strong = (np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8) for sigma in (1, 4))
    assert 1 > sharpness(image) > sharpness(mild) > sharpness(strong) > 0
    assert sharpness(np.full((11, 20, 3), 7, np.uint8)) == pytest.approx(0)
    assert sharpness(noise(0)) > 0.6


@pytest.mark.parametrize("size", [(20, 30), (80, 120), (20, 120), (1, 1), (40, 60)])
def test_the_size_of_the_other(size: tuple[int, int]) -> None:
    flat = np.full((*size, 3), 77, np.uint8)
    assert np.array_equal(in_the_size_of(flat, noise(0)), np.full((40, 60, 3), 77))
    assert in_the_size_of(noise(3), noise(0)) is not noise(0)


def test_what_was_enlarged_is_not_sharp_again() -> None:
    image = scene(1)[0]
    small = in_the_size_of(image, image[::4, ::4])
    assert sharpness(in_the_size_of(small, image)) < 0.8 * sharpness(image)
