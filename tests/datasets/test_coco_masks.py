from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from pycocotools import mask as reference

from unveil.datasets.coco_masks import to_mask

shapes = st.tuples(st.integers(1, 40), st.integers(1, 40))
masks = shapes.flatmap(lambda shape: arrays(np.bool_, shape))


def compressed(mask: NDArray[np.bool_]) -> dict[str, Any]:
    region = reference.encode(np.asfortranarray(mask.astype(np.uint8)))
    return {"size": region["size"], "counts": region["counts"].decode()}


def runs(mask: NDArray[np.bool_]) -> list[int]:
    columns = mask.T.ravel()
    edges = np.flatnonzero(np.diff(np.concatenate([[False], columns]).astype(int)))
    return np.diff(np.concatenate([[0], edges, [len(columns)]])).tolist()  # type: ignore[no-any-return]


@given(masks)
def test_run_lengths_come_back_as_the_mask(mask: NDArray[np.bool_]) -> None:
    for region in (compressed(mask), {"size": list(mask.shape), "counts": runs(mask)}):
        read = to_mask(region, *mask.shape)
        assert read.dtype == np.bool_ and read.flags.c_contiguous and np.array_equal(read, mask)


def test_large_masks_have_long_run_lengths() -> None:
    mask = np.zeros((900, 1200), np.bool_)
    mask[300:302, 1:1199] = True
    mask[700:, 600:] = True
    assert np.array_equal(to_mask(compressed(mask), 900, 1200), mask)


@given(st.lists(st.tuples(st.floats(-5, 45), st.floats(-5, 35)), min_size=3, max_size=8))
def test_polygons_as_the_reference_draws_them(points: list[tuple[float, float]]) -> None:
    flat = [float(number) for point in points for number in point]
    triangle = [2.0, 2.0, 9.0, 2.0, 2.0, 9.0]
    drawn = reference.decode(reference.merge(reference.frPyObjects([flat, triangle], 30, 40))).astype(bool)
    assert np.array_equal(to_mask([flat, triangle], 30, 40), drawn) and drawn[3, 3]


@pytest.mark.parametrize(
    ("segmentation", "said"),
    [
        (7, "list of polygons or run lengths, not 7"),
        ([[1, 2, 3, 4]], "three points or more, not 4 numbers"),
        ([[1, 2, 3, 4, 5, 6, 7]], "not 7 numbers"),
        ([[1, 2, 3, 4, 5, "6"]], "not '6'"),
        ([[1, 2, 3, 4, 5, 1e300]], "places in a picture, not 1e\\+300"),
        ([[1, 2, 3, 4, 5, float("nan")]], "not nan"),
        ([1, 2, 3, 4, 5, 6], "a polygon must be numbers, not 1"),
        ([[1, 2, 3, 4, 5, 5e8]], "far out of the picture of 4x3 pixels"),
        ({"size": [4, 3], "counts": [12]}, r"size \(height, width\) \[4, 3\], the picture \[3, 4\]"),
        ({"counts": [12]}, "size .* None"),
        ({"size": [3, 4]}, "a text or whole numbers"),
        ({"size": [3, 4], "counts": [5, 6]}, "sum to 11, the picture has 12"),
        ({"size": [3, 4], "counts": [-1, 13]}, "whole numbers from 0"),
        ({"size": [3, 4], "counts": [12.0]}, "whole numbers from 0"),
        ({"size": [3, 4], "counts": [True] * 12}, "whole numbers from 0"),
        ({"size": [3, 4], "counts": "o"}, "end in the middle of a number"),
        ({"size": [3, 4], "counts": "oooooooo1"}, "broken at letter 7"),
        ({"size": [3, 4], "counts": "\x01"}, "broken at letter 0"),
        ({"size": [3, 4], "counts": "é"}, "broken at letter 0"),
    ],
)
def test_what_is_no_region_of_the_picture(segmentation: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        to_mask(segmentation, 3, 4)


@given(st.text(st.characters(min_codepoint=48, max_codepoint=111), max_size=30))
def test_any_text_is_a_mask_or_refused(text: str) -> None:
    try:
        assert to_mask({"size": [3, 4], "counts": text}, 3, 4).shape == (3, 4)
    except ValueError as refused:
        assert str(refused)
