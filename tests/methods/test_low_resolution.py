from __future__ import annotations

import numpy as np
import pytest

from unveil.methods.low_resolution import LowResolution, reduced

from .material import Context, picture, sample

ONE = Context([sample()])


def test_a_pixel_is_the_mean_of_its_area() -> None:
    image = picture(24, 40)
    means = image.reshape(3, 8, 5, 8, 3).mean((1, 3))
    assert np.abs(reduced(image, 8) - means).max() <= 0.51


@pytest.mark.parametrize("upscaler", ["bicubic", "lanczos"])
def test_nothing_is_left_but_the_reduced_picture(upscaler: str) -> None:
    image = picture(48, 64)
    mixed = image.reshape(6, 8, 8, 8, 3)[:, ::-1, :, ::-1].reshape(image.shape)  # another picture, the same means
    method = LowResolution(upscaler=upscaler)  # type: ignore[arg-type]
    one, other = method.protect([image, mixed], Context([sample(), sample("b.png")]))
    assert not np.array_equal(image, mixed)
    assert np.array_equal(one, other)


def test_a_smooth_picture_comes_back() -> None:
    rows, columns = np.mgrid[:64, :96]
    image = (rows + columns)[:, :, None].repeat(3, axis=2).astype(np.uint8)
    for method in (LowResolution(factor=4), LowResolution(factor=4, upscaler="lanczos")):
        difference = np.abs(method.protect([image], ONE)[0].astype(int) - image)
        assert difference[8:-8, 8:-8].max() <= 1


def test_a_factor_of_one_changes_nothing() -> None:
    image = picture(9, 7)
    assert np.array_equal(LowResolution(factor=1).protect([image], ONE)[0], image)
