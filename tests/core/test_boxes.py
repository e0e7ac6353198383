from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from unveil.core.boxes import NOBODY, closest_first, overlaps, surest_first

Floats = NDArray[np.float32]


@st.composite
def boxes(draw: st.DrawFn) -> Floats:
    corners = draw(arrays(np.int64, (draw(st.integers(0, 6)), 4), elements=st.integers(0, 12)))
    corners[:, 2:] += corners[:, :2] + 1
    return corners.astype(np.float32)


tables = arrays(
    np.float32,
    st.tuples(st.integers(0, 6), st.integers(0, 6)),
    elements=st.sampled_from(np.float32([0, 0.2, 0.5, 0.7, 1])),
)


def painted(box: Floats) -> NDArray[np.bool_]:
    canvas = np.zeros((30, 30), bool)
    left, top, right, bottom = box.astype(int)
    canvas[top:bottom, left:right] = True
    return canvas


@given(boxes(), boxes())
def test_overlap_is_the_share_of_common_pixels(one: Floats, two: Floats) -> None:
    table = overlaps(one, two)
    assert table.shape == (len(one), len(two)) and table.dtype == np.float32
    for i, a in enumerate(one):
        for j, b in enumerate(two):
            p, q = painted(a), painted(b)
            assert table[i, j] == pytest.approx((p & q).sum() / (p | q).sum(), abs=1e-6)


def test_a_box_without_area_overlaps_nothing() -> None:
    flat = np.array([[3, 3, 3, 9], [5, 5, 2, 9]], np.float32)
    assert overlaps(flat, np.array([[0, 0, 9, 9]], np.float32)).tolist() == [[0], [0]]


@given(tables, st.sampled_from([0.2, 0.5, 0.6]))
def test_the_surest_choose_first_among_what_is_left(table: Floats, limit: float) -> None:
    partner = surest_first(table, limit)
    taken: set[int] = set()
    for row, chosen in zip(table, partner, strict=True):
        left = {j: value for j, value in enumerate(row) if j not in taken and value >= limit}
        assert (chosen == NOBODY) == (not left)
        if left:
            assert left[int(chosen)] == max(left.values())
            taken.add(int(chosen))


@given(tables)
def test_the_closest_pairs_belong_together(table: Floats) -> None:
    partner = closest_first(table)
    pairs = {(i, int(j)) for i, j in enumerate(partner) if j != NOBODY}
    assert len({j for _, j in pairs}) == len(pairs)
    for i, j in np.argwhere(table > 0):
        kept = [table[a, b] for a, b in pairs if a == i or b == j]
        assert max(kept, default=0) >= table[i, j], "a pair is passed over only for one that is at least as close"


def test_greedy_is_not_the_same_by_score_and_by_closeness() -> None:
    table = np.array([[0.6, 0.5], [0.9, 0.4]], np.float32)
    assert surest_first(table, 0.3).tolist() == [0, 1]
    assert closest_first(table).tolist() == [1, 0]
