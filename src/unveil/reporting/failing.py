"""Whom a method fails: its worst and its best group, and what the fairness verdicts say of them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from unveil.reporting.compared import Compared
from unveil.reporting.number import Number
from unveil.reporting.results import Results


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How the pairs of groups of one grouping were judged.

    Attributes:
        definition, epsilon: the rule.
        biased, fair, unclear: numbers of pairs; ``unclear`` is insufficient evidence.
        smallest_gap, largest_gap: range of the smallest gaps that the data could have shown; NaN when no
            pair was tested.
    """

    definition: str
    epsilon: float
    biased: int
    fair: int
    unclear: int
    smallest_gap: float
    largest_gap: float

    @property
    def pairs(self) -> int:
        """All of them."""
        return self.biased + self.fair + self.unclear


@dataclass(frozen=True, slots=True)
class Failing:
    """Whom a method fails by one measure, in the finest grouping of its dataset.

    Attributes:
        grouping: such as ``gender+race``.
        worst, best: the groups at both ends, as (group, number).
        verdicts: None when the groups were not compared.
    """

    grouping: str
    worst: tuple[str, Number]
    best: tuple[str, Number]
    verdicts: Verdicts | None


def failing(results: Results, dataset: str, measure: Compared, method: str) -> Failing | None:
    """Whom a method fails; None without two groups to compare."""
    groupings = results.groupings(dataset)
    if method not in measure.places or not groupings:
        return None
    cell_id, point = measure.places[method]
    here = {"cell_id": cell_id, "operating_point": point, "metric": measure.metric, "grouping": groupings[-1]}
    rows = results.select("measures", **here)
    rows = rows[rows["value"].notna()]
    if len(rows) < 2:
        return None
    low, high = rows.loc[rows["value"].idxmin()], rows.loc[rows["value"].idxmax()]
    worst, best = (low, high) if rows["higher_is_better"].iloc[0] else (high, low)
    judged = headline_verdicts(results, results.select("disparities", **here))
    return Failing(groupings[-1], (worst["group"], Number.of(worst)), (best["group"], Number.of(best)), judged)


def headline_rule(results: Results) -> tuple[str, float]:
    """Definition and epsilon of the sentences: differences where configured, the middle epsilon."""
    fairness = results.manifest["config"]["fairness"]
    definitions, epsilons = fairness["definitions"], sorted(fairness["epsilons"])
    definition = "difference" if "difference" in definitions else definitions[0]
    return definition, epsilons[len(epsilons) // 2]


def headline_verdicts(results: Results, disparities: pd.DataFrame) -> Verdicts | None:
    """Count the verdicts of one measure in one grouping at the headline rule."""
    if not results.manifest["config"]["fairness"]["definitions"]:
        return None
    definition, epsilon = headline_rule(results)
    pairs = disparities[
        (disparities["statistic"] == "pair")
        & (disparities["definition"] == definition)
        & (disparities["epsilon"] == epsilon)
    ]
    if pairs.empty:
        return None
    counts = pairs["verdict"].value_counts()
    return Verdicts(
        definition,
        epsilon,
        int(counts.get("biased", 0)),
        int(counts.get("fair within epsilon", 0)),
        int(counts.get("insufficient evidence", 0)),
        float(pairs["detectable_gap"].min()),
        float(pairs["detectable_gap"].max()),
    )
