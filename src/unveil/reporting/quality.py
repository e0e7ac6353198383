"""How good the attacker is: recognizer quality on unprotected photos, and where the thresholds come from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.number import Number
from unveil.reporting.results import ORIGINAL, Results

QUALITY: Mapping[str, str] = {
    "best_f1": "Best F1",
    "auc": "AUC",
    "equal_error_rate": "EER",
    "tpr_at_fpr.10": "TPR at FPR 10%",
    "tpr_at_fpr.05": "TPR at FPR 5%",
    "tpr_at_fpr.01": "TPR at FPR 1%",
    "fold_accuracy": "Accuracy over folds",
}
"""Metrics of a recognizer on the originals' pairs, in the order of the table."""


@dataclass(frozen=True, slots=True)
class RecognizerRow:
    """One attacker on one dataset: models, and metric -> number (those that were measured)."""

    component: str
    numbers: Mapping[str, Number]


def recognizers(results: Results, dataset: str) -> list[RecognizerRow]:
    """Quality of each pair of detector and recognizer on the unprotected photos."""
    rows = results.select("measures", dataset=dataset, method=ORIGINAL, grouping="")
    rows = rows[rows["metric"].isin(QUALITY)]
    found = []
    for component, mine in rows.groupby("component", sort=False):
        first = mine.drop_duplicates("metric").set_index("metric")
        found.append(RecognizerRow(component, {m: Number.of(first.loc[m]) for m in QUALITY if m in first.index}))
    return found


def thresholds(results: Results, dataset: str) -> list[dict[str, object]]:
    """Every threshold with its provenance: the record that the calibration stored, and ``component``."""
    rows = results.select("measures", dataset=dataset, metric="threshold")
    return [{"component": row["component"], **json.loads(row["detail"])} for _, row in rows.iterrows()]


def recognizers_frame(dataset: str, rows: Sequence[RecognizerRow]) -> pd.DataFrame:
    """The same for CSV: one row per component and metric."""
    return pd.DataFrame(
        [
            {"dataset": dataset, "component": row.component, "metric": metric, "value": number.value,
             "low": number.low, "high": number.high, "n": number.n, "people": number.people}
            for row in rows
            for metric, number in row.numbers.items()
        ]
    )  # fmt: skip
