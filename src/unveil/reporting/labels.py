"""Labels beside points: each where it covers the least, found in a fixed order, so the same every time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

_WIDTH = 0.56  # mean width of a letter, in font sizes
_SOLID, _THIN = 4.0, 0.7  # cost of covering a square point of a name or point, and of a bar
_DIRECTIONS = ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1))

Box = tuple[float, float, float, float]
"""Left, lower, right, upper."""


def place_labels(
    axes: Axes,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    names: Sequence[str],
    bars: Sequence[Box],
    *,
    size: float,
    colour: str,
) -> None:
    """Write each name near its point, away from names, points and bars; far ones get a thin line.

    Args:
        axes: with their limits set.
        x, y: points in data units.
        names: one per point, of one line or more.
        bars: boxes to keep free in data units: left, lower, right, upper.
        size: of the text in points.
        colour: of the text.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    width, height = (72 * side for side in figure.get_size_inches())
    scale = np.array([0.82 * width / np.ptp(axes.get_xlim()), 0.82 * height / np.ptp(axes.get_ylim())])
    low = np.array([axes.get_xlim()[0], axes.get_ylim()[0]])
    points = (np.column_stack([x, y]) - low) * scale
    limit = np.array([np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())]) * scale
    taken: list[tuple[Box, float]] = [((px - 4, py - 4, px + 4, py + 4), _SOLID) for px, py in points]
    for bar in bars:
        corners = ((np.reshape(bar, (2, 2)) - low) * scale).ravel()
        taken.append(((corners[0] - 1, corners[1] - 1, corners[2] + 1, corners[3] + 1), _THIN))
    for (px, py), point, name in zip(points, zip(x, y, strict=True), names, strict=True):
        lines = name.split("\n")
        extent = _WIDTH * size * max(map(len, lines)), 1.2 * size * len(lines)
        offset, box = _best((px, py), extent, taken, limit)
        taken.append((box, _SOLID))
        sideways, up = offset
        horizontal = "left" if sideways > 0 else "right" if sideways < 0 else "center"
        far = abs(sideways) + abs(up) > 30
        axes.annotate(
            name,
            point,
            xytext=offset,
            textcoords="offset points",
            ha=horizontal,
            va="center",
            fontsize=size,
            color=colour,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "alpha": 0.6} if far else None,
        )


def _best(
    point: tuple[float, float],
    extent: tuple[float, float],
    taken: Sequence[tuple[Box, float]],
    limit: NDArray[np.float64],
) -> tuple[tuple[float, float], Box]:
    width, height = extent
    choices = []
    for distance in (8, 15, 24, 36, 50, 66, 84, 104, 126):
        for sideways, up in _DIRECTIONS:
            dx, dy = sideways * min(distance, 22), up * (distance + height / 2 - 5)
            if not up and distance > 8:
                continue
            left = point[0] + dx - (width if sideways < 0 else 0 if sideways > 0 else width / 2)
            box = (left, point[1] + dy - height / 2, left + width, point[1] + dy + height / 2)
            outside = max(0, -box[0]) + max(0, -box[1]) + max(0, box[2] - limit[0]) + max(0, box[3] - limit[1])
            cost = sum(weight * _shared(box, other) for other, weight in taken) + 20 * outside * height + distance
            choices.append((cost, (float(dx), float(dy)), box))
    _, offset, box = min(choices, key=lambda choice: choice[0])
    return offset, box


def _shared(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width * height if width > 0 and height > 0 else 0.0
