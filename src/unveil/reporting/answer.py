"""The answer first: what protects best, how far it is from the floor, what it costs, and whom it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.number import Number
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.standing import EXPOSURE, Standing, frontier, standings

KEEPS = 0.9
"""A method keeps faces usable when detection falls to no less than this share of the originals' rate."""


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
    """Whom a method fails, in its finest grouping, under the strongest attack on it.

    Attributes:
        grouping: such as ``gender+race``.
        worst, best: groups with the highest and the lowest exposure, as (group, exposure).
        verdicts: None when the groups were not compared.
    """

    grouping: str
    worst: tuple[str, Number]
    best: tuple[str, Number]
    verdicts: Verdicts | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the tables of one dataset say, ready for sentences.

    Attributes:
        dataset: label.
        standings: every method.
        original: the unprotected photos.
        best: lowest exposure under the strongest attack; None when nothing was attacked or protected.
        rivals: methods whose interval overlaps that of ``best``: the data does not tell them apart.
        keeper: lowest exposure among the methods that keep faces detectable; None when there is none.
        frontier: methods that no other beats in exposure and detection at once.
        failing: method -> whom it fails, for ``best`` and ``keeper``.
    """

    dataset: str
    standings: Sequence[Standing]
    original: Standing | None
    best: Standing | None
    rivals: Sequence[Standing]
    keeper: Standing | None
    frontier: Sequence[Standing]
    failing: dict[str, Failing]


def answer(results: Results, dataset: str) -> Answer:
    """Rank the methods of one dataset."""
    placed = standings(results, dataset)
    original = next((s for s in placed if s.method == ORIGINAL), None)
    ranked = sorted((s for s in placed if s.method != ORIGINAL and s.exposure is not None), key=_rank)
    best = ranked[0] if ranked else None
    keeper = next((s for s in ranked if _keeps_faces(s, original)), None)
    return Answer(
        dataset=dataset,
        standings=placed,
        original=original,
        best=best,
        rivals=[s for s in ranked[1:] if best and _not_told_apart(s, best)],
        keeper=keeper,
        frontier=frontier(placed),
        failing={s.method: f for s in (best, keeper) if s and (f := failing(results, dataset, s))},
    )


def _rank(standing: Standing) -> tuple[float, float]:
    """Lowest exposure first; of equals the one that keeps more faces."""
    exposure, quality = standing.exposure, standing.quality
    return exposure.value if exposure else 1.0, -quality.value if quality and quality.known else 0.0


def _not_told_apart(one: Standing, other: Standing) -> bool:
    return one.exposure is not None and other.exposure is not None and one.exposure.overlaps(other.exposure)


def _keeps_faces(standing: Standing, original: Standing | None) -> bool:
    before, after = original and original.quality, standing.quality
    return bool(before and after and before.known and after.known and after.value >= KEEPS * before.value)


def failing(results: Results, dataset: str, standing: Standing) -> Failing | None:
    """Whom a method fails; None without groups."""
    groupings = results.groupings(dataset)
    if standing.attack is None or not groupings:
        return None
    here = {
        "cell_id": standing.cell_id,
        "operating_point": standing.attack.operating_point,
        "metric": EXPOSURE,
        "grouping": groupings[-1],
    }
    rows = results.select("measures", **here)
    rows = rows[rows["value"].notna()]
    if len(rows) < 2:
        return None
    worst, best = rows.loc[rows["value"].idxmax()], rows.loc[rows["value"].idxmin()]
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
