"""Which recognizer the run chose as its attacker, from which candidates, and which could not be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.number import percent
from unveil.reporting.quality import RecognizerRow
from unveil.reporting.results import Results


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recognizer to choose from.

    Attributes:
        label: of the recognizer.
        value: mean of the deciding metric over datasets and detectors; None when it could not be compared.
        pairs: compared; ``why``: reason why it could not be compared, else empty.
    """

    label: str
    value: float | None
    pairs: int
    why: str

    @property
    def percent(self) -> str:
        """The value, as the page shows it."""
        return percent(self.value)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choice of a run.

    Attributes:
        label: of the recognizer that the run went on with.
        by: metric that decided.
        compared: candidates with a value, best first; ``left_out``: the others.
    """

    label: str
    by: str
    compared: Sequence[Candidate]
    left_out: Sequence[Candidate]

    def frame(self) -> pd.DataFrame:
        """One row per candidate, for CSV: ``recognizer, metric, value, pairs, chosen, why``."""
        rows = [
            {"recognizer": one.label, "metric": self.by, "value": one.value, "pairs": one.pairs,
             "chosen": one.label == self.label, "why": one.why}
            for one in (*self.compared, *self.left_out)
        ]  # fmt: skip
        return pd.DataFrame(rows)

    @property
    def second(self) -> Candidate | None:
        """Best of those that were not chosen."""
        return next((one for one in self.compared if one.label != self.label), None)


def chosen(results: Results) -> Chosen | None:
    """The choice that the manifest records; None when the configuration named its recognizers."""
    record = results.manifest.get("choice")
    if not record:
        return None
    candidates = [
        Candidate(entry["label"], entry["value"], int(entry["pairs"]), entry.get("why", ""))
        for entry in record["candidates"]
    ]
    return Chosen(
        record["chosen"],
        record["by"],
        [one for one in candidates if one.value is not None],
        [one for one in candidates if one.value is None],
    )


def told_apart(choice: Chosen, rows: Sequence[RecognizerRow]) -> bool | None:
    """Whether the intervals of the chosen recognizer and the second best are apart on this dataset.

    Returns:
        None when one of them was not measured here.
    """
    best = [
        next(
            (row.numbers[choice.by] for row in rows if row.recognizer == label and choice.by in row.numbers), None
        )
        for label in (choice.label, choice.second.label if choice.second else "")
    ]
    first, second = best
    return None if first is None or second is None else not first.overlaps(second)
