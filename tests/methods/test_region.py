from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.types import Failure, Reason
from unveil.methods.pixel import GaussianNoise, Mask
from unveil.methods.region import pixel_boxes

from .material import Context, picture, sample


def test_only_the_face_boxes_change() -> None:
    image = picture(20, 30)
    (protected,) = Mask(region="face").protect([image], Context([sample()], [(2, 3, 5, 7), (20, 10, 99, 99)]))
    inside = np.zeros((20, 30), bool)
    inside[3:7, 2:5] = inside[10:, 20:] = True
    assert (protected[inside] == 0).all()
    assert np.array_equal(protected[~inside], image[~inside])


def test_margin_grows_each_side_by_a_share_of_the_box() -> None:
    image = np.full((40, 40, 3), 9, np.uint8)
    (protected,) = Mask(region="face", margin=0.5).protect([image], Context([sample()], [(10, 10, 20, 30)]))
    rows, columns = np.nonzero(protected[:, :, 0] == 0)
    assert (rows.min(), rows.max() + 1, columns.min(), columns.max() + 1) == (0, 40, 5, 25)


def test_boxes_outside_of_the_picture_are_no_face() -> None:
    (result,) = Mask(region="face").protect([picture(5, 5)], Context([sample()], [(50, 50, 60, 60)]))
    assert isinstance(result, Failure)
    assert result.reason is Reason.NO_FACE


def test_two_faces_get_different_noise() -> None:
    image = np.full((10, 20, 3), 128, np.uint8)
    (noisy,) = GaussianNoise(region="face").protect(
        [image], Context([sample()], [(0, 0, 10, 10), (10, 0, 20, 10)])
    )
    assert not np.array_equal(noisy[:, :10], noisy[:, 10:])


coordinate = st.floats(-50, 80, width=32)


@given(coordinate, coordinate, coordinate, coordinate, st.floats(0, 3))
def test_pixel_boxes_lie_inside_and_cover_the_box(
    left: float, top: float, right: float, bottom: float, margin: float
) -> None:
    boxes = np.array([[min(left, right), min(top, bottom), max(left, right), max(top, bottom)]], np.float32)
    for a, b, c, d in pixel_boxes(boxes, (30, 40, 3), margin):
        assert 0 <= a < c <= 40
        assert 0 <= b < d <= 30
        assert a <= max(boxes[0, 0], 0)
        assert c >= min(boxes[0, 2], 40)
        assert b <= max(boxes[0, 1], 0)
        assert d >= min(boxes[0, 3], 30)
