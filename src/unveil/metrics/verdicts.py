"""Whether a gap between two groups is shown, excluded, or neither, by this many people.

For every pair of groups, a with the lower success, the gap is judged by the contrast
L = p_a - w p_b + s with (w, s) = (1 - epsilon, 0) for ``ratio`` and (1, epsilon) for ``difference``; L < 0
means biased. Nothing is divided, so rates of zero need no exception.

- Variances come from the bootstrap by identity, times m / (m - 1) for m persons. Groups are different
  people, so their variances add.
- Two imaginary persons, one with every success and one with none, are added to each group (Agresti and
  Caffo, The American Statistician 54, 2000), so that agreement among a few people is never taken for
  certainty.
- L over its standard error is held against Student's t with Welch and Satterthwaite's degrees of freedom.
- *biased*: the hypothesis |gap| <= epsilon is rejected, p-values corrected by Holm over the tested pairs.
  The p-value adds the opposite tail, because the direction was read from the data.
- *fair within epsilon*: both one-sided tests (TOST, Schuirmann 1987) at the same alpha, per pair, put the
  gap inside epsilon.
- *insufficient evidence*: everything else, and every pair with a group of too few persons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unveil.metrics.fairness import Definition, biased_against
from unveil.metrics.grouping import Estimate

Verdict = Literal["biased", "fair within epsilon", "insufficient evidence"]


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What is known about one pair of groups.

    Attributes:
        group: the group with the lower success (of equals, the first by name).
        other_group: the group with the higher success.
        value: success of ``group`` / success of ``other_group`` (1 for two zeros), or their difference,
            never above 0. NaN when one has no data.
        p_value: of the hypothesis that the gap is within epsilon, Holm-corrected; NaN when not tested.
        verdict: see the module.
        detectable_gap: the smallest true gap (1 - ratio, or the difference) that would be called biased
            with the given power, at the observed success of ``other_group`` and the observed variances.
            Above 1 (``ratio``) or above that success (``difference``), no gap could be shown. NaN when
            not tested.
    """

    group: str
    other_group: str
    value: float
    p_value: float
    verdict: Verdict
    detectable_gap: float


@dataclass(frozen=True, slots=True)
class _Success:
    """Successes of groups: observed ``p``, persons ``m``, variance of ``p``; arrays over groups or pairs."""

    p: NDArray[np.float64]
    m: NDArray[np.float64]
    spread: NDArray[np.float64]

    def at(self, index: NDArray[np.int64]) -> _Success:
        return _Success(self.p[index], self.m[index], self.spread[index])

    @property
    def mean(self) -> NDArray[np.float64]:
        """With the two imaginary persons."""
        return (self.m * self.p + 1) / (self.m + 2)

    @property
    def variance(self) -> NDArray[np.float64]:
        """Of ``mean``."""
        return (self.m**2 * self.spread + self.p**2 + (1 - self.p) ** 2) / (self.m + 2) ** 2


def verdicts(
    groups: Sequence[Estimate],
    replicates: Mapping[str, NDArray[np.float64]],
    epsilon: float,
    definition: Definition = "ratio",
    *,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    min_identities: int = 5,
    power: float = 0.8,
) -> list[PairVerdict]:
    """A verdict for every unordered pair of groups.

    Args:
        groups, replicates: from :func:`unveil.metrics.grouping.disaggregate`.
        epsilon: tolerated gap, in (0, 1).
        definition: ``ratio`` or ``difference``.
        higher_is_better: whether a high value is good for the group; otherwise 1 - value is compared.
        alpha: chance of a wrong *biased* anywhere in the grouping, and of a wrong *fair* per pair.
        min_identities: with fewer persons, no verdict; at least 2.
        power: of ``detectable_gap``.

    Raises:
        ValueError: for a value out of its range.
    """
    _check(alpha, min_identities, power)
    success = {g.group: g.value if higher_is_better else 1 - g.value for g in groups}
    pairs = [_oriented(a.group, b.group, success) for a, b in combinations(groups, 2)]
    names = [g.group for g in groups if _testable(g, replicates[g.group], min_identities)]
    tested = [pair for pair in pairs if set(pair) <= set(names)]
    results = _test(
        _successes([g for g in groups if g.group in names], replicates, success),
        [(names.index(a), names.index(b)) for a, b in tested],
        epsilon,
        definition,
        alpha,
        power,
    )
    known = dict(zip(tested, results, strict=True))
    return [_verdict(pair, success, known.get(pair), epsilon, definition, alpha) for pair in pairs]


