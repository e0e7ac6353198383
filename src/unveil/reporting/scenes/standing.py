"""Where each method stands in privacy, utility and practicality, and which methods no other one beats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unveil.reporting.compared import Compared, Place
from unveil.reporting.number import Number
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.scenes.columns import Column, first


@dataclass(frozen=True, slots=True)
class SceneStanding:
    """One method on one dataset of scenes. What was not measured is None.

    Attributes:
        method: label.
        attacker: the strongest in words: the classifier, and what it was trained on.
        place: of that attack; None when nothing attacked it.
        cmap: highest over all classifiers and trainings; lower is more private.
        floor: cMAP of blind guessing on the same pictures, the mean prevalence of the attributes.
        person_f1: of the detector, trained as published.
        similar: persons still found and similar, at the headline thresholds.
        practicality: in [0, 1].
        passing: passing rate.
    """

    method: str
    attacker: str
    place: Place | None
    cmap: Number | None
    floor: float | None
    person_f1: Number | None
    similar: Number | None
    practicality: Number | None
    passing: Number | None

    @property
    def plane(self) -> tuple[float, float] | None:
        """(cMAP, person F1), when both are known."""
        if self.cmap is None or self.person_f1 is None or not (self.cmap.known and self.person_f1.known):
            return None
        return self.cmap.value, self.person_f1.value


def standings(results: Results, dataset: str, found: Sequence[Column]) -> list[SceneStanding]:
    """Every method of a dataset, in the run's order."""
    headline = {name: first(found, name) for name in _HEADLINES}
    return [_standing(results, method, found, headline) for method in results.methods(dataset)]


_HEADLINES = ("person_f1", "similar_match_rate", "practicality", "passing_rate")


def _standing(
    results: Results, method: str, found: Sequence[Column], headline: Mapping[str, Column | None]
) -> SceneStanding:
    attacks = [c for c in found if c.metric == "cmap" and c.numbers.get(method, _UNKNOWN).known]
    worst = max(attacks, key=lambda column: column.numbers[method].value, default=None)
    numbers = [column.numbers.get(method) if (column := headline[name]) else None for name in _HEADLINES]
    return SceneStanding(
        method,
        worst.note if worst else "",
        worst.places[method] if worst else None,
        worst.numbers[method] if worst else None,
        chance(results.prevalence.get(worst.places[method][0], {})) if worst else None,
        *numbers,
    )


_UNKNOWN = Number(math.nan)


def chance(prevalence: Mapping[str, float]) -> float | None:
    """The cMAP of blind guessing: mean prevalence of the attributes that some pictures show and others do not."""
    shares = [share for share in prevalence.values() if 0 < share < 1]
    return sum(shares) / len(shares) if shares else None


def strongest_attackers(placed: Sequence[SceneStanding]) -> Compared:
    """The cMAP of each method under the strongest attacker on it."""
    attacked = {s.method: s.place for s in placed if s.place is not None}
    words = {s.method: s.attacker for s in placed if s.place is not None}
    return Compared("cMAP", "each method under the strongest attacker on it", "cmap", attacked, words)


def front(placed: Sequence[SceneStanding]) -> list[SceneStanding]:
    """Methods that no other one beats in cMAP and person F1 at once, the most private first."""
    known = [s for s in placed if s.method != ORIGINAL and s.plane is not None]
    best = [s for s in known if not any(beats(other, s) for other in known)]
    return sorted(best, key=lambda s: s.plane or (math.nan, math.nan))


def beats(one: SceneStanding, other: SceneStanding) -> bool:
    """Whether one is no worse than the other in both and better in one of them."""
    a, b = one.plane, other.plane
    return a is not None and b is not None and a[0] <= b[0] and a[1] >= b[1] and a != b


def within_chance(placed: Sequence[SceneStanding], best: Sequence[SceneStanding]) -> list[SceneStanding]:
    """Methods off the front that the data does not tell apart from one on it: both intervals overlap."""
    names = {s.method for s in best} | {ORIGINAL}
    return [s for s in placed if s.method not in names and any(_alike(s, other) for other in best)]


def _alike(one: SceneStanding, other: SceneStanding) -> bool:
    pairs = ((one.cmap, other.cmap), (one.person_f1, other.person_f1))
    return all(a is not None and b is not None and a.known and b.known and a.overlaps(b) for a, b in pairs)
