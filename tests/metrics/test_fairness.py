from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.metrics.fairness import (
    DEFINITIONS,
    EPSILONS,
    Definition,
    average_bias,
    biased_against,
    biased_pairs,
    demographic_bias,
)

counts = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
rates_as_counts = st.dictionaries(st.sampled_from("abcdefgh"), counts, min_size=2)
epsilons = st.sampled_from([2, 5, 10, 15, 20, 25, 50]).map(lambda cents: cents / 100)
definitions = st.sampled_from(DEFINITIONS)


def floats(rates: dict[str, tuple[int, int]]) -> dict[str, float]:
    return {group: k / n for group, (k, n) in rates.items()}


def by_hand(a: Fraction, b: Fraction, epsilon: Fraction, definition: Definition) -> bool:
    if definition == "difference":
        return a - b < -epsilon
    return b != 0 and a / b <= 1 - epsilon


@pytest.mark.parametrize(
    ("a", "b", "epsilon", "definition", "expected"),
    [
        (0.8, 1.0, 0.2, "ratio", True),  # the tie belongs to the bias
        (0.81, 1.0, 0.2, "ratio", False),
        (1.0, 0.8, 0.2, "ratio", False),
        (4 / 15, 1 / 3, 0.2, "ratio", True),  # a tie of counts, not of decimals
        (0.4, 0.6, 0.2, "difference", False),  # the tie does not
        (0.1, 0.3, 0.2, "difference", False),
        (0.39, 0.6, 0.2, "difference", True),
        (0.0, 0.0, 0.2, "ratio", False),
        (0.0, 0.0, 0.2, "difference", False),
        (0.0, 0.01, 0.2, "ratio", True),
        (0.5, 0.0, 0.2, "ratio", False),
        (0.5, 0.5, 0.02, "ratio", False),
    ],
)
def test_boundaries(a: float, b: float, epsilon: float, definition: Definition, expected: bool) -> None:
    assert biased_against(a, b, epsilon, definition) is expected


def test_direction_is_stated() -> None:
    exposure = {"Female": 0.4, "Male": 0.1}
    assert biased_pairs(exposure, 0.2, higher_is_better=False) == [("Female", "Male")]
    assert biased_pairs(exposure, 0.2) == [("Male", "Female")]
    # Lower is better is read through the successes 0.6 and 0.9, not through the ratio of exposures.
    assert biased_pairs({"Female": 0.02, "Male": 0.01}, 0.2, higher_is_better=False) == []


@given(rates_as_counts, epsilons, definitions, st.booleans())
def test_every_result_equals_exact_counting(
    counted: dict[str, tuple[int, int]], epsilon: float, definition: Definition, higher: bool
) -> None:
    rates = floats(counted)
    exact = {g: Fraction(k, n) if higher else 1 - Fraction(k, n) for g, (k, n) in counted.items()}
    eps = Fraction(str(epsilon))
    expected = [(a, b) for a, b in permutations(rates, 2) if by_hand(exact[a], exact[b], eps, definition)]
    n = len(rates)
    assert biased_pairs(rates, epsilon, definition, higher_is_better=higher) == expected
    assert average_bias(rates, epsilon, definition, higher_is_better=higher) == len(expected) / math.comb(n, 2)
    for group in rates:
        value = demographic_bias(rates, group, epsilon, definition, higher_is_better=higher)
        assert value == sum(a == group for a, _ in expected) / (n - 1)


@given(rates_as_counts, epsilons, definitions)
def test_average_bias_is_the_sum_of_demographic_counts(
    counted: dict[str, tuple[int, int]], epsilon: float, definition: Definition
) -> None:
    rates = floats(counted)
    n = len(rates)
    total = sum(round(demographic_bias(rates, g, epsilon, definition) * (n - 1)) for g in rates)
    assert average_bias(rates, epsilon, definition) == total / math.comb(n, 2)
    assert 0 <= total <= math.comb(n, 2)


@given(rates_as_counts, definitions)
def test_bias_never_grows_with_epsilon(counted: dict[str, tuple[int, int]], definition: Definition) -> None:
    rates = floats(counted)
    values = [average_bias(rates, epsilon, definition) for epsilon in EPSILONS]
    assert values == sorted(values, reverse=True)


@given(rates_as_counts, epsilons, definitions, st.integers(1, 7))
def test_renaming_order_and_scale(
    counted: dict[str, tuple[int, int]], epsilon: float, definition: Definition, by: int
) -> None:
    rates = floats(counted)
    backwards = dict(reversed(rates.items()))
    assert sorted(biased_pairs(backwards, epsilon, definition)) == sorted(biased_pairs(rates, epsilon, definition))
    scaled = {g: k / (n * by) for g, (k, n) in counted.items()}
    assert biased_pairs(scaled, epsilon) == biased_pairs(rates, epsilon)  # a ratio has no scale
    shifted = {g: rate / 2 + 0.5 for g, rate in rates.items()}
    if epsilon / 2 > 0.005:  # a difference has no zero point, but a scale
        assert biased_pairs(shifted, epsilon / 2, "difference") == biased_pairs(rates, epsilon, "difference")


def test_groups_without_data_are_left_out_of_n() -> None:
    rates = {"Asian": 0.5, "Black": math.nan, "White": 1.0}
    assert average_bias(rates, 0.2) == 1
    assert demographic_bias(rates, "Asian", 0.2) == 1
    assert math.isnan(demographic_bias(rates, "Black", 0.2))
    assert math.isnan(average_bias({"Asian": 0.5}, 0.2))
    assert math.isnan(demographic_bias({"Asian": 0.5}, "Asian", 0.2))


@pytest.mark.parametrize(
    ("rates", "epsilon", "options", "says"),
    [
        ({"a": 50.0, "b": 80.0}, 0.2, {}, r"in \[0, 1\], got 50.0"),
        ({"a": 0.5, "b": 0.8}, 0.0, {}, "epsilon must be above 0 and below 1, got 0.0"),
        ({"a": 0.5, "b": 0.8}, 20, {}, "got 20"),
        ({"a": 0.5, "b": 0.8}, math.nan, {}, "got nan"),
        ({"a": 0.5, "b": 0.8}, 0.2, {"definition": "quotient"}, "'quotient'"),
        ({"a": 0.5, "b": 0.8}, 0.2, {"mode": "exact"}, "'exact'"),
    ],
)
def test_wrong_arguments_are_named(
    rates: dict[str, float], epsilon: float, options: dict[str, str], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        average_bias(rates, epsilon, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="group must be one of a, b, got 'c'"):
        demographic_bias({"a": 0.1, "b": 0.2}, "c", 0.2)


def test_published_mode_keeps_the_noise_of_binary_floats() -> None:
    # 92.5 - 90.5 per cent is exactly 2, but 0.02 is not exactly 0.02: strictly less, in floats, on neither side.
    tie = {"a": 0.905, "b": 0.925}
    assert biased_pairs(tie, 0.02, "difference") == []
    noisy = [
        (k, j)
        for k in range(1, 1000)
        for j in (k + 20, k + 50, k + 100)
        if j <= 1000 and biased_against(k / 1000, j / 1000, (j - k) / 1000, "difference", mode="as_published")
    ]
    assert noisy  # some exact ties are called biased, by rounding noise alone
    assert not any(biased_against(k / 1000, j / 1000, (j - k) / 1000, "difference") for k, j in noisy)
