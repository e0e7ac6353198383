"""The part about the attacker, ready for its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting import figures
from unveil.reporting.attacker.by_group import ModelGroups, detector_groups, recognizer_groups
from unveil.reporting.attacker.choice import Chosen, chosen, told_apart
from unveil.reporting.bias import bias_frame
from unveil.reporting.group_tables import groups_frame
from unveil.reporting.number import percent
from unveil.reporting.quality import (
    DRAWN,
    QUALITY,
    RecognizerRow,
    compared_alone,
    recognizers,
    recognizers_frame,
)
from unveil.reporting.results import Results
from unveil.reporting.writer import Shown, Writer


@dataclass(frozen=True, slots=True)
class Attacker:
    """What is known of the attacker's models on one dataset.

    Attributes:
        recognizers: pairs of detector and recognizer, best AUC first; ``metrics``: of their table.
        alone: they were compared on the same pairs by ``recognizer_quality``; else by the verification.
        choice: of the run; None when the configuration names its recognizers.
        told_apart: whether chosen and second best are; None where that is unknown.
        figure: of the recognizers.
        groups: of the recognizers; ``detectors``: of the detectors.
    """

    recognizers: Sequence[RecognizerRow]
    metrics: Sequence[str]
    alone: bool
    choice: Chosen | None
    told_apart: bool | None
    figure: Shown | None
    groups: Sequence[ModelGroups]
    detectors: ModelGroups | None


def attacker(results: Results, label: str, key: str, writer: Writer) -> Attacker:
    """Write the figures and tables of one dataset and return what its page shows."""
    rows = recognizers(results, label)
    choice = chosen(results)
    groups = list(recognizer_groups(results, label, rows, key, writer))
    detectors = detector_groups(results, label, key, writer)
    writer.table(f"{key}_recognizers", recognizers_frame(label, rows, choice.label if choice else ""))
    tables = ((entry.table.row_head, entry.table) for entry in (*groups, detectors) if entry)
    by_group = groups_frame(label, tables).rename(columns={"model": "kind", "method": "model"})
    writer.table(f"{key}_attacker_groups", by_group)
    if choice:
        writer.table(f"{key}_candidates", choice.frame())
    if detectors and detectors.bias:
        writer.table(f"{key}_detector_bias", bias_frame(label, [detectors.bias]))
    return Attacker(
        rows,
        [metric for metric in QUALITY if any(metric in row.numbers for row in rows)],
        compared_alone(results, label),
        choice,
        told_apart(choice, rows) if choice else None,
        _figure(rows, key, writer),
        groups,
        detectors,
    )


def _figure(rows: Sequence[RecognizerRow], key: str, writer: Writer) -> Shown | None:
    """AUC and TPR at fixed FPR of each recognizer: all that stored measures can show of a ROC."""
    one_detector = len({row.detector for row in rows}) == 1
    points = [
        {"method": row.recognizer if one_detector else f"{row.recognizer}\n({row.detector})",
         "group": QUALITY[metric], "value": found.value, "low": found.low, "high": found.high, "n": found.n}
        for row in rows
        for metric in DRAWN
        if (found := row.numbers.get(metric)) and found.known
    ]  # fmt: skip
    if not points:
        return None
    frame = pd.DataFrame(points)
    aucs = (f"{row.component} {percent(row.auc)}" for row in rows)
    text = f"AUC and true positive rates of each recognizer on unprotected photos. AUC: {', '.join(aucs)}."
    drawing = figures.by_group(frame, [QUALITY[metric] for metric in DRAWN])
    return writer.figure(f"{key}_recognizers", "Recognizers on unprotected photos", text, drawing, frame)
