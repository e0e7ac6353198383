"""Observations -> measures -> disparities. Always computed anew from the stored rows, so never stale."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pyarrow as pa

from unveil import registry
from unveil.core.fingerprint import digest
from unveil.core.protocols import Source
from unveil.core.schema import DISPARITIES, MEASURES
from unveil.core.types import Cell
from unveil.engine.progress import Progress
from unveil.metrics.grouping import Crowd, Estimate
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import decide_by_rank
from unveil.metrics.ranking import fold_accuracy
from unveil.metrics.rates import OBFUSCATION_SUCCESS_RATE_OVERALL, PASSING_RATE
from unveil.metrics.thresholds import Threshold
from unveil.pipeline.decide import Thresholds, calibrated, decided
from unveil.pipeline.execute import finished
from unveil.pipeline.fid_success import success_rows, unchanged
from unveil.pipeline.measure import Measurer, Rows
from unveil.pipeline.plan import Plan, PlannedCell, PlannedDataset
from unveil.pipeline.practicality import practicality_rows, undefined
from unveil.pipeline.protect import UNPROTECTED
from unveil.store.run import RunStore

CMC_RANKS = 20
"""Length of the cumulative match characteristic that is kept."""

Passing = Mapping[tuple[str, str], float]

_THRESHOLD = MetricMeta(
    "threshold", 1, "Threshold", ("similarity",), False, "similarity", Source("docs/definitions.md, thresholds")
)
_FOLDS = MetricMeta(
    "fold_accuracy",
    1,
    "Accuracy over the dataset's folds",
    ("similarity", "mated", "fold"),
    False,
    "share",
    Source("Huang et al., Labeled Faces in the Wild, technical report 07-49 (2007)"),
)


def reduce(plan: Plan, store: RunStore, progress: Progress) -> list[str]:
    """Write the measures and disparities of every finished cell of a plan.

    Returns:
        What could not be measured, and why: one line each.
    """
    rows, warnings = measured(plan, store, progress)
    store.write(pa.Table.from_pylist(rows.measures, schema=MEASURES), "measures", "measures")
    store.write(pa.Table.from_pylist(rows.disparities, schema=DISPARITIES), "disparities", "disparities")
    return warnings


def measured(plan: Plan, store: RunStore, progress: Progress) -> tuple[Rows, list[str]]:
    """The measures and disparities of every finished cell of a plan, and what could not be measured."""
    rows = Rows()
    reduction = _Reduction(plan, store, rows)
    with progress.step("measuring", len(plan.cells), "cells") as tell:
        for dataset in plan.datasets:
            cells = [cell for cell in plan.cells if cell.dataset is dataset]
            # Unprotected photos first: they calibrate the thresholds of the others.
            for planned in sorted(cells, key=lambda cell: cell.method.label != UNPROTECTED):
                reduction.passing_rates(planned)  # also of methods whose attacks failed: nobody just disappears
                if finished(store, planned):
                    reduction.cell(planned)
                tell(1)
            compared = list(practicality_rows(plan.config.practicality, dataset.built.label, rows.measures))
            rows.measures += compared
            reduction.warnings += undefined(compared)
    successes, biases = success_rows(rows.measures, plan.config.fairness)
    rows.measures += successes
    rows.disparities += biases
    reduction.warnings += unchanged(rows.measures)
    return rows, list(dict.fromkeys(reduction.warnings))


class _Reduction:
    """What is known while the cells go by: passing rates and thresholds."""

    def __init__(self, plan: Plan, store: RunStore, rows: Rows) -> None:
        self.plan = plan
        self.store = store
        self.rows = rows
        self._protections = store.read("protections")
        self._passing: dict[tuple[str, str], Passing] = {}
        self._thresholds: dict[tuple[str, str, str], Thresholds] = {}
        self.warnings: list[str] = []

    def cell(self, planned: PlannedCell) -> None:
        """Measure one cell at all its operating points."""
        cell, evaluation = planned.cell, planned.evaluation.component
        rows = self.store.read("observations", f"evaluation={cell.evaluation}", cell.id)
        if "side" in rows:
            rows = rows[rows["side"] == "probe"]  # the gallery is the attacker's, and no attempt
        frame = rows.join(planned.dataset.frame, on="sample_id")
        passing, crowd = self.passing_rates(planned), Crowd.of(frame, planned.dataset.groupings)
        metrics = [registry.load(registry.find("metrics", name)) for name in evaluation.meta.metrics]
        if cell.method == UNPROTECTED:
            metrics += [registry.load(registry.find("metrics", name)) for name in evaluation.meta.baseline_metrics]
            if cell.threat_model == evaluation.meta.calibration and evaluation.meta.calibration:
                self._calibrate(planned, frame, passing, crowd)
        thresholds = self._thresholds.get(_attack(cell), {})
        if evaluation.meta.calibration and not thresholds:
            names = f"{cell.evaluation} on {cell.dataset} by {cell.component}"
            self.warnings.append(f"{names}: no threshold, because the attack on the original photos failed")
        for point, outcomes in decided(planned, frame, thresholds):
            measurer = self._measurer(planned, point, passing, crowd)
            for metric in metrics:
                measurer.measure(metric, outcomes, self.rows)
            # The rest knows no decision: it is the same at every operating point.
            metrics = [metric for metric in metrics if {"outcome", "similar"} & set(metric.meta.reads)]
        if "rank" in frame:
            self._cmc(planned, frame, passing, crowd)

    def _measurer(self, planned: PlannedCell, point: str, passing: Passing, crowd: Crowd) -> Measurer:
        config = self.plan.config
        return Measurer(
            planned.cell, point, planned.dataset.groupings, config.fairness, config.seed, passing, crowd
        )

    def passing_rates(self, planned: PlannedCell) -> Passing:
        """Passing rates of the cell's method by grouping and group, measured once."""
        key = (planned.cell.dataset, planned.cell.method)
        if key not in self._passing:
            self._passing[key] = self._measure_passing(planned.dataset, planned)
        return self._passing[key]

    def _measure_passing(self, dataset: PlannedDataset, planned: PlannedCell) -> Passing:
        label, method = planned.cell.dataset, planned.cell.method
        table = self._protections
        mine = table[(table["dataset"] == label) & (table["method"] == method)]
        frame = mine.join(dataset.frame, on="sample_id")
        frame["status"] = frame["status"].where(frame["status"] == "ok", "not_protected")
        identity = digest("protection", dataset.hash, planned.method.fingerprint, self.plan.config.seed, length=16)
        cell = Cell(identity, label, method, "protection", "", "")
        rows = Rows()
        config = self.plan.config
        crowd = Crowd.of(frame, dataset.groupings)
        Measurer(cell, "", dataset.groupings, config.fairness, config.seed, {}, crowd).measure(
            PASSING_RATE, frame, rows
        )
        passing = {(row["grouping"], row["group"]): row["value"] for row in rows.measures}
        for row in rows.measures:
            row["passing_rate"] = row["value"]
        self.rows.measures += rows.measures
        self.rows.disparities += rows.disparities
        return passing

    def _calibrate(self, planned: PlannedCell, frame: pd.DataFrame, passing: Passing, crowd: Crowd) -> None:
        thresholds = calibrated(planned, frame, datetime.now(UTC).date().isoformat())
        self._thresholds[_attack(planned.cell)] = thresholds
        for point, by_group in thresholds.items():
            measurer = self._measurer(planned, point, passing, crowd)
            for threshold in by_group.values():
                self.rows.measures.append(_threshold_row(measurer, threshold, planned.dataset))
        if (frame["fold"] >= 0).any():
            self._folds(self._measurer(planned, "folds", passing, crowd), frame)

    def _folds(self, measurer: Measurer, frame: pd.DataFrame) -> None:
        used = frame[frame["status"] == "ok"]
        accuracy = fold_accuracy(used["similarity"], used["mated"], used["fold"])
        margin = 1.96 * accuracy.standard_error
        low, high = accuracy.mean - margin, accuracy.mean + margin
        people = used["identity"].nunique()
        estimate = Estimate("", accuracy.mean, low, high, len(used), people, len(frame) - len(used))
        self.rows.measures.append(measurer.row(_FOLDS, "", estimate, "mean over folds, 1.96 standard errors"))

    def _cmc(self, planned: PlannedCell, frame: pd.DataFrame, passing: Passing, crowd: Crowd) -> None:
        """OSR at every rank: 1 minus the cumulative match characteristic."""
        known = {row["operating_point"] for row in self.rows.measures if row["cell_id"] == planned.cell.id}
        everybody = Rows()
        for rank in range(1, min(CMC_RANKS, int(frame["gallery_size"].max() or 1)) + 1):
            if (point := f"rank_{rank}") in known:
                continue
            outcomes = frame.assign(outcome=decide_by_rank(frame, rank))
            config = self.plan.config
            measurer = Measurer(planned.cell, point, (), config.fairness, config.seed, passing, crowd)
            measurer.measure(OBFUSCATION_SUCCESS_RATE_OVERALL, outcomes, everybody)
        self.rows.measures += everybody.measures


def _attack(cell: Cell) -> tuple[str, str, str]:
    return cell.dataset, cell.evaluation, cell.component


def _threshold_row(measurer: Measurer, threshold: Threshold, dataset: PlannedDataset) -> dict[str, Any]:
    attributes = [name for name in dataset.built.component.meta.groupings if name in dataset.frame]
    estimate = Estimate(
        threshold.group,
        threshold.value,
        float("nan"),
        float("nan"),
        threshold.n_mated + threshold.n_non_mated,
        0,
        0,
    )
    grouping = "+".join(attributes) if threshold.group else ""
    return measurer.row(_THRESHOLD, grouping, estimate, threshold.to_json())
