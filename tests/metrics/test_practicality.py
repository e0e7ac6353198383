from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.metrics.practicality import (
    INTELLIGIBILITY_ANCHORS,
    ROBUSTNESS_ANCHORS,
    TABLE_3_WEIGHTS,
    THROUGHPUT_ANCHORS,
    check_weights,
    normalise,
    score,
    solve_components,
)

raw = st.dictionaries(st.text(min_size=1, max_size=3), st.floats(-1e6, 1e6), min_size=1, max_size=8)


@given(raw, st.booleans())
def test_min_max_ends_at_0_and_1_and_keeps_the_order(values: dict[str, float], higher: bool) -> None:
    result = normalise(values, higher_is_better=higher)
    assert result.compared == tuple(sorted(values))
    if len(set(values.values())) == 1:
        assert all(map(math.isnan, result.values.values()))
        assert result.note
        return
    assert min(result.values.values()) == 0
    assert max(result.values.values()) == 1
    assert (result.low, result.high) == (min(values.values()), max(values.values()))
    best = max if higher else min
    assert result.values[best(values, key=values.__getitem__)] == 1
    by_value = [result.values[method] for method in sorted(values, key=values.__getitem__, reverse=not higher)]
    assert by_value == sorted(by_value)


@given(raw, st.booleans())
def test_anchored_values_do_not_depend_on_the_company(values: dict[str, float], higher: bool) -> None:
    together = normalise(values, higher_is_better=higher, anchors=(-10, 1000)).values
    assert all(0 <= value <= 1 for value in together.values())
    for method, value in values.items():
        alone = normalise({method: value}, higher_is_better=higher, anchors=(-10, 1000))
        assert alone.values[method] == together[method]
        assert (alone.compared, alone.note) == ((), "")


def test_min_max_depends_on_the_company() -> None:
    before = normalise({"blur": 10.0, "mask": 20.0, "avatar": 15.0}, higher_is_better=True).values
    after = normalise({"blur": 10.0, "mask": 20.0, "avatar": 15.0, "none": 60.0}, higher_is_better=True).values
    assert (before["avatar"], after["avatar"]) == (0.5, 0.1)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"blur": 3.0}, "one method: min-max is undefined, use anchors"),
        ({"blur": 3.0, "mask": 3.0}, "all values are equal: min-max is undefined, use anchors"),
        ({"blur": 3.0, "mask": math.nan}, "one method: min-max is undefined, use anchors; not measured: mask"),
        ({"mask": math.nan}, "no method: min-max is undefined, use anchors; not measured: mask"),
        ({}, "no method: min-max is undefined, use anchors"),
    ],
)
def test_without_a_range_there_is_no_scale(values: dict[str, float], why: str) -> None:
    result = normalise(values, higher_is_better=True)
    assert result.note == why
    assert list(result.values) == list(values)
    assert all(map(math.isnan, (*result.values.values(), result.low, result.high)))


def test_what_was_not_measured_is_left_out_and_named() -> None:
    result = normalise({"blur": 1.0, "mask": 3.0, "avatar": math.nan}, higher_is_better=True)
    assert (result.values["blur"], result.values["mask"]) == (0, 1)
    assert math.isnan(result.values["avatar"])
    assert (result.note, result.compared) == ("not measured: avatar", ("blur", "mask"))


@pytest.mark.parametrize("anchors", [(1.0, 1.0), (2.0, 1.0), (0.0, math.nan), (-math.inf, 0.0)])
def test_anchors_must_rise(anchors: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="anchors must be two rising numbers"):
        normalise({"blur": 1.0}, higher_is_better=True, anchors=anchors)


def test_the_fixed_anchors() -> None:
    def one(value: float, higher_is_better: bool, anchors: tuple[float, float]) -> float:
        return normalise({"m": value}, higher_is_better=higher_is_better, anchors=anchors).values["m"]

    assert [one(rate, False, ROBUSTNESS_ANCHORS) for rate in (1.0, 0.25, 0.0)] == [0, 0.75, 1]
    assert [one(fps, True, THROUGHPUT_ANCHORS) for fps in (0.0, 15.0, 30.0, 400.0)] == [0, 0.5, 1, 1]
    assert [one(c, False, INTELLIGIBILITY_ANCHORS) for c in (0.0, 19.9003)] == pytest.approx([1, 0], abs=1e-4)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((0.3, 0.3, 0.3), r"got \(0.3, 0.3, 0.3\) with sum 0.9"),
        ((0.5, 0.7, -0.2), r"got \(0.5, 0.7, -0.2\) with sum 1"),
        ((0.5, 0.5), r"got \(0.5, 0.5\) with sum 1"),
        ((0.5, 0.5, math.nan), "with sum nan"),
    ],
)
def test_weights_that_are_not_weights_are_named(weights: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score(1, 1, 1, weights)


@given(st.tuples(*[st.floats(0, 1)] * 3), st.tuples(*[st.floats(0.01, 1)] * 3))
def test_a_score_lies_between_the_parts(parts: tuple[float, ...], mass: tuple[float, ...]) -> None:
    weights = tuple(m / sum(mass) for m in mass)
    assert min(parts) - 1e-9 <= score(*parts, weights) <= max(parts) + 1e-9


def test_an_undefined_part_makes_an_undefined_score() -> None:
    assert math.isnan(score(math.nan, 1, 1, (0.2, 0.4, 0.4)))


def test_every_published_row_is_a_row_of_weights() -> None:
    assert all(check_weights(row) == row for row in TABLE_3_WEIGHTS)


@given(st.integers(0, 10**6))
def test_components_are_recovered_from_scores(seed: int) -> None:
    parts = np.random.default_rng(seed).random((3, 5))
    rows = np.asarray(TABLE_3_WEIGHTS)
    assert solve_components(rows, rows @ parts) == pytest.approx(parts)
    assert solve_components(rows, rows @ parts[:, 0]) == pytest.approx(parts[:, 0])


def test_rows_that_leave_the_parts_open_are_refused() -> None:
    with pytest.raises(ValueError, match="rank 3"):
        solve_components([(0.5, 0.25, 0.25), (0.25, 0.5, 0.25)], [1, 1])
