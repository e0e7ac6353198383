"""Decisions: from what an attacker observed to how each attempt ended, and the accounting of the ends.

Every function is vectorised over the rows of an observations frame, whose ``status`` is ``ok``,
``not_acquired``, ``not_protected`` or ``error``. Only rows with ``ok`` are decided; the others keep their
status as outcome, so no attempt can leave the accounting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.types import Outcome

_UNDECIDED = (Outcome.NOT_ACQUIRED.value, Outcome.NOT_PROTECTED.value, Outcome.ERROR.value)

STATUSES = ("ok", *_UNDECIDED)
"""Every value of the column ``status``."""


def decide_by_threshold(
    frame: pd.DataFrame, threshold: float | Mapping[str, float], group: pd.Series[Any] | None = None
) -> pd.Series[str]:
    """Outcomes of verification: similarity at or above the threshold is ``recognised``.

    Args:
        frame: ``status`` and ``similarity``.
        threshold: one similarity for all rows, or one per group.
        group: the group of each row (None where unknown), when there is one threshold per group.

    Returns:
        Outcome values with the index of ``frame``, named ``outcome``. *Every* row without a usable
        threshold (NaN, or a group without one) is an ``error``, whatever its status: if only the rows with
        a similarity were lost, what remains of the group would read as perfectly protected.

    Raises:
        ValueError: for a threshold per group without ``group``; for an unknown status.

    >>> frame = pd.DataFrame({"status": ["ok", "ok", "not_acquired"], "similarity": [0.9, 0.2, np.nan]})
    >>> list(decide_by_threshold(frame, 0.5))
    ['recognised', 'not_recognised', 'not_acquired']
    """
    similarity = numbers(frame, "similarity")
    if isinstance(threshold, Mapping):
        if group is None:
            raise ValueError("threshold: one per group needs the group of every row, got group=None")
        cut = np.asarray([threshold.get(g, np.nan) for g in group], dtype=np.float64)
    else:
        cut = np.full(len(frame), float(threshold))
    outcome = _outcomes(frame, similarity >= cut, ~np.isnan(similarity))
    outcome[np.isnan(cut)] = Outcome.ERROR.value
    return outcome


def decide_by_identity(frame: pd.DataFrame) -> pd.Series[str]:
    """Outcomes of identification: ``recognised`` where the classifier names the right person.

    Args:
        frame: ``status``, ``true_identity`` and ``predicted_identity``. A row that is ``ok`` but has no
            prediction is an ``error``.
    """
    predicted = frame["predicted_identity"]
    named = predicted.notna().to_numpy()
    right = (predicted.astype(object) == frame["true_identity"].astype(object)).to_numpy(dtype=bool)
    return _outcomes(frame, right & named, named)


def decide_by_rank(frame: pd.DataFrame, k: int) -> pd.Series[str]:
    """Outcomes of identification: ``recognised`` where the right person is among the first ``k``.

    Args:
        frame: ``status`` and ``rank`` (1 = first). A row that is ``ok`` but has no rank is an ``error``.
        k: at least 1.

    Raises:
        ValueError: for ``k`` below 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    rank = numbers(frame, "rank")
    return _outcomes(frame, rank <= k, ~np.isnan(rank))


