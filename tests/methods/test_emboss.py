from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unveil.methods.emboss import Embossing

from .material import Context, picture, sample

ONE = Context([sample()])


def test_flat_areas_become_grey() -> None:
    image = np.full((7, 9, 3), (200, 10, 90), np.uint8)
    assert (Embossing().protect([image], ONE)[0] == 128).all()


def test_the_kernel_of_image_editors() -> None:
    grey = picture(12, 14)[:, :, :1].repeat(3, axis=2)
    (result,) = Embossing(direction=45, strength=2**0.5).protect([grey], ONE)
    padded = np.pad(grey[:, :, 0].astype(float), 1, mode="reflect")
    kernel = [[-2, -1, 0], [-1, 0, 1], [0, 1, 2]]
    wanted = sum(kernel[y][x] * padded[y : y + 12, x : x + 14] for y in range(3) for x in range(3)) + 128
    assert np.abs(result[:, :, 0] - np.clip(wanted, 0, 255)).max() <= 1  # grey to luminance and back


@given(st.floats(-400, 400))
def test_a_slope_is_brightest_along_the_direction(degrees: float) -> None:
    angle = np.radians(degrees)
    rows, columns = np.mgrid[:21, :21] - 10
    slope = np.rint(128 + 4 * (columns * np.cos(angle) + rows * np.sin(angle))).astype(np.uint8)
    image = slope[:, :, None].repeat(3, axis=2)
    along, across = (
        Embossing(direction=degrees + turn).protect([image], ONE)[0][5:16, 5:16].mean() for turn in (0, 90)
    )
    assert along > 145  # 128 + 4 * 6, but for rounding
    assert abs(across - 128) < 2


def test_colours_are_gone() -> None:
    (result,) = Embossing().protect([picture(8, 8)], ONE)
    assert (result == result[:, :, :1]).all()
