"""One frame of decided rows -> rows of the measures table and of the disparities table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

import numpy as np
import pandas as pd

from unveil.config import Fairness, Mode
from unveil.core.fingerprint import rng
from unveil.core.types import Cell
from unveil.metrics.equal_groups import LEAST
from unveil.metrics.fairness import average_bias, demographic_biases
from unveil.metrics.grouping import Crowd, Disaggregation, Estimate, disaggregate
from unveil.metrics.kind import Metric
from unveil.metrics.meta import MetricMeta
from unveil.metrics.ranking import Ranking
from unveil.metrics.rates import Rate
from unveil.metrics.verdicts import verdicts

NO_COMPARISON = frozenset(
    {
        "recognition_rate",  # 1 - conditional OSR
        "non_acquisition_rate",  # a part of the overall OSR
        "stranger_rejection_rate_conditional",  # about the attacker, not about the method
        "stranger_rejection_rate_overall",
        "cmap",  # depends on how often a group shows an attribute; its drop is compared
        "cmap_above_chance",
        "cmap_exposed",
        "strongest_region_rate",  # where a recognizer looks is neither good nor bad
        "five_strongest_region_rate",
        "comparison_rate",  # about the attacker
    }
)
"""Rates whose groups are shown but not judged: it would say the same thing twice, or nothing of the method."""


class _How(TypedDict):
    """How rates are compared, whatever the statistic."""

    higher_is_better: bool
    mode: Mode


@dataclass(slots=True)
class Rows:
    """Rows collected for both tables."""

    measures: list[dict[str, Any]] = field(default_factory=list)
    disparities: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Measurer:
    """Measures one cell at one operating point.

    Attributes:
        cell: whose rows are measured; ``operating_point``: at which decision.
        groupings: by which people are compared.
        fairness: settings; ``seed``: of the bootstrap.
        passing: (grouping, group) -> passing rate of the method, shown beside every value.
        crowd: who the rows are about.
        facet: the label, object class or frame size that the rows are about; ``""`` for all.
    """

    cell: Cell
    operating_point: str
    groupings: Sequence[str]
    fairness: Fairness
    seed: int
    passing: Mapping[tuple[str, str], float]
    crowd: Crowd
    facet: str = ""

    def measure(self, metric: Metric, frame: pd.DataFrame, rows: Rows) -> None:
        """Add a metric's values, for everybody and by group, and the comparison of the groups.

        A metric with a facet is measured once for each value of that column.
        """
        if not (facet := metric.meta.facet):
            self._measure(metric, frame, rows)
            return
        for value in [value for value in frame[facet].unique() if value]:
            chosen = frame[facet] == value
            if not metric.population(frame[chosen]).any():  # such as an attribute whose truth nobody knows
                continue
            groupings = self.groupings if metric.meta.by_group else ()
            part = replace(self, facet=str(value), crowd=Crowd.of(frame[chosen], groupings))
            part._measure(metric, frame[chosen], rows)

    def _measure(self, metric: Metric, frame: pd.DataFrame, rows: Rows) -> None:
        overall = self._disaggregate(metric, frame, "").overall
        rows.measures.append(self.row(metric.meta, "", overall))
        for grouping in self.groupings if metric.meta.by_group else ():
            by_group = self._disaggregate(metric, frame, grouping)
            rows.measures.extend(self.row(metric.meta, grouping, estimate) for estimate in by_group.groups)
            # A ranking tells how good the attacker is, and only shares can be compared by ratio and difference.
            comparable = not isinstance(metric, Ranking) and metric.meta.unit == "share"
            if comparable and len(by_group.groups) > 1:
                rows.disparities.extend(self._compare(metric.meta, grouping, by_group))

    def _disaggregate(self, metric: Metric, frame: pd.DataFrame, grouping: str) -> Disaggregation:
        name = metric.meta.name
        facet = (self.facet,) if self.facet else ()
        stream = rng(self.seed, "bootstrap", self.cell.id, self.operating_point, name, *facet, grouping)
        size = self.fairness.replicates if isinstance(metric, Rate) else None
        level = self.fairness.confidence
        crowd = self.crowd
        least = max(LEAST, self.fairness.minimum_identities) if grouping and metric.meta.equal_groups else 0
        if least:
            draw = rng(self.seed, "equal groups", self.cell.dataset, grouping)
            crowd = crowd.of_equal_size(grouping, metric.denominator(frame), draw, least)
        measured = disaggregate(
            metric,
            frame,
            grouping,
            rng=stream,
            replicates=size,
            level=level,
            crowd=crowd,
            groups_only=bool(grouping),
        )
        return replace(measured, groups=tuple(_compared(estimate, least) for estimate in measured.groups))

    def row(self, meta: MetricMeta, grouping: str, estimate: Estimate, detail: str = "") -> dict[str, Any]:
        """One row of the measures table."""
        return {
            **self._keys(meta.name, grouping),
            "group": estimate.group,
            "value": _null(estimate.value),
            "ci_low": _null(estimate.ci_low),
            "ci_high": _null(estimate.ci_high),
            "n": estimate.n,
            "n_identities": estimate.n_identities,
            "n_excluded": estimate.n_excluded,
            "passing_rate": self.passing.get((grouping, estimate.group)),
            "higher_is_better": meta.higher_is_better,
            "detail": detail or estimate.note,
        }

    def _keys(self, metric: str, grouping: str) -> dict[str, Any]:
        return {
            **self.cell.keys(),
            "operating_point": self.operating_point,
            "metric": metric,
            "facet": self.facet,
            "grouping": grouping,
        }

    def _compare(self, meta: MetricMeta, grouping: str, by_group: Disaggregation) -> Iterator[dict[str, Any]]:
        better = meta.higher_is_better
        if self.fairness.mode == "as_published" and self.cell.method == "original":
            # The published tables read recognition of unprotected photos as the recognizer's success.
            if meta.name not in ("recognition_rate", "detection_rate"):
                return
            better = True
        elif meta.name in NO_COMPARISON:
            return
        # A drop below zero is no protection at all, and no worse than that.
        groups = [
            replace(e, value=_share(e.value), ci_low=_share(e.ci_low), ci_high=_share(e.ci_high))
            for e in by_group.groups
        ]
        replicates = {group: np.clip(draws, 0, 1) for group, draws in by_group.replicates.items()}
        rates = {estimate.group: estimate.value for estimate in groups}
        for definition in self.fairness.definitions:
            for epsilon in self.fairness.epsilons:
                keys = {**self._keys(meta.name, grouping), "definition": definition, "epsilon": epsilon}
                how = _How(higher_is_better=better, mode=self.fairness.mode)
                average = average_bias(rates, epsilon, definition, **how)
                yield {**keys, "statistic": "average_bias", "value": _null(average)}
                for group, bias in demographic_biases(rates, epsilon, definition, **how).items():
                    yield {**keys, "statistic": "demographic_bias", "group": group, "value": _null(bias)}
                for pair in verdicts(
                    groups,
                    replicates,
                    epsilon,
                    definition,
                    higher_is_better=better,
                    alpha=1 - self.fairness.confidence,
                    min_identities=self.fairness.minimum_identities,
                ):
                    yield {
                        **keys,
                        "statistic": "pair",
                        "group": pair.group,
                        "other_group": pair.other_group,
                        "value": _null(pair.value),
                        "verdict": pair.verdict,
                        "p_value": _null(pair.p_value),
                        "detectable_gap": _null(pair.detectable_gap),
                    }


def _compared(estimate: Estimate, least: int) -> Estimate:
    """No value for a group that is too small: beside those of larger groups it would be read as theirs."""
    if estimate.n >= least:
        return estimate
    note = f"fewer than {least} pictures: not compared"
    return replace(estimate, value=math.nan, ci_low=math.nan, ci_high=math.nan, note=note)


def _share(value: float) -> float:
    return value if math.isnan(value) else min(max(value, 0.0), 1.0)


def _null(value: float) -> float | None:
    return None if math.isnan(value) else value