def _check(alpha: float, min_identities: int, power: float) -> None:
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise ValueError(f"{name} must be above 0 and below 1, got {value}")
    if min_identities < 2:
        raise ValueError(f"min_identities must be at least 2, got {min_identities}")


def _oriented(a: str, b: str, success: Mapping[str, float]) -> tuple[str, str]:
    return (b, a) if success[b] < success[a] else (a, b)


def _testable(estimate: Estimate, draws: NDArray[np.float64], min_identities: int) -> bool:
    return (
        not math.isnan(estimate.value)
        and estimate.n_identities >= min_identities
        and int(np.count_nonzero(np.isfinite(draws))) > 1
    )


def _successes(
    groups: Sequence[Estimate], replicates: Mapping[str, NDArray[np.float64]], success: Mapping[str, float]
) -> _Success:
    m = np.array([g.n_identities for g in groups], dtype=np.float64)
    p = np.array([success[g.group] for g in groups], dtype=np.float64)
    spread = np.array([np.nanvar(replicates[g.group]) for g in groups], dtype=np.float64)
    return _Success(p, m, spread * m / (m - 1))


def _tests(a: _Success, b: _Success, weight: float, shift: float) -> tuple[NDArray[np.float64], ...]:
    """Chance of so low and of so high a contrast when it is 0 in truth; its standard error and freedom."""
    from scipy.stats import t

    part_a, part_b = a.variance, weight**2 * b.variance
    error = np.sqrt(part_a + part_b)
    freedom = (part_a + part_b) ** 2 / (part_a**2 / (a.m - 1) + part_b**2 / (b.m - 1))
    score = (a.mean - weight * b.mean + shift) / error
    return t.cdf(score, freedom), t.sf(score, freedom), error, freedom


def _test(
    groups: _Success,
    pairs: Sequence[tuple[int, int]],
    epsilon: float,
    definition: Definition,
    alpha: float,
    power: float,
) -> list[tuple[float, float, float]]:
    """Per pair: Holm-corrected p of *biased*, p of *fair*, detectable gap."""
    from scipy.stats import t

    if not pairs:
        return []
    index = np.array(pairs, dtype=np.int64)
    a, b = groups.at(index[:, 0]), groups.at(index[:, 1])
    if definition == "ratio":
        near, far = (1 - epsilon, 0.0), (1 / (1 - epsilon), 0.0)
    else:
        near, far = (1.0, epsilon), (1.0, -epsilon)
    low, high, error, freedom = _tests(a, b, *near)
    opposite = _tests(a, b, *far)[0]
    reverse = _tests(b, a, *near)[1]
    reach = (t.ppf(1 - alpha / len(pairs), freedom) + t.ppf(power, freedom)) * error
    shown = ((near[0] * b.mean - near[1] - reach) * (a.m + 2) - 1) / a.m  # highest p_a that would do
    gap = b.p - shown
    if definition == "ratio":
        gap /= np.where(b.p > 0, b.p, np.nan)
    corrected = holm(np.minimum(low + opposite, 1))
    return list(zip(corrected.tolist(), np.maximum(high, reverse).tolist(), gap.tolist(), strict=True))


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's step-down correction of a family of p-values (n,).

    Source: Holm, Scandinavian Journal of Statistics 6 (1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    out = np.empty_like(p_values)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return out


def _verdict(
    pair: tuple[str, str],
    success: Mapping[str, float],
    result: tuple[float, float, float] | None,
    epsilon: float,
    definition: Definition,
    alpha: float,
) -> PairVerdict:
    a, b = success[pair[0]], success[pair[1]]
    value = a - b if definition == "difference" else (a / b if b > 0 else 1.0)
    if math.isnan(a) or math.isnan(b):
        value = math.nan
    if result is None:
        return PairVerdict(*pair, value, math.nan, "insufficient evidence", math.nan)
    p_biased, p_fair, gap = result
    verdict: Verdict = "insufficient evidence"
    if p_biased <= alpha and biased_against(a, b, epsilon, definition):
        verdict = "biased"
    elif p_fair <= alpha:
        verdict = "fair within epsilon"
    return PairVerdict(*pair, value, p_biased, verdict, gap)
