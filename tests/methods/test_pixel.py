from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.methods.pixel import GaussianNoise, Mask, Original, Pixelation

from .material import Context, picture, sample

ONE = Context([sample()])


def test_original_is_unchanged() -> None:
    image = picture(5, 7)
    assert np.array_equal(Original().protect([image], ONE)[0], image)


def test_a_cell_is_the_mean_and_not_the_corner() -> None:
    image = np.zeros((4, 4, 3), np.uint8)
    image[0, 0] = 255  # the top left pixel alone is white
    (result,) = Pixelation(size=2).protect([image], ONE)
    assert (result[:2, :2] == 64).all()  # 255 / 4 rounded
    assert (result[2:, 2:] == 0).all()


@pytest.mark.parametrize(("unit", "cells"), [("grid", (16, 16)), ("pixel", (14, 14))])
def test_the_two_readings_of_one_sixteenth_at_224(unit: str, cells: tuple[int, int]) -> None:
    (result,) = Pixelation(size=16, unit=unit).protect([picture(224, 224)], ONE)
    assert count_cells(result) == cells


def test_a_long_side_gets_cells_of_the_same_edge() -> None:
    (result,) = Pixelation(size=16).protect([picture(160, 320)], ONE)
    assert result.shape == (160, 320, 3)
    assert count_cells(result) == (16, 32)


def test_strength_does_not_depend_on_resolution() -> None:
    small = picture(32, 32)
    large = small.repeat(4, 0).repeat(4, 1)
    (a,), (b,) = Pixelation(size=8).protect([small], ONE), Pixelation(size=8).protect([large], ONE)
    assert np.array_equal(a.repeat(4, 0).repeat(4, 1), b)


@given(st.integers(1, 50), st.integers(1, 50), st.integers(1, 60))
def test_cells_of_one_pixel_change_nothing_and_one_cell_is_the_mean(height: int, width: int, size: int) -> None:
    image = picture(height, width)
    assert np.array_equal(Pixelation(size=1, unit="pixel").protect([image], ONE)[0], image)
    (one,) = Pixelation(size=max(height, width), unit="pixel").protect([image], ONE)
    assert np.array_equal(one, np.broadcast_to(np.rint(image.mean((0, 1))).astype(np.uint8), image.shape))
    (some,) = Pixelation(size=size).protect([image], ONE)
    assert abs(some.mean() - image.mean()) <= 0.5


def test_mask_fills_with_its_color() -> None:
    (result,) = Mask(color=[1, 2, 3]).protect([picture(4, 5)], ONE)
    assert np.array_equal(np.unique(result.reshape(-1, 3), axis=0), [[1, 2, 3]])
    assert Mask().guarantee is not None
    assert Mask(region="face").guarantee is None


def test_noise_has_its_mean_and_deviation() -> None:
    grey = np.full((200, 200, 3), 128, np.uint8)
    (noisy,) = GaussianNoise(sigma=10.0).protect([grey], ONE)
    difference = noisy.astype(float) - 128
    assert abs(difference.mean()) < 4 * 10 / np.sqrt(difference.size)
    assert difference.std() == pytest.approx(np.hypot(10, 1 / np.sqrt(12)), rel=0.01)  # plus rounding
    assert abs(np.corrcoef(difference[:, :, 0].ravel(), difference[:, :, 1].ravel())[0, 1]) < 0.03


def test_no_noise_changes_nothing() -> None:
    image = picture(6, 6)
    assert np.array_equal(GaussianNoise(sigma=0.0).protect([image], ONE)[0], image)


def count_cells(image: np.ndarray) -> tuple[int, int]:
    """Rows and columns of cells: one more than the places at which neighbours differ."""
    down = (np.diff(image.astype(int), axis=0) != 0).any((1, 2)).sum() + 1
    across = (np.diff(image.astype(int), axis=1) != 0).any((0, 2)).sum() + 1
    return int(down), int(across)