def numbers(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """A column as float64, NaN where it has no value."""
    values: NDArray[np.float64] = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def _outcomes(frame: pd.DataFrame, recognised: NDArray[np.bool_], known: NDArray[np.bool_]) -> pd.Series[str]:
    status = frame["status"].astype(object)
    if len(bad := status[~status.isin(STATUSES)]):
        raise ValueError(f"status must be one of {', '.join(STATUSES)}, got {bad.iloc[0]!r}")
    ok = (status == "ok").to_numpy()
    outcome = status.to_numpy(copy=True)
    outcome[ok] = np.where(recognised, Outcome.RECOGNISED.value, Outcome.NOT_RECOGNISED.value)[ok]
    outcome[ok & ~known] = Outcome.ERROR.value
    return pd.Series(outcome, index=frame.index, name="outcome", dtype=object)


@dataclass(frozen=True, slots=True)
class OutcomeShare:
    """A rate of attempts: those that ended in ``numerator`` among those that ended in ``denominator``."""

    numerator: frozenset[Outcome]
    denominator: frozenset[Outcome]


COMPARED = frozenset({Outcome.RECOGNISED, Outcome.NOT_RECOGNISED})
ATTEMPTED = COMPARED | {Outcome.NOT_ACQUIRED}
PHOTOS = ATTEMPTED | {Outcome.NOT_PROTECTED}

RECOGNITION = OutcomeShare(frozenset({Outcome.RECOGNISED}), COMPARED)
OSR_CONDITIONAL = OutcomeShare(frozenset({Outcome.NOT_RECOGNISED}), COMPARED)
OSR_OVERALL = OutcomeShare(frozenset({Outcome.NOT_RECOGNISED, Outcome.NOT_ACQUIRED}), ATTEMPTED)
EXPOSURE = OutcomeShare(frozenset({Outcome.RECOGNISED, Outcome.NOT_PROTECTED}), PHOTOS)
NON_ACQUISITION = OutcomeShare(frozenset({Outcome.NOT_ACQUIRED}), ATTEMPTED)


@dataclass(frozen=True, slots=True)
class Accounting:
    """How many attempts ended in which outcome. The five counts sum to the number of rows."""

    recognised: int = 0
    not_recognised: int = 0
    not_acquired: int = 0
    not_protected: int = 0
    error: int = 0

    @classmethod
    def of(cls, outcomes: pd.Series[Any]) -> Accounting:
        """Count outcomes.

        Raises:
            ValueError: for a value that is not an outcome.
        """
        counts = outcomes.value_counts().to_dict()
        if unknown := set(counts) - {o.value for o in Outcome}:
            raise ValueError(f"not an outcome: {min(map(str, unknown))!r}")
        return cls(**{o.value: int(counts.get(o.value, 0)) for o in Outcome})

    def n(self, outcomes: frozenset[Outcome] = frozenset(Outcome)) -> int:
        """Attempts that ended in one of ``outcomes``."""
        return sum(getattr(self, outcome.value) for outcome in outcomes)

    def share(self, share: OutcomeShare) -> float:
        """A rate of these attempts, NaN when its denominator is empty."""
        total = self.n(share.denominator)
        return self.n(share.numerator) / total if total else float("nan")

    @property
    def osr_conditional(self) -> float:
        """not_recognised / (recognised + not_recognised): the published form, over found faces only."""
        return self.share(OSR_CONDITIONAL)

    @property
    def osr_overall(self) -> float:
        """(not_recognised + not_acquired) / all attempted: no face found is protection too."""
        return self.share(OSR_OVERALL)

    @property
    def exposure(self) -> float:
        """(recognised + not_protected) / all photos: what a person in the data set really faces."""
        return self.share(EXPOSURE)

    @property
    def recognition_rate(self) -> float:
        """1 - ``osr_conditional``."""
        return self.share(RECOGNITION)


def account(frame: pd.DataFrame) -> tuple[Accounting, Accounting]:
    """The accounting of mated attempts, and its floor: that of strangers (non-mated attempts).

    Args:
        frame: ``outcome`` and, for verification, ``mated``; without it every attempt is mated.
    """
    mated = is_mated(frame)
    return Accounting.of(frame["outcome"][mated]), Accounting.of(frame["outcome"][~mated])


def is_mated(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rows compare a person with that same person; all, in a frame without the column ``mated``."""
    if "mated" not in frame:
        return np.ones(len(frame), dtype=np.bool_)
    mated: NDArray[np.bool_] = frame["mated"].to_numpy(dtype=np.bool_)
    return mated
