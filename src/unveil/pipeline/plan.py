"""Configuration -> cells: everything that will be computed, before anything is.

A plan scans the datasets (which is cached) and builds components, but opens no model and protects nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pyarrow as pa

from unveil.config import EvaluationUse, RunConfig, Use
from unveil.core.errors import ConfigError
from unveil.core.fingerprint import cell_id
from unveil.core.schema import OBSERVATIONS
from unveil.core.types import Cell, Pair, Sample
from unveil.datasets import index
from unveil.engine.progress import Progress, counting
from unveil.metrics.grouping import groups_of
from unveil.metrics.thresholds import parse_policy
from unveil.pipeline.components import Built, Components, build_components
from unveil.pipeline.protect import UNPROTECTED
from unveil.store.artifacts import Artifacts


@dataclass(frozen=True, slots=True)
class PlannedDataset:
    """A scanned dataset.

    Attributes:
        built: the component.
        table: its samples table.
        frame: readable samples, with ``demographic_group``.
        samples: the same as values, in the table's order.
        hash: identity of the contents.
        groupings: attributes, and products of them, by which people are compared.
        pairs: prescribed pairs.
    """

    built: Built
    table: pa.Table
    frame: pd.DataFrame
    samples: Sequence[Sample]
    hash: str
    groupings: tuple[str, ...]
    pairs: Sequence[Pair]


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """A cell and the components that answer it; ``recognizer`` is None when faces are only detected."""

    cell: Cell
    dataset: PlannedDataset
    method: Built
    evaluation: Built
    detector: Built
    recognizer: Built | None


@dataclass(frozen=True, slots=True)
class Plan:
    """All cells of a run.

    Attributes:
        config: with the unprotected photos added as a method.
        components: built.
        datasets, cells: what will be computed.
        skipped: what will not, and why: one line each.
    """

    config: RunConfig
    components: Components
    datasets: Sequence[PlannedDataset]
    cells: Sequence[PlannedCell]
    skipped: Sequence[str] = field(default_factory=list)


def make_plan(config: RunConfig, artifacts: Artifacts, progress: Progress, methods: Sequence[Any] = ()) -> Plan:
    """Scan the datasets and list the cells.

    Raises:
        ConfigError: a wrong setting; DataError: a dataset without its layout.
    """
    config = _with_original(config)
    components = build_components(config, methods)
    _check_thresholds(components)
    evaluations = [built for _, built in components.evaluations if not built.unavailable]
    datasets = [
        _scan(built, config, artifacts, progress, evaluations)
        for built in components.datasets
        if not built.unavailable
    ]
    cells: list[PlannedCell] = []
    skipped = [f"{built.label}: {built.unavailable}" for built in components.unavailable()]
    for dataset, method in itertools.product(datasets, components.methods):
        if method.unavailable:
            continue
        for use, evaluation in components.evaluations:
            if evaluation.unavailable:
                continue
            if missing := evaluation.component.meta.has - dataset.built.component.meta.has:
                skipped.append(
                    f"{evaluation.label} on {dataset.built.label}: the dataset has no {', '.join(missing)}"
                )
                continue
            cells.extend(_cells(config, components, dataset, method, use, evaluation))
    return Plan(config, components, datasets, cells, list(dict.fromkeys(skipped)))


def _check_thresholds(components: Components) -> None:
    """Thresholds are applied after everything is observed: too late to learn that one is misspelt."""
    for _, built in components.evaluations:
        if built.unavailable or not built.component.meta.calibration:
            continue
        for point in built.component.operating_points:
            try:
                parse_policy(point)
            except ValueError as error:
                raise ConfigError(f"{built.label}.thresholds: {error}") from error


def _with_original(config: RunConfig) -> RunConfig:
    """Every judgement of a method needs the unprotected photos beside it, first in line."""
    others = tuple(use for use in config.methods if use.label != UNPROTECTED)
    return config.model_copy(update={"methods": (Use(use=UNPROTECTED), *others)})


def _taken(evaluations: Sequence[Built]) -> set[str]:
    """Names that attributes cannot have, because they are joined to observations."""
    declared = {name for built in evaluations for name in built.component.meta.columns}
    return {*OBSERVATIONS.names, *declared, "outcome", "demographic_group"}


def _scan(
    built: Built, config: RunConfig, artifacts: Artifacts, progress: Progress, evaluations: Sequence[Built]
) -> PlannedDataset:
    with progress.step(f"reading {built.label}", 0, "photos") as advance:
        table = index.scan(built.component, cache=artifacts.root, progress=counting(advance), name=built.label)
    frame = index.samples_frame(table)
    frame = frame[frame["status"] == "ok"].drop(columns=["dataset", "status", "reason", "detail"])
    if clash := sorted(set(frame.columns) & _taken(evaluations)):
        rule = "observations have a column of that name; call it otherwise or leave it out with `attributes`"
        raise ConfigError(f"{built.label}: {clash[0]!r} cannot be an attribute: {rule}")
    attributes = [name for name in built.component.meta.groupings if name in frame]
    frame["demographic_group"] = groups_of(frame, "+".join(attributes)).fillna("") if attributes else ""
    readable = table.filter(pa.compute.equal(table["status"], "ok"))
    return PlannedDataset(
        built=built,
        table=table,
        frame=frame,
        samples=index.to_samples(readable),
        hash=index.index_hash(table),
        groupings=_groupings(config.fairness.groupings, attributes, frame, built.label),
        pairs=built.component.pairs(),
    )


def _groupings(
    wanted: Sequence[str], attributes: Sequence[str], frame: pd.DataFrame, label: str
) -> tuple[str, ...]:
    if not wanted:
        product = ["+".join(attributes)] if len(attributes) > 1 else []
        return (*attributes, *product)
    for grouping in wanted:
        for name in grouping.split("+"):
            if name not in frame:
                known = ", ".join(attributes) or "none"
                raise ConfigError(f"fairness.groupings: {label!r} has no attribute {name!r}; it has: {known}")
    return tuple(wanted)


def _cells(
    config: RunConfig,
    components: Components,
    dataset: PlannedDataset,
    method: Built,
    use: EvaluationUse,
    evaluation: Built,
) -> Iterator[PlannedCell]:
    meta = evaluation.component.meta
    if unknown := set(use.threat_models) - set(meta.threat_models):
        known = ", ".join(meta.threat_models)
        raise ConfigError(f"{evaluation.label}: unknown threat model {sorted(unknown)[0]!r}; it has: {known}")
    detectors = use.detector or config.models.detector
    recognizers = (use.recognizer or config.models.recognizer) if "recognizer" in meta.roles else (None,)
    threats = use.threat_models or meta.threat_models
    if method.label == UNPROTECTED and meta.calibration:
        # Besides being needed, it is all there is: a photo against itself says nothing.
        threats = (meta.calibration,)
    for threat, detecting, recognizing in itertools.product(threats, detectors, recognizers):
        detector = components.model("detector", detecting)
        recognizer = components.model("recognizer", recognizing) if recognizing else None
        if detector.unavailable or (recognizer and recognizer.unavailable):
            continue
        models = {"detector": detector, "recognizer": recognizer} if recognizer else {"detector": detector}
        component = "/".join(model.label for model in models.values())
        cell = Cell(
            id=cell_id(
                dataset=dataset.hash,
                method=method.fingerprint,
                evaluation=evaluation.fingerprint,
                components={role: model.fingerprint for role, model in models.items()},
                threat_model=threat,
                seed=config.seed,
                names=(dataset.built.label, method.label, evaluation.label, component),
            ),
            dataset=dataset.built.label,
            method=method.label,
            evaluation=evaluation.label,
            component=component,
            threat_model=threat,
        )
        yield PlannedCell(cell, dataset, method, evaluation, detector, recognizer)
