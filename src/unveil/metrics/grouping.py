"""Any metric, for everybody and for every group, with counts and intervals that admit what is unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.errors import DataError
from unveil.metrics.bootstrap import people, resample_rate, resample_weighted
from unveil.metrics.intervals import clopper_pearson, expanded_percentile
from unveil.metrics.outcomes import numbers
from unveil.metrics.ranking import Ranking
from unveil.metrics.rates import Rate

RATE_REPLICATES = 1000
RANKING_REPLICATES = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value of one group.

    Attributes:
        group: such as ``Black Female``; ``""`` for everybody.
        value: NaN when nothing was measured.
        ci_low, ci_high: interval, persons resampled; NaN when there is none.
        n: rows looked at.
        n_identities: persons among them.
        n_excluded: rows that the metric is about but that could not be used.
        note: why there is no interval, or of which other kind it is; ``""`` in the normal case.
    """

    group: str
    value: float
    ci_low: float
    ci_high: float
    n: int
    n_identities: int
    n_excluded: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Disaggregation:
    """A metric by group.

    Attributes:
        overall: over all rows, also those that belong to no group; its group is ``""``.
        groups: one estimate per group, sorted by name.
        replicates: group -> bootstrap replicates of its value, float64 (replicates,). Groups are drawn
            independently. A group whose persons all agree has constant replicates: its interval and
            :mod:`unveil.metrics.verdicts` allow for that, plain use of the replicates would not.
        n_ungrouped: rows that belong to no group because an attribute is missing.
    """

    overall: Estimate
    groups: tuple[Estimate, ...]
    replicates: Mapping[str, NDArray[np.float64]]
    n_ungrouped: int

    @property
    def rates(self) -> dict[str, float]:
        """Group -> value, as :mod:`unveil.metrics.fairness` takes it."""
        return {estimate.group: estimate.value for estimate in self.groups}


def groups_of(frame: pd.DataFrame, grouping: str) -> pd.Series[Any]:
    """The group of each row: attribute values in the order of the grouping, joined by a space.

    Args:
        frame: one column per attribute.
        grouping: attribute names joined by ``+``, such as ``gender`` or ``race+gender``.

    Returns:
        Strings such as ``Black Female`` with the index of ``frame``; None where a part is missing.

    Raises:
        DataError: when the frame lacks an attribute.

    >>> list(groups_of(pd.DataFrame({"race": ["Black", None], "gender": ["Female", "Male"]}), "race+gender"))
    ['Black Female', None]
    """
    names = grouping.split("+")
    if missing := [name for name in names if name not in frame]:
        raise DataError(f"grouping {grouping!r}: the data set has no attribute {missing[0]!r}")
    group = pd.Series("", index=frame.index, dtype=object)
    known = pd.Series(True, index=frame.index)
    for name in names:
        part = frame[name].astype(object)
        known &= part.notna() & (part != "")
        group = group + " " + part.where(part.notna(), "").astype(str)
    return group.str.strip().astype(object).where(known, None)


def disaggregate(
    metric: Rate | Ranking,
    frame: pd.DataFrame,
    grouping: str,
    *,
    rng: np.random.Generator,
    replicates: int | None = None,
    level: float = 0.95,
) -> Disaggregation:
    """A metric for everybody and for every group.

    Args:
        metric: what to measure.
        frame: observations with ``identity`` (of the probe), the metric's columns and the attributes.
        grouping: see :func:`groups_of`; ``""`` for no groups.
        rng: source of the bootstrap.
        replicates: bootstrap size; by default 1000 for a rate and 200 for a ranking measure.
        level: coverage of the intervals.

    Intervals are expanded percentile intervals over persons. When all persons agree (a rate of 0 or 1,
    say) the bootstrap would claim certainty; then the interval is Clopper and Pearson's with the number of
    persons as trials, for 0 close to the rule of three.
    """
    size = replicates or (RATE_REPLICATES if isinstance(metric, Rate) else RANKING_REPLICATES)
    overall, _ = _estimate(metric, frame, "", rng, size, level)
    if not grouping:
        return Disaggregation(overall, (), {}, 0)
    group = groups_of(frame, grouping)
    by_group = {
        name: _estimate(metric, frame[(group == name).to_numpy()], name, rng, size, level)
        for name in sorted(group.dropna().unique())
    }
    return Disaggregation(
        overall,
        tuple(estimate for estimate, _ in by_group.values()),
        {name: draws for name, (_, draws) in by_group.items()},
        int(group.isna().sum()),
    )


def _estimate(
    metric: Rate | Ranking,
    frame: pd.DataFrame,
    group: str,
    rng: np.random.Generator,
    replicates: int,
    level: float,
) -> tuple[Estimate, NDArray[np.float64]]:
    used = metric.denominator(frame)
    excluded = int(np.count_nonzero(metric.population(frame) & ~used))
    rows = frame[used]
    value = metric.value(frame)
    if math.isnan(value):
        note = "nothing to measure" if rows.empty else "one kind of pair is missing"
        n_people = len(np.unique(people(rows)))
        none = Estimate(group, value, math.nan, math.nan, len(rows), n_people, excluded, note)
        return none, np.full(replicates, math.nan)
    person = people(rows)
    n_people = int(person.max()) + 1
    draws = _replicates(metric, rows, person, rng, replicates)
    low, high, note = _interval(value, draws, n_people, level)
    return Estimate(group, value, low, high, len(rows), n_people, excluded, note), draws


def _replicates(
    metric: Rate | Ranking,
    rows: pd.DataFrame,
    person: NDArray[np.int64],
    rng: np.random.Generator,
    replicates: int,
) -> NDArray[np.float64]:
    if isinstance(metric, Rate):
        return resample_rate(metric.numerator(rows), person, rng, replicates)
    similarity = numbers(rows, "similarity")
    order = np.argsort(-similarity, kind="stable")  # sorting sorted pairs again is cheap
    similarity, mated = similarity[order], rows["mated"].to_numpy(dtype=np.bool_)[order]
    return resample_weighted(
        lambda weights: metric.compute(similarity, mated, weights), person[order], rng, replicates
    )


def _interval(value: float, draws: NDArray[np.float64], n_people: int, level: float) -> tuple[float, float, str]:
    if n_people < 2:
        return math.nan, math.nan, "one person: no interval"
    finite = draws[np.isfinite(draws)]
    if not len(finite) or np.ptp(finite) < 1e-12:
        low, high = clopper_pearson(value * n_people, n_people, level)
        return low, high, "all persons agree: binomial interval on their number"
    return (*expanded_percentile(draws, n_people, level), "")
