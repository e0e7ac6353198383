"""The answer first: the best trade-offs of privacy and utility, the most practical method, and whom they fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unveil.reporting.compared import Compared
from unveil.reporting.failing import Failing, failing
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.scenes.columns import Column, first
from unveil.reporting.scenes.standing import (
    SceneStanding,
    front,
    standings,
    strongest_attackers,
    within_chance,
)


@dataclass(frozen=True, slots=True)
class SceneAnswer:
    """What the tables of one dataset say, ready for sentences.

    Attributes:
        standings: every method; ``original``: the unprotected pictures.
        front: methods that no other beats in cMAP and person F1 at once, the most private first.
        unclear: methods off the front that the data does not tell apart from one on it.
        private: lowest cMAP under the strongest attacker; ``rivals``: methods whose interval overlaps its.
        useful: highest person F1.
        practical: highest practicality.
        remarks: what the cMAP of all methods leaves out, in words.
        measures: by which it is told whom a method fails.
        failing: method -> measure's title -> whom it fails.
    """

    standings: Sequence[SceneStanding]
    original: SceneStanding | None
    front: Sequence[SceneStanding]
    unclear: Sequence[SceneStanding]
    private: SceneStanding | None
    rivals: Sequence[SceneStanding]
    useful: SceneStanding | None
    practical: SceneStanding | None
    remarks: Sequence[str]
    measures: Sequence[Compared]
    failing: Mapping[str, Mapping[str, Failing]]

    @property
    def undecided(self) -> bool:
        """Whether all methods off the front are within chance of it."""
        known = [s for s in self.standings if s.method != ORIGINAL and s.plane is not None]
        return bool(self.unclear) and len(self.front) + len(self.unclear) == len(known)

    @property
    def attacker_is_blind(self) -> bool:
        """Whether the attacker is not told apart from guessing on the unprotected pictures."""
        before = self.original
        if before is None or before.cmap is None or before.floor is None:
            return False
        return (before.cmap.low if before.cmap.bounded else before.cmap.value) <= before.floor


def answer(results: Results, dataset: str, found: Sequence[Column]) -> SceneAnswer:
    """Rank the methods of one dataset."""
    placed = standings(results, dataset, found)
    protected = [s for s in placed if s.method != ORIGINAL]
    best = front(placed)
    private = _extreme(protected, "cmap", lowest=True)
    practical = _extreme(protected, "practicality")
    measures = compared(found, placed)
    told = [*best, *filter(None, (private, practical))]
    return SceneAnswer(
        standings=placed,
        original=next((s for s in placed if s.method == ORIGINAL), None),
        front=best,
        unclear=within_chance(placed, best),
        private=private,
        rivals=[s for s in protected if private and s is not private and _overlap(s, private)],
        useful=_extreme(protected, "person_f1"),
        practical=practical,
        remarks=_remarks(found),
        measures=measures,
        failing={s.method: whom for s in told if (whom := _whom(results, dataset, measures, s.method))},
    )


def compared(found: Sequence[Column], placed: Sequence[SceneStanding]) -> list[Compared]:
    """The measures by which groups are compared; passing only where something failed."""
    measures = [strongest_attackers(placed)] if any(s.place for s in placed) else []
    for metric in ("cmap_drop", "person_f1", "similar_match_rate", "passing_rate"):
        column = first(found, metric)
        if column and not (metric == "passing_rate" and all(n.value == 1 for n in column.numbers.values())):
            places = {method: place for method, place in column.places.items() if _says_something(metric, method)}
            measures.append(Compared(column.title, column.note, metric, places))
    return measures


def _says_something(metric: str, method: str) -> bool:
    return not (metric == "cmap_drop" and method == ORIGINAL)  # an original against itself


def _whom(results: Results, dataset: str, measures: Sequence[Compared], method: str) -> dict[str, Failing]:
    return {m.title: found for m in measures if (found := failing(results, dataset, m, method))}


def _extreme(placed: Sequence[SceneStanding], name: str, *, lowest: bool = False) -> SceneStanding | None:
    known = [s for s in placed if (number := getattr(s, name)) is not None and number.known]
    choose = min if lowest else max
    return choose(known, key=lambda s: getattr(s, name).value) if known else None


def _overlap(one: SceneStanding, other: SceneStanding) -> bool:
    if one.cmap is None or other.cmap is None or not one.cmap.known:
        return False
    return one.cmap.overlaps(other.cmap)


def _remarks(found: Sequence[Column]) -> list[str]:
    details = [detail for column in found if column.metric == "cmap" for detail in column.details]
    return [detail for detail in dict.fromkeys(details) if "left out" in detail]
