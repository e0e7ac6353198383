"""The geometry of MTCNN against slow and plain computations."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch.nn.functional import grid_sample

from unveil.models import mtcnn_boxes as geometry

Floats = NDArray[np.float32]


@given(st.integers(1, 3000), st.integers(1, 3000), st.floats(12, 200), st.floats(0.3, 0.9))
def test_every_level_of_the_pyramid_holds_a_window(
    height: int, width: int, smallest: float, factor: float
) -> None:
    scales = geometry.pyramid(height, width, smallest, factor)
    assert all(int(min(height, width) * scale) >= geometry.CELL for scale in scales)
    assert scales == sorted(scales, reverse=True)


def test_the_pyramid_has_the_published_levels() -> None:
    assert geometry.pyramid(112, 200, 20, 0.709) == pytest.approx([0.6 * 0.709**n for n in range(5)])
    assert geometry.pyramid(1, 1, 20, 0.709) == []


def random_boxes(seed: int, count: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    corner, size = rng.uniform(0, 60, (count, 2)), rng.uniform(5, 40, (count, 2))
    boxes = np.concatenate([corner, corner + size], axis=1).astype(np.float32)
    scores = rng.integers(0, 20, count).astype(np.float32)  # with ties
    return boxes, scores, rng.integers(0, 3, count)


def overlap(one: Floats, two: Floats, smaller: bool) -> float:
    sides = np.minimum(one[2:], two[2:]) - np.maximum(one[:2], two[:2])
    both = float(np.prod(np.maximum(sides, 0)))
    first, second = (float(np.prod(box[2:] - box[:2])) for box in (one, two))
    return both / (min(first, second) if smaller else first + second - both)


@pytest.mark.parametrize("pairs", [1 << 21, 64])
@given(st.integers(0, 10_000), st.integers(0, 40), st.booleans(), st.booleans())
def test_suppression_is_that_of_a_double_loop(
    pairs: int, seed: int, count: int, smaller: bool, split: bool
) -> None:
    boxes, scores, groups = random_boxes(seed, count)
    order = sorted(range(count), key=lambda i: (-scores[i], i))
    expected = [
        i
        for rank, i in enumerate(order)
        if not any(
            overlap(boxes[i], boxes[j], smaller) > 0.4 and (not split or groups[i] == groups[j])
            for j in order[:rank]
        )
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(geometry, "_PAIRS", pairs)
        found = geometry.survivors(boxes, scores, 0.4, groups=groups if split else None, smaller=smaller)
    assert found.tolist() == expected


@given(st.integers(0, 10_000))
def test_squares_keep_centre_and_longer_side(seed: int) -> None:
    boxes, _, _ = random_boxes(seed, 5)
    squares = geometry.square(boxes)
    assert np.allclose(squares[:, :2] + squares[:, 2:], boxes[:, :2] + boxes[:, 2:], atol=1e-4)
    assert np.allclose((squares[:, 2:] - squares[:, :2]).T, (boxes[:, 2:] - boxes[:, :2]).max(axis=1), atol=1e-4)


def bilinear(picture: Floats, x: float, y: float) -> float:
    """One value between pixels; outside of the picture 0."""
    height, width = picture.shape
    if not (0 <= x <= width - 1 and 0 <= y <= height - 1):
        return 0.0
    left, top = int(x), int(y)
    right, bottom = min(left + 1, width - 1), min(top + 1, height - 1)
    a, b = x - left, y - top
    upper = picture[top, left] * (1 - a) + picture[top, right] * a
    return float(upper * (1 - b) + (picture[bottom, left] * (1 - a) + picture[bottom, right] * a) * b)


def test_crops_are_those_of_a_plain_loop() -> None:
    picture = np.random.default_rng(3).normal(size=(30, 50)).astype(np.float32)
    boxes = np.array([[3.3, 4.1, 27.9, 20.2], [-8, -5, 12, 15], [30, 10, 61, 41]], np.float32)
    grid = torch.from_numpy(geometry.sampling_grid(boxes, 7, 30, 50))
    batch = torch.from_numpy(picture).expand(3, 1, 30, 50)
    found = grid_sample(batch, grid, padding_mode="zeros", align_corners=True)[:, 0].numpy()
    for crop, (left, top, right, bottom) in zip(found, boxes, strict=True):
        for row in range(7):
            for column in range(7):
                # The reference scales pixels by (side - 1) / side.
                x = (left + (right - left) * column / 6) * 49 / 50
                y = (top + (bottom - top) * row / 6) * 29 / 30
                assert crop[row, column] == pytest.approx(bilinear(picture, x, y), abs=1e-4)
