"""How good the attacker is: recognizer quality on unprotected photos, and where the thresholds come from."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.number import Number
from unveil.reporting.results import ORIGINAL, Results

QUALITY: Mapping[str, str] = {
    "auc": "AUC",
    "best_f1": "Best F1",
    "equal_error_rate": "EER",
    "tpr_at_fpr.10": "TPR at FPR 10%",
    "tpr_at_fpr.05": "TPR at FPR 5%",
    "tpr_at_fpr.01": "TPR at FPR 1%",
    "fold_accuracy": "Accuracy over folds",
    "comparison_rate": "Pairs compared",
}
"""Metrics of a recognizer on the originals' pairs, in the order of the table."""


DRAWN = ("auc", "tpr_at_fpr.10", "tpr_at_fpr.01")
"""Metrics of the figure of recognizers."""


@dataclass(frozen=True, slots=True)
class RecognizerRow:
    """One attacker on one dataset.

    Attributes:
        component: detector and recognizer.
        numbers: metric -> number, of those that were measured.
        attacks: it attacks the methods of this run, and is not only compared.
    """

    component: str
    numbers: Mapping[str, Number]
    attacks: bool

    @property
    def detector(self) -> str:
        """What finds the faces."""
        return self.component.partition("/")[0]

    @property
    def recognizer(self) -> str:
        """What compares them."""
        return self.component.partition("/")[2]

    @property
    def auc(self) -> float:
        """NaN when it was not measured."""
        return self.numbers["auc"].value if "auc" in self.numbers else math.nan


def compared_alone(results: Results, dataset: str) -> bool:
    """Whether the recognizers were compared by an evaluation of their own."""
    own = results.evaluations("recognizer_quality")
    return bool(results.select("measures", dataset=dataset)["evaluation"].isin(own).any())


def originals(results: Results, dataset: str) -> pd.DataFrame:
    """Measures of recognizers on unprotected photos, everybody and by group.

    Where the run compares recognizers on the same pairs (evaluation ``recognizer_quality``) these are taken, else
    those of the attacks' own calibration; never both, since they stand on different pairs.
    """
    rows = results.select("measures", dataset=dataset, method=ORIGINAL)
    rows = rows[rows["metric"].isin(QUALITY)]
    own = rows["evaluation"].isin(results.evaluations("recognizer_quality"))
    return rows[own] if compared_alone(results, dataset) else rows


def recognizers(results: Results, dataset: str) -> list[RecognizerRow]:
    """Quality of each pair of detector and recognizer on the unprotected photos, best AUC first."""
    attacking = set(results.select("measures", dataset=dataset, metric="exposure_rate")["component"])
    rows = originals(results, dataset)
    found = []
    for component, mine in rows[rows["grouping"] == ""].groupby("component", sort=False):
        first = mine.drop_duplicates("metric").set_index("metric")
        numbers = {m: Number.of(first.loc[m]) for m in QUALITY if m in first.index}
        found.append(RecognizerRow(component, numbers, component in attacking))
    return sorted(found, key=lambda row: -row.auc if row.auc == row.auc else math.inf)


def thresholds(results: Results, dataset: str) -> list[dict[str, object]]:
    """Every threshold with its provenance: the record that the calibration stored, and ``component``."""
    rows = results.select("measures", dataset=dataset, metric="threshold")
    return [{"component": row["component"], **json.loads(row["detail"])} for _, row in rows.iterrows()]


def recognizers_frame(dataset: str, rows: Sequence[RecognizerRow], chosen: str = "") -> pd.DataFrame:
    """The same for CSV: one row per component and metric; ``chosen`` is the recognizer that the run chose."""
    return pd.DataFrame(
        [
            {"dataset": dataset, "component": row.component, "detector": row.detector,
             "recognizer": row.recognizer, "metric": metric, "value": number.value, "low": number.low,
             "high": number.high, "n": number.n, "people": number.people, "excluded": number.excluded,
             "attacks": row.attacks, "chosen": row.recognizer == chosen}
            for row in rows
            for metric, number in row.numbers.items()
        ]
    )  # fmt: skip
