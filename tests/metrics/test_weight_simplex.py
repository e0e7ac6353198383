from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.metrics.weight_simplex import Standing, centres, sensitivity

part = st.floats(0, 1)
methods = st.dictionaries(st.sampled_from("abcdef"), st.tuples(part, part, part), min_size=1)


@given(methods)
@settings(max_examples=40, deadline=None)
def test_shares_sum_to_1_and_ranks_are_places(components: dict[str, tuple[float, ...]]) -> None:
    standings = sensitivity(components, resolution=12)
    assert set(standings) == set(components)
    assert sum(s.share_first for s in standings.values()) == pytest.approx(1)
    for standing in standings.values():
        assert 1 <= standing.best_rank <= standing.worst_rank <= len(components)
        assert (standing.share_first > 0) == (standing.best_rank == 1)


@pytest.mark.parametrize("resolution", [1, 2, 3, 17])
def test_centres_cover_the_simplex_evenly(resolution: int) -> None:
    points = centres(resolution)
    assert points.shape == (resolution**2, 3)
    assert (points > 0).all()
    assert points.sum(axis=1) == pytest.approx(np.ones(resolution**2))
    assert points.mean(axis=0) == pytest.approx([1 / 3] * 3)
    assert len(np.unique(points.round(9), axis=0)) == resolution**2


def test_equal_methods_share_the_area_and_the_place() -> None:
    standings = sensitivity({"a": (0.5, 0.5, 0.5), "b": (0.5, 0.5, 0.5), "c": (0.1, 0.1, 0.1)})
    assert standings == {"a": Standing(0.5, 1, 1), "b": Standing(0.5, 1, 1), "c": Standing(0.0, 3, 3)}


def test_areas_are_those_of_geometry() -> None:
    # The first wins where w_r > 1/2: a corner with a quarter of the area.
    standings = sensitivity({"robust": (1, 0, 0), "rest": (0, 1, 1)}, resolution=100)
    assert standings["robust"].share_first == pytest.approx(0.25, abs=0.01)
    thirds = sensitivity({"r": (1, 0, 0), "i": (0, 1, 0), "t": (0, 0, 1)}, resolution=99)
    assert [s.share_first for s in thirds.values()] == pytest.approx([1 / 3] * 3, abs=1e-3)
    assert all((s.best_rank, s.worst_rank) == (1, 3) for s in thirds.values())


def test_a_method_that_is_better_in_every_part_always_wins() -> None:
    standings = sensitivity({"good": (0.9, 0.8, 0.7), "bad": (0.8, 0.7, 0.6)})
    assert standings == {"good": Standing(1.0, 1, 1), "bad": Standing(0.0, 2, 2)}


def test_undefined_methods_are_missing() -> None:
    assert sensitivity({"a": (math.nan, 1, 1)}) == {}
    assert set(sensitivity({"a": (math.nan, 1, 1), "b": (0, 0, 0)})) == {"b"}
    with pytest.raises(ValueError, match="resolution must be at least 1, got 0"):
        sensitivity({"a": (1, 1, 1)}, resolution=0)
