from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.metrics.fairness import DEFINITIONS, Definition
from unveil.metrics.grouping import Estimate
from unveil.metrics.verdicts import PairVerdict, holm, verdicts

Group = tuple[Estimate, NDArray[np.float64]]


def group(name: str, p: float, m: int, rng: np.random.Generator, *, images: int = 10, icc: float = 0.3) -> Group:
    """m people, some easier than others (beta), with several photos each."""
    scale = (1 - icc) / icc
    ease = rng.beta(p * scale, (1 - p) * scale, m) if 0 < p < 1 else np.full(m, p)
    means = rng.binomial(images, ease) / images
    draws = means[rng.integers(m, size=(200, m))].mean(axis=1)
    return Estimate(name, float(means.mean()), math.nan, math.nan, m * images, m, 0), draws


def judge(
    groups: list[Group], epsilon: float, definition: Definition = "ratio", **options: object
) -> list[PairVerdict]:
    return verdicts(
        [g for g, _ in groups],
        {g.group: draws for g, draws in groups},
        epsilon,
        definition,
        **options,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_a_big_gap_among_enough_people_is_found(definition: Definition) -> None:
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        result = judge([group("A", 0.9, 40, rng), group("B", 0.4, 40, rng)], 0.1, definition)[0]
        assert (result.group, result.other_group) == ("B", "A")
        found += result.verdict == "biased"
    assert found >= 38


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_equal_groups_of_many_people_are_shown_to_be_fair(definition: Definition) -> None:
    rng = np.random.default_rng(0)
    results = judge([group(name, 0.8, 800, rng) for name in "ABC"], 0.1, definition)
    assert [r.verdict for r in results] == ["fair within epsilon"] * 3
    assert all(r.p_value == pytest.approx(1, abs=0.01) for r in results)


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize(("p", "m"), [(0.5, 8), (0.9, 20), (0.98, 12)])
def test_without_a_gap_bias_is_hardly_ever_found(definition: Definition, p: float, m: int) -> None:
    false = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        results = judge([group(name, p, m, rng) for name in "ABCDEF"], 0.02, definition)
        false += any(r.verdict == "biased" for r in results)
    assert false <= 18  # alpha 0.05 of 200 is 10; more than 18 has a chance of 1 in 100


@pytest.mark.slow
@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("high", [0.3, 0.6, 0.95, 1.0])
@pytest.mark.parametrize(("m_low", "m_high"), [(5, 5), (10, 100), (100, 10), (60, 60)])
@pytest.mark.parametrize("icc", [0.05, 0.5, 0.95])
def test_a_gap_of_exactly_epsilon_is_called_neither_biased_nor_fair_too_often(
    definition: Definition, high: float, m_low: int, m_high: int, icc: float
) -> None:
    epsilon, n = 0.2, 400
    low = high * (1 - epsilon) if definition == "ratio" else high - epsilon
    found = []
    for seed in range(n):
        rng = np.random.default_rng(seed)
        groups = [group("A", low, m_low, rng, icc=icc), group("B", high, m_high, rng, icc=icc)]
        found.append(judge(groups, epsilon, definition)[0].verdict)
    # alpha is 0.05; 0.09 is 3.7 standard errors of 400 simulations above it
    assert found.count("biased") / n <= 0.09
    assert found.count("fair within epsilon") / n <= 0.09


def test_detectable_gap_is_detected_about_as_often_as_promised() -> None:
    rng = np.random.default_rng(1)
    for definition in DEFINITIONS:
        pilot = judge([group("A", 0.8, 50, rng), group("B", 0.8, 50, rng)], 0.05, definition)[0]
        gap = pilot.detectable_gap
        low = 0.8 * (1 - gap) if definition == "ratio" else 0.8 - gap
        found = [
            judge([group("A", low, 50, rng), group("B", 0.8, 50, rng)], 0.05, definition)[0].verdict == "biased"
            for _ in range(200)
        ]
        assert 0.65 <= np.mean(found) <= 0.95
        smaller = low + (0.8 - low) * 0.6
        missed = [
            judge([group("A", smaller, 50, rng), group("B", 0.8, 50, rng)], 0.05, definition)[0].verdict
            == "biased"
            for _ in range(200)
        ]
        assert np.mean(missed) < np.mean(found)


def test_agreement_of_a_few_people_proves_nothing_and_of_many_a_lot() -> None:
    def certain(m: int) -> list[Group]:
        ones, zeros = np.ones(100), np.zeros(100)
        return [
            (Estimate("A", 1.0, math.nan, math.nan, 10 * m, m, 0), ones),
            (Estimate("B", 0.0, math.nan, math.nan, 10 * m, m, 0), zeros),
        ]

    same = [(Estimate(n, 1.0, math.nan, math.nan, 80, 8, 0), np.ones(100)) for n in "AB"]
    assert judge(same, 0.05)[0].verdict == "insufficient evidence"  # not fair: 8 people are no proof
    assert judge(certain(30), 0.2)[0].verdict == "biased"
    assert judge(certain(30), 0.2)[0].value == 0


def test_small_groups_get_no_verdict_and_do_not_weaken_the_others() -> None:
    rng = np.random.default_rng(2)
    big = [group("A", 0.9, 60, rng), group("B", 0.3, 60, rng)]
    small = [group("C", 0.5, 4, rng), group("D", 0.5, 3, rng)]
    results = {(r.group, r.other_group): r for r in judge([*big, *small], 0.2)}
    assert len(results) == 6
    assert results["B", "A"].verdict == "biased"
    assert results["B", "A"].p_value == judge(big, 0.2)[0].p_value
    for pair, result in results.items():
        if {"C", "D"} & set(pair):
            assert result.verdict == "insufficient evidence"
            assert math.isnan(result.p_value)
            assert math.isnan(result.detectable_gap)
            assert not math.isnan(result.value)
    assert all(r.verdict == "insufficient evidence" for r in judge(small, 0.2))


def test_lower_is_better_is_judged_by_its_success() -> None:
    rng = np.random.default_rng(3)
    groups = [group("A", 0.1, 80, rng), group("B", 0.7, 80, rng)]
    result = judge(groups, 0.2, higher_is_better=False)[0]
    assert (result.group, result.verdict) == ("B", "biased")
    assert result.value == pytest.approx((1 - groups[1][0].value) / (1 - groups[0][0].value))


def test_groups_without_data_and_rates_of_zero() -> None:
    nothing = (Estimate("N", math.nan, math.nan, math.nan, 0, 0, 0), np.full(100, math.nan))
    zero = [(Estimate(n, 0.0, math.nan, math.nan, 500, 50, 0), np.zeros(100)) for n in "AB"]
    results = judge([*zero, nothing], 0.2)
    assert results[0].value == 1
    assert results[0].verdict == "insufficient evidence"  # a ratio of two tiny rates can be anything
    assert judge(zero, 0.2, "difference")[0].verdict == "fair within epsilon"
    assert all(math.isnan(r.value) for r in results[1:])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_between_the_raw_value_and_bonferroni(raw: list[float]) -> None:
    p = np.array(raw)
    corrected = holm(p)
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(p * len(p), 1)).all()
    assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"alpha": 0}, "alpha must be above 0 and below 1, got 0"),
        ({"power": 1}, "power must be"),
        ({"min_identities": 1}, "min_identities must be at least 2, got 1"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        judge([], 0.2, **options)
