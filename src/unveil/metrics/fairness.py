"""Fairness between groups, from their rates: who is at a disadvantage against whom.

Group *a* is disadvantaged against *b* at epsilon when, for rates p of the same success (higher is better),

- ``ratio``: p_a / p_b <= 1 - epsilon (FairDeFace, Eq. 1; 0.2 is the four-fifths rule);
- ``difference``: p_a - p_b < -epsilon (the released bias scripts).

Nobody is disadvantaged against a rate of zero, so nothing is divided by it and two zeros are equal. A rate
of which *lower* is better is turned into its success, 1 - p, first: both definitions are about successes,
and the published tables take the ratio of success rates.

Modes:

- ``corrected`` (default) compares exactly. Rates are shares of counts, so each float is read as the
  fraction with a denominator up to 10^7 that is nearest to it (0.8 as 4/5, 0.8378378378378378 as 31/37),
  and epsilon likewise. Ties are decided as a person would: 0.8 against 1.0 at 0.2 is biased by
  ``ratio``, 0.4 against 0.6 at 0.2 is not by ``difference``.
- ``as_published`` compares binary floats in per cent, as the released scripts do; where rates differ by
  exactly epsilon, rounding noise decides.
- ``as_published_fid`` compares binary floats in [0, 1], as the released FID scripts do.

Groups whose rate is NaN (no data) are left out and do not count in n.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Literal

Definition = Literal["ratio", "difference"]
Mode = Literal["corrected", "as_published", "as_published_fid"]

DEFINITIONS: tuple[Definition, ...] = ("ratio", "difference")
EPSILONS = (0.02, 0.05, 0.1, 0.15, 0.2)
"""The epsilons of FairDeFace."""

_LARGEST_DENOMINATOR = 10**7
_SCALES: Mapping[str, int] = {"corrected": 1, "as_published": 100, "as_published_fid": 1}


def biased_against(
    a: float,
    b: float,
    epsilon: float,
    definition: Definition = "ratio",
    *,
    higher_is_better: bool = True,
    mode: Mode = "corrected",
) -> bool:
    """Whether a group with rate ``a`` is disadvantaged against a group with rate ``b``.

    Raises:
        ValueError: for a rate outside [0, 1], an epsilon outside (0, 1), an unknown definition or mode.

    >>> biased_against(0.8, 1.0, 0.2), biased_against(0.4, 0.6, 0.2, "difference")
    (True, False)
    """
    rates = {"a": a, "b": b}
    return ("a", "b") in biased_pairs(rates, epsilon, definition, higher_is_better=higher_is_better, mode=mode)


def biased_pairs(
    rates: Mapping[str, float],
    epsilon: float,
    definition: Definition = "ratio",
    *,
    higher_is_better: bool = True,
    mode: Mode = "corrected",
) -> list[tuple[str, str]]:
    """Every (disadvantaged, advantaged) pair of groups, in the order of ``rates``.

    Args:
        rates: group -> rate in [0, 1].
        epsilon: tolerated gap, in (0, 1).
        definition: ``ratio`` or ``difference``.
        higher_is_better: whether a high rate is good for the group.
        mode: see the module.

    Raises:
        ValueError: see :func:`biased_against`.

    >>> biased_pairs({"Female": 0.7, "Male": 0.9}, 0.2)
    [('Female', 'Male')]
    """
    _check(rates, epsilon, definition, mode)
    success = {
        group: _success(rate, definition, higher_is_better, mode) for group, rate in measured(rates).items()
    }
    tolerated = _fraction(epsilon) if mode == "corrected" else epsilon
    return [
        (a, b)
        for a, b in permutations(success, 2)
        if _disadvantaged(success[a], success[b], tolerated, definition, _SCALES[mode])
    ]


def average_bias(
    rates: Mapping[str, float],
    epsilon: float,
    definition: Definition = "ratio",
    *,
    higher_is_better: bool = True,
    mode: Mode = "corrected",
) -> float:
    """Biased unordered pairs / (n (n - 1) / 2), in [0, 1]; NaN with fewer than two measured groups.

    Arguments and errors as :func:`biased_pairs`. Source: FairDeFace, average bias AB.

    >>> average_bias({"Asian": 0.7, "Black": 0.9, "White": 1.0}, 0.2)
    0.6666666666666666
    """
    n = len(measured(rates))
    # With epsilon above 0 a pair is never biased in both directions: ordered pairs count unordered ones.
    biased = len(biased_pairs(rates, epsilon, definition, higher_is_better=higher_is_better, mode=mode))
    return biased / math.comb(n, 2) if n > 1 else math.nan


def demographic_bias(
    rates: Mapping[str, float],
    group: str,
    epsilon: float,
    definition: Definition = "ratio",
    *,
    higher_is_better: bool = True,
    mode: Mode = "corrected",
) -> float:
    """Groups against which ``group`` is disadvantaged / (n - 1), in [0, 1].

    NaN when the group has no data or no other group has. Arguments and errors as :func:`biased_pairs`.
    Source: FairDeFace, demographic bias DB.

    Raises:
        ValueError: also for a group that is not in ``rates``.
    """
    if group not in rates:
        raise ValueError(f"group must be one of {', '.join(rates)}, got {group!r}")
    return demographic_biases(rates, epsilon, definition, higher_is_better=higher_is_better, mode=mode)[group]


def demographic_biases(
    rates: Mapping[str, float],
    epsilon: float,
    definition: Definition = "ratio",
    *,
    higher_is_better: bool = True,
    mode: Mode = "corrected",
) -> dict[str, float]:
    """:func:`demographic_bias` of every group, in the order of ``rates``."""
    pairs = biased_pairs(rates, epsilon, definition, higher_is_better=higher_is_better, mode=mode)
    known = measured(rates)
    others = len(known) - 1
    return {
        group: sum(a == group for a, _ in pairs) / others if group in known and others else math.nan
        for group in rates
    }


def measured(rates: Mapping[str, float]) -> dict[str, float]:
    """The groups that have a rate."""
    return {group: rate for group, rate in rates.items() if not math.isnan(rate)}


def _success(rate: float, definition: Definition, higher_is_better: bool, mode: Mode) -> Fraction | float:
    if mode == "corrected":
        return _fraction(rate) if higher_is_better else 1 - _fraction(rate)
    # The scripts hold numbers with few digits; rounding recovers those digits after p / 100 * 100.
    published = round(_SCALES[mode] * rate, 10)
    if higher_is_better:
        return published
    return -published if definition == "difference" else _SCALES[mode] - published


def _disadvantaged(
    a: Fraction | float, b: Fraction | float, epsilon: Fraction | float, definition: Definition, scale: int
) -> bool:
    if definition == "difference":
        return (a - b) / scale < -epsilon
    return b > 0 and a / b <= 1 - epsilon


def _fraction(value: float) -> Fraction:
    return Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)


def _check(rates: Mapping[str, float], epsilon: float, definition: str, mode: str) -> None:
    for group, rate in measured(rates).items():
        if not 0 <= rate <= 1:
            raise ValueError(f"rates must be in [0, 1], got {rate} for {group!r}")
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon must be above 0 and below 1, got {epsilon}")
    if definition not in DEFINITIONS:
        raise ValueError(f"definition must be one of {', '.join(DEFINITIONS)}, got {definition!r}")
    if mode not in _SCALES:
        raise ValueError(f"mode must be one of {', '.join(_SCALES)}, got {mode!r}")
