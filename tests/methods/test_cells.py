from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unveil.methods import cells

from .material import picture

side = st.integers(1, 60)


@given(side, st.integers(1, 80))
def test_a_grid_covers_the_side_with_cells_of_almost_one_size(length: int, wanted: int) -> None:
    sizes = cells.sizes(cells.grid(length, wanted), length)
    assert len(sizes) == min(length, wanted)
    assert sizes.sum() == length
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1


@given(side, side, side)
def test_means_are_the_means_of_the_cells(height: int, width: int, edge: int) -> None:
    image = picture(height, width)
    rows, columns = cells.steps(height, edge), cells.steps(width, edge)
    means, counts = cells.means(image, rows, columns)
    for i, top in enumerate(rows):
        for j, left in enumerate(columns):
            cell = image[top : top + edge, left : left + edge]
            assert counts[i, j] == cell.shape[0] * cell.shape[1]
            np.testing.assert_allclose(means[i, j], cell.mean((0, 1)))


def test_paint_rounds_and_limits() -> None:
    colors = np.array([[[-5.0, 127.6, 300.0]]])
    start = np.array([0])
    assert cells.paint(colors, start, start, (2, 3, 3)).tolist() == [[[0, 128, 255]] * 3] * 2


def test_a_cell_too_large_for_32_bits_of_sum() -> None:
    image = np.full((4100, 4200, 3), 255, np.uint8)
    start = np.array([0])
    assert cells.means(image, start, start)[0].tolist() == [[[255.0, 255.0, 255.0]]]
