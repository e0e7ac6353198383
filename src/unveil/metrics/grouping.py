"""Any metric, for everybody and for every group, with counts and intervals that admit what is unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Crowd:
    """Who the rows of a frame are about: the same for every metric, so it is worked out once.

    Attributes:
        person: number of the person of each row (n,), from :func:`unveil.metrics.bootstrap.people`.
        groups: grouping -> name of a group -> its rows, bool (n,); groups sorted by name.
        ungrouped: grouping -> rows that belong to no group because an attribute is missing.
    """

    person: NDArray[np.int64]
    groups: Mapping[str, Mapping[str, NDArray[np.bool_]]]
    ungrouped: Mapping[str, int]

    @classmethod
    def of(cls, frame: pd.DataFrame, groupings: Sequence[str]) -> Crowd:
        """Work it out for some groupings.

        Raises:
            DataError: when the frame lacks an attribute.
        """
        labels = {grouping: groups_of(frame, grouping) for grouping in groupings}
        return cls(
            people(frame),
            {g: {name: (s == name).to_numpy() for name in sorted(s.dropna().unique())} for g, s in labels.items()},
            {grouping: int(label.isna().sum()) for grouping, label in labels.items()},
        )


def disaggregate(
    metric: Rate | Ranking,
    frame: pd.DataFrame,
    grouping: str,
    *,
    rng: np.random.Generator,
    replicates: int | None = None,
    level: float = 0.95,
    crowd: Crowd | None = None,
) -> Disaggregation:
    """A metric for everybody and for every group.

    Args:
        metric: what to measure.
        frame: observations with ``identity`` (of the probe), the metric's columns and the attributes.
        grouping: see :func:`groups_of`; ``""`` for no groups.
        rng: source of the bootstrap.
        replicates: bootstrap size; by default 1000 for a rate and 200 for a ranking measure.
        level: coverage of the intervals.
        crowd: of this frame, when it is already known.

    Intervals are expanded percentile intervals over persons. When all persons agree (a rate of 0 or 1,
    say) the bootstrap would claim certainty; then the interval is Clopper and Pearson's with the number of
    persons as trials, for 0 close to the rule of three.
    """
    crowd = crowd or Crowd.of(frame, [grouping] if grouping else [])
    sampler = _Sampler.of(metric, frame, crowd.person, rng, replicates, level)
    overall, _ = sampler.estimate("", np.ones(len(frame), dtype=np.bool_))
    if not grouping:
        return Disaggregation(overall, (), {}, 0)
    by_group = {name: sampler.estimate(name, rows) for name, rows in crowd.groups[grouping].items()}
    return Disaggregation(
        overall,
        tuple(estimate for estimate, _ in by_group.values()),
        {name: draws for name, (_, draws) in by_group.items()},
        crowd.ungrouped[grouping],
    )


@dataclass(frozen=True, slots=True)
class _Sampler:
    """A metric's columns over all rows of a frame as arrays: a group is then a slice of them."""

    metric: Rate | Ranking
    person: NDArray[np.int64]
    population: NDArray[np.bool_]
    used: NDArray[np.bool_]
    columns: tuple[NDArray[Any], ...]  # of a rate: which rows count; of a ranking: similarity and mated
    rng: np.random.Generator
    replicates: int
    level: float

    @classmethod
    def of(
        cls,
        metric: Rate | Ranking,
        frame: pd.DataFrame,
        person: NDArray[np.int64],
        rng: np.random.Generator,
        replicates: int | None,
        level: float,
    ) -> _Sampler:
        if isinstance(metric, Rate):
            columns: tuple[NDArray[Any], ...] = (metric.numerator(frame),)
        else:
            columns = (numbers(frame, "similarity"), frame["mated"].to_numpy(dtype=np.bool_))
        size = replicates or (RATE_REPLICATES if isinstance(metric, Rate) else RANKING_REPLICATES)
        population, used = metric.population(frame), metric.denominator(frame)
        return cls(metric, person, population, used, columns, rng, size, level)

    def estimate(self, group: str, rows: NDArray[np.bool_]) -> tuple[Estimate, NDArray[np.float64]]:
        """Value, counts and interval of some rows, and the bootstrap replicates of the value."""
        chosen = rows & self.used
        n = int(np.count_nonzero(chosen))
        excluded = int(np.count_nonzero(rows & self.population & ~self.used))
        columns = tuple(column[chosen] for column in self.columns)
        numbered, person = np.unique(self.person[chosen], return_inverse=True)
        value = self._value(columns)
        if math.isnan(value):
            note = "one kind of pair is missing" if n else "nothing to measure"
            none = Estimate(group, value, math.nan, math.nan, n, len(numbered), excluded, note)
            return none, np.full(self.replicates, math.nan)
        draws = self._draw(columns, person.astype(np.int64))
        low, high, note = _interval(value, draws, len(numbered), self.level)
        return Estimate(group, value, low, high, n, len(numbered), excluded, note), draws

    def _value(self, columns: tuple[NDArray[Any], ...]) -> float:
        if isinstance(self.metric, Rate):
            return float(columns[0].mean()) if len(columns[0]) else math.nan
        similarity, mated = columns
        return self.metric.compute(similarity, mated, None)

    def _draw(self, columns: tuple[NDArray[Any], ...], person: NDArray[np.int64]) -> NDArray[np.float64]:
        metric = self.metric
        if isinstance(metric, Rate):
            return resample_rate(columns[0], person, self.rng, self.replicates)
        order = np.argsort(-columns[0], kind="stable")  # sorting sorted pairs again is cheap
        similarity, mated = (column[order] for column in columns)
        return resample_weighted(
            lambda weights: metric.compute(similarity, mated, weights), person[order], self.rng, self.replicates
        )


def _interval(value: float, draws: NDArray[np.float64], n_people: int, level: float) -> tuple[float, float, str]:
    if n_people < 2:
        return math.nan, math.nan, "one person: no interval"
    finite = draws[np.isfinite(draws)]
    if not len(finite) or np.ptp(finite) < 1e-12:
        low, high = clopper_pearson(value * n_people, n_people, level)
        return low, high, "all persons agree: binomial interval on their number"
    return (*expanded_percentile(draws, n_people, level), "")
