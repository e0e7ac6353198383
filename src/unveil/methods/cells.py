"""Cutting a picture into rectangular cells, and their means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Image


def grid(length: int, cells: int) -> NDArray[np.intp]:
    """First pixel of each of ``cells`` cells, as equal as whole pixels allow; never an empty cell.

    >>> grid(10, 4).tolist(), grid(2, 16).tolist()
    ([0, 2, 5, 8], [0, 1])
    """
    cells = min(cells, length)
    return np.round(np.arange(cells) * (length / cells)).astype(np.intp)


def steps(length: int, edge: int) -> NDArray[np.intp]:
    """First pixel of each cell of ``edge`` pixels; the last cell may be smaller.

    >>> steps(10, 4).tolist()
    [0, 4, 8]
    """
    return np.arange(0, length, edge, dtype=np.intp)


def sizes(starts: NDArray[np.intp], length: int) -> NDArray[np.intp]:
    """Number of pixels of each cell along one side.

    >>> sizes(steps(10, 4), 10).tolist()
    [4, 4, 2]
    """
    return np.diff(starts, append=length)


def means(
    image: Image, rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Mean colour of every cell, and the number of pixels in each.

    Args:
        image: (height, width, 3).
        rows, columns: first pixel of each cell along the two sides.

    Returns:
        Means (rows, columns, 3) in 0..255, and pixel counts (rows, columns).
    """
    # uint32 holds the sum of more than 16 million pixels of 255, that is a cell of 4100 x 4100.
    kind = np.uint32 if image.shape[0] * image.shape[1] < (1 << 24) else np.uint64
    sums = np.add.reduceat(np.add.reduceat(image, rows, axis=0, dtype=kind), columns, axis=1)
    counts = np.outer(sizes(rows, image.shape[0]), sizes(columns, image.shape[1]))
    return sums / counts[:, :, None], counts


def paint(
    colors: NDArray[Any], rows: NDArray[np.intp], columns: NDArray[np.intp], shape: tuple[int, ...]
) -> Image:
    """A picture of the given shape whose cells have these colours, rounded and limited to 0..255."""
    whole = np.rint(np.clip(colors, 0, 255)).astype(np.uint8)
    wide = np.repeat(whole, sizes(columns, shape[1]), axis=1)
    return np.repeat(wide, sizes(rows, shape[0]), axis=0)
