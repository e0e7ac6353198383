"""Overlap of boxes, suppression and matching."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.models.overlap import keep_surest, match, overlaps

corners = st.tuples(*[st.integers(0, 40)] * 2, *[st.integers(1, 20)] * 2)
some_boxes = st.lists(corners, min_size=1, max_size=12).map(
    lambda rows: np.array([(x, y, x + w, y + h) for x, y, w, h in rows], np.float32)
)


def test_overlap_by_hand() -> None:
    one = np.array([[0, 0, 2, 2]], np.float32)
    two = np.array([[0, 0, 2, 2], [1, 1, 3, 3], [2, 0, 4, 2], [0, 0, 1, 1]], np.float32)
    assert overlaps(one, two)[0] == pytest.approx([1, 1 / 7, 0, 1 / 4])


@given(some_boxes, some_boxes)
def test_overlap_is_that_of_the_pixels(one: np.ndarray, two: np.ndarray) -> None:
    def pixels(box: np.ndarray) -> np.ndarray:
        canvas = np.zeros((60, 60), bool)
        left, top, right, bottom = box.astype(int)
        canvas[top:bottom, left:right] = True
        return canvas

    for row, a in zip(overlaps(one, two), one, strict=True):
        shares = [(pixels(a) & pixels(b)).sum() / (pixels(a) | pixels(b)).sum() for b in two]
        assert row == pytest.approx(shares, abs=1e-6)


@given(some_boxes, st.randoms(use_true_random=False))
def test_what_is_kept_covers_what_is_dropped(boxes: np.ndarray, random: object) -> None:
    stream = np.random.default_rng(random.randrange(1 << 30))  # type: ignore[attr-defined]
    scores = stream.random(len(boxes)).astype(np.float32)
    classes = stream.integers(0, 2, len(boxes))
    kept = keep_surest(boxes, scores, classes, 0.5)
    assert (np.diff(scores[kept]) <= 0).all()
    table = overlaps(boxes, boxes)
    for index in range(len(boxes)):
        rivals = [k for k in kept if k != index and classes[k] == classes[index] and table[k, index] > 0.5]
        if index in kept:
            assert rivals == []
        else:
            assert any(scores[k] >= scores[index] for k in rivals)


def test_a_true_box_is_met_once() -> None:
    truth = np.array([[0, 0, 10, 10], [20, 0, 30, 10]], np.float32)
    found = np.array([[1, 0, 11, 10], [0, 0, 10, 10], [20, 0, 30, 6], [50, 50, 60, 60]], np.float32)
    assert match(found, truth, 0.5).tolist() == [True, False, True, False]
    assert match(found, truth[:0], 0.5).tolist() == [False] * 4
    assert match(found[:0], truth, 0.5).tolist() == []
