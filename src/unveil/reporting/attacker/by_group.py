"""Recognizers and detectors on unprotected photos, group by group: Tables IV, VII and XV of FairDeFace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.bias import BiasTable, bias_table
from unveil.reporting.group_tables import GroupTable, group_table
from unveil.reporting.quality import QUALITY, RecognizerRow, originals
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.wording import models
from unveil.reporting.writer import Shown, Writer, slug

_BY_GROUP = ("auc", "tpr_at_fpr.10", "tpr_at_fpr.01", "comparison_rate")


@dataclass(frozen=True, slots=True)
class ModelGroups:
    """One measure of all recognizers or detectors by group; ``figure`` and ``bias`` None where there is none."""

    table: GroupTable
    figure: Shown | None
    bias: BiasTable | None


def recognizer_groups(
    results: Results, dataset: str, rows: Sequence[RecognizerRow], key: str, writer: Writer
) -> Iterator[ModelGroups]:
    """AUC, TPR at FPR 10% and 1% and the comparison rate of each recognizer, best AUC first.

    Args:
        results: of the run.
        dataset: label.
        rows: recognizers in the order of the page.
        key: starts the names of the figures.
        writer: of the figures.
    """
    measures = originals(results, dataset)
    for metric in _BY_GROUP:
        here = _by_component(measures[measures["metric"] == metric])
        measured = {models(row.component): here[row.component] for row in rows if row.component in here}
        if any((frame["grouping"] != "").any() for frame in measured.values()):
            table = group_table(results, dataset, QUALITY[metric], "Recognizer", measured)
            figure = table.figure(f"{key}_recognizers_{slug(metric)}", writer)
            yield ModelGroups(table, figure, None)


def detector_groups(results: Results, dataset: str, key: str, writer: Writer) -> ModelGroups | None:
    """Detection rate of each detector and its bias; None where detection was not evaluated."""
    here = {"dataset": dataset, "method": ORIGINAL, "metric": "detection_rate"}
    measured = _by_component(results.select("measures", **here))
    if not measured:
        return None
    disparities = _by_component(results.select("disparities", **here))
    title = "Detection rate on unprotected photos"
    table = group_table(results, dataset, title, "Detector", measured)
    compared = {name: dict(tuple(rows.groupby("grouping", sort=False))) for name, rows in disparities.items()}
    gaps = bias_table(results, dataset, title, "by detector", compared)
    return ModelGroups(table, table.figure(f"{key}_detectors", writer), gaps if gaps.sections else None)


def _by_component(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Component -> its rows in the first cell that has it."""
    cells = {str(component): mine for component, mine in rows.groupby("component", sort=False)}
    return {name: mine[mine["cell_id"] == mine["cell_id"].iloc[0]] for name, mine in cells.items()}
