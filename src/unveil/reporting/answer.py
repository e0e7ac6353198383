"""The answer first: what protects best, how far it is from the floor, what it costs, and whom it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.reporting.compared import strongest_exposure
from unveil.reporting.failing import Failing, failing
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.standing import Standing, frontier, standings

KEEPS = 0.9
"""A method keeps faces usable when detection falls to no less than this share of the originals' rate."""


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

    @property
    def keeper_is_open(self) -> bool:
        """The exposure of ``keeper`` is not shown to be below that of the unprotected photos."""
        kept = self.keeper.exposure if self.keeper else None
        before = self.original.exposure if self.original else None
        return kept is not None and before is not None and (kept.value >= before.value or kept.overlaps(before))


def answer(results: Results, dataset: str) -> Answer:
    """Rank the methods of one dataset."""
    placed = standings(results, dataset)
    original = next((s for s in placed if s.method == ORIGINAL), None)
    ranked = sorted((s for s in placed if s.method != ORIGINAL and s.exposure is not None), key=_rank)
    best = ranked[0] if ranked else None
    keeper = next((s for s in ranked if _keeps_faces(s, original)), None)
    exposures = strongest_exposure(placed)
    return Answer(
        dataset=dataset,
        standings=placed,
        original=original,
        best=best,
        rivals=[s for s in ranked[1:] if best and _not_told_apart(s, best)],
        keeper=keeper,
        frontier=frontier(placed),
        failing={
            s.method: f for s in (best, keeper) if s and (f := failing(results, dataset, exposures, s.method))
        },
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
