"""Any metric, for everybody and for every group, with counts and intervals that admit what is unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.errors import DataError
from unveil.metrics.bootstrap import people
from unveil.metrics.equal_groups import of_equal_size
from unveil.metrics.intervals import clopper_pearson, expanded_percentile
from unveil.metrics.kind import Columns, Metric

FEW = 5
"""Persons below which an interval is too short: of 95 % wanted, 2, 3 and 4 persons reach 53, 73 and 86 % (600
simulated groups each, values from a beta distribution with a mean of 0.8); 5 reach 88 %, 24 reach 95 %."""

TOO_SHORT = f"fewer than {FEW} persons: the interval is too short"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value of one group.

    Attributes:
        group: such as ``Black Female``; ``""`` for everybody.
        value: NaN when nothing was measured.
        ci_low, ci_high: interval, persons resampled; NaN when there is none.
        n: rows looked at.
        n_identities: persons among them; repeats, of a metric that draws each row by itself.
        n_excluded: rows that the metric is about but that could not be used.
        note: why there is no value or no interval, of which other kind the interval is or what is wrong with
            it, or what was left out; ``""`` in the normal case.
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

    def of_equal_size(self, grouping: str, used: NDArray[np.bool_], rng: np.random.Generator, least: int) -> Crowd:
        """The same crowd with as many used rows in every group (:mod:`unveil.metrics.equal_groups`)."""
        thinned = of_equal_size(self.groups[grouping], used, rng, least=least)
        return replace(self, groups={**self.groups, grouping: thinned})


def disaggregate(
    metric: Metric,
    frame: pd.DataFrame,
    grouping: str,
    *,
    rng: np.random.Generator,
    replicates: int | None = None,
    level: float = 0.95,
    crowd: Crowd | None = None,
    groups_only: bool = False,
) -> Disaggregation:
    """A metric for everybody and for every group.

    Args:
        metric: what to measure.
        frame: observations with ``identity`` (of the probe), the metric's columns and the attributes.
        grouping: see :func:`groups_of`; ``""`` for no groups.
        rng: source of the bootstrap.
        replicates: bootstrap size; by default the metric's own, 1000 for a rate and 200 for the others.
        level: coverage of the intervals.
        crowd: of this frame, when it is already known.
        groups_only: leave out what concerns everybody: its value is then NaN.

    Intervals are expanded percentile intervals over persons. When all persons agree (a rate of 0 or 1,
    say) the bootstrap would claim certainty; then the interval is Clopper and Pearson's with the number of
    persons as trials, for 0 close to the rule of three. Of fewer than :data:`FEW` persons the bootstrap reaches no
    further than from the least to the greatest person, and the note says that the interval is too short.
    """
    crowd = crowd or Crowd.of(frame, [grouping] if grouping else [])
    sampler = _Sampler.of(metric, frame, crowd.person, rng, replicates, level)
    everybody = np.full(len(frame), not groups_only, dtype=np.bool_)
    overall, _ = sampler.estimate("", everybody)
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

    metric: Metric
    person: NDArray[np.int64]
    population: NDArray[np.bool_]
    used: NDArray[np.bool_]
    columns: Columns
    rng: np.random.Generator
    replicates: int
    level: float

    @classmethod
    def of(
        cls,
        metric: Metric,
        frame: pd.DataFrame,
        person: NDArray[np.int64],
        rng: np.random.Generator,
        replicates: int | None,
        level: float,
    ) -> _Sampler:
        person = np.arange(len(frame)) if metric.by_row else person
        population, used = metric.population(frame), metric.denominator(frame)
        columns = metric.columns(frame)
        return cls(metric, person, population, used, columns, rng, replicates or metric.replicates, level)

    def estimate(self, group: str, rows: NDArray[np.bool_]) -> tuple[Estimate, NDArray[np.float64]]:
        """Value, counts and interval of some rows, and the bootstrap replicates of the value."""
        chosen = rows & self.used
        columns = {name: column[chosen] for name, column in self.columns.items()}
        _, person = np.unique(self.person[chosen], return_inverse=True)
        sampled = self.metric.assess(columns, person.astype(np.int64), self.rng, self.replicates)
        if sampled.kept is not None:
            person = person[sampled.kept]
        n, n_people = len(person), len(np.unique(person))
        excluded = int(np.count_nonzero(rows & self.population & ~self.used) + np.count_nonzero(chosen)) - n
        if math.isnan(sampled.value):
            low, high, note = math.nan, math.nan, sampled.note or "nothing to measure"
        else:
            low, high, why = self._interval(sampled.value, sampled.draws, n_people)
            note = "; ".join(filter(None, (sampled.note, why)))
        return Estimate(group, sampled.value, low, high, n, n_people, excluded, note), sampled.draws

    def _interval(self, value: float, draws: NDArray[np.float64], n_people: int) -> tuple[float, float, str]:
        if n_people < 2:
            return math.nan, math.nan, f"one {'repeat' if self.metric.by_row else 'person'}: no interval"
        finite = draws[np.isfinite(draws)]
        agree = not len(finite) or bool(np.ptp(finite) < 1e-12)
        if agree and self.metric.proportion:
            low, high = clopper_pearson(value * n_people, n_people, self.level)
            return low, high, "all persons agree: binomial interval on their number"
        if agree:
            return math.nan, math.nan, "every replicate is the same: no interval" if len(finite) else ""
        few = n_people < FEW and not self.metric.by_row
        return (*expanded_percentile(draws, n_people, self.level), TOO_SHORT if few else "")
