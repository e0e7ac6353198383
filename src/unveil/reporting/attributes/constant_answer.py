"""What an estimator would score that gives the same answer for every face: without it, no rate means anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.roles import Kind
from unveil.evaluations.preservation import preserved, spelled, understood


@dataclass(frozen=True, slots=True)
class Constant:
    """The best that one answer can score: ``answer`` as the observations spell it, ``rate`` its mean agreement."""

    answer: str
    rate: float

    @property
    def words(self) -> str:
        """The answer for a reader: numbers to one decimal."""
        try:
            return ", ".join(f"{float(part):.1f}" for part in self.answer.split(",")).replace("-", "−")
        except ValueError:
            return f"“{self.answer}”"


Constants = Mapping[tuple[str, str], Constant]
"""(cell, attribute) -> constant answer."""


def constant_answers(counts: pd.DataFrame, value: str, counted: str) -> dict[tuple[str, str], Constant]:
    """The constant answer of each cell and attribute.

    For words it is the most frequent one (of equally frequent ones the first by alphabet), for numbers the
    median, for angles the mean. It is found in the very faces on which it is then scored, and not in all photos:
    where a method hides the faces of one group, who always names the other one is right about those that are
    left. So an estimator that knows nothing could hardly do better. Agreement is that of
    :func:`unveil.evaluations.preservation.preserved`.

    Args:
        counts: ``cell_id, attribute, kind``, the value in ``value``, and how many photos have it and count in the
            measured rate; see :attr:`unveil.reporting.results.Results.told`.
        value: ``told_original`` or ``true_value``. Empty texts, and texts that mean no value of their kind, are
            left out.
        counted: ``compared``, ``judged`` or ``photos``, the column of those that count. Cells and attributes
            without any have no constant answer.
    """
    known = counts[(counts[value] != "") & (counts[counted] > 0)]
    found = {}
    for (cell, attribute, kind), rows in known.groupby(["cell_id", "attribute", "kind"], sort=False):
        if constant := _constant(kind, rows[value], rows[counted]):
            found[str(cell), str(attribute)] = constant
    return found


def _constant(kind: Kind, texts: pd.Series, counted: pd.Series) -> Constant | None:
    readable = np.array([_means_something(kind, text) for text in texts], dtype=bool)
    texts, counted = texts[readable], counted[readable]
    if texts.empty:
        return None
    answer = _answer(kind, list(texts), counted.to_numpy())
    best = understood(kind, answer)
    agreement = np.array([preserved(kind, understood(kind, text), best) for text in texts])
    return Constant(answer, float(np.average(agreement, weights=counted.to_numpy())))


def _means_something(kind: Kind, text: str) -> bool:
    try:
        understood(kind, text)
    except ValueError:
        return False
    return True


def _answer(kind: Kind, texts: Sequence[str], photos: NDArray[np.int64]) -> str:
    if kind == "categorical":
        spellings: dict[str, str] = {}
        votes: dict[str, int] = {}
        for text, number in zip(texts, photos, strict=True):
            word = text.strip().casefold()
            spellings[word] = min(text, spellings.get(word, text))
            votes[word] = votes.get(word, 0) + int(number)
        return spellings[min(votes, key=lambda word: (-votes[word], word))]
    values = np.repeat(np.array([np.atleast_1d(understood(kind, text)) for text in texts]), photos, axis=0)
    if kind == "numeric":
        return spelled(float(np.median(values)))
    return spelled(tuple(float(angle) for angle in values.mean(axis=0)))
