"""Configuration -> cells: everything that will be computed, before anything is.

A plan scans the datasets (which is cached) and builds components, but opens no model and protects nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pyarrow as pa

from unveil.config import EvaluationUse, RunConfig, Use
from unveil.core.errors import ConfigError
from unveil.core.fingerprint import cell_id, digest
from unveil.core.protocols import DatasetMeta
from unveil.core.roles import Trainable
from unveil.core.schema import OBSERVATIONS
from unveil.core.types import Cell, Pair, Sample
from unveil.datasets import index
from unveil.engine.progress import Progress, counting
from unveil.metrics.grouping import groups_of
from unveil.metrics.thresholds import parse_policy
from unveil.pipeline.attacker import Attacker
from unveil.pipeline.choice import Choice
from unveil.pipeline.components import Built, Components, build_components, observers
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
    """A cell and the components that answer it. ``models``: role -> model, in the order of the roles."""

    cell: Cell
    dataset: PlannedDataset
    method: Built
    evaluation: Built
    models: Mapping[str, Built]

    @property
    def attacker(self) -> Attacker | None:
        """Whose view of the faces it needs; None when the cell is not about faces."""
        if (detector := self.models.get("detector")) is None:
            return None
        recognizer = self.models.get("recognizer")
        if recognizer is not None and not hasattr(recognizer.component, "embed"):
            recognizer = None  # it compares pair by pair, and there is nothing to store of one face
        return Attacker(detector, self.models.get("estimator") or recognizer)


@dataclass(frozen=True, slots=True)
class Plan:
    """All cells of a run.

    Attributes:
        config: with the unprotected photos added as a method.
        components: built.
        datasets, cells: what will be computed.
        skipped: what will not, and why: one line each.
        choice: how the recognizer was chosen; None when the configuration names it.
    """

    config: RunConfig
    components: Components
    datasets: Sequence[PlannedDataset]
    cells: Sequence[PlannedCell]
    skipped: Sequence[str] = field(default_factory=list)
    choice: Choice | None = None


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
    skipped = [f"{built.label}: {built.unavailable}" for built in components.unavailable()]
    cells = [cell for dataset in datasets for cell in _cells_of_dataset(config, components, dataset, skipped)]
    return Plan(config, components, datasets, cells, list(dict.fromkeys(skipped)))


def _cells_of_dataset(
    config: RunConfig, components: Components, dataset: PlannedDataset, skipped: list[str]
) -> Iterator[PlannedCell]:
    """Method by method, the unprotected photos first."""
    setups = [
        (evaluation, threat, models)
        for use, evaluation in components.evaluations
        if not evaluation.unavailable
        for threat, models in _setups(config, components, dataset, use, evaluation, skipped)
    ]
    wanted = {
        evaluation.label: use.threat_models or evaluation.component.meta.threat_models
        for use, evaluation in components.evaluations
        if not evaluation.unavailable
    }
    methods = []
    for method in (built for built in components.methods if not built.unavailable):
        if lacking := _without_people(config, components, dataset, method):
            skipped.append(f"{method.label} on {dataset.built.label}: {lacking}")
        else:
            methods.append(method)
    for method, (evaluation, threat, models) in itertools.product(methods, setups):
        if evaluation.component.meta.originals_only and method.label != UNPROTECTED:
            continue
        calibration = evaluation.component.meta.calibration
        # Besides being needed, it is all there is for unprotected photos: a photo against itself says nothing.
        asked = (calibration,) if method.label == UNPROTECTED and calibration else wanted[evaluation.label]
        if threat not in asked:
            continue
        if evaluation.component.meta.unit == "frame" and method.component.meta.scope != "image":
            rule = f"{method.label} looks at the whole dataset, so it has no time of its own for one frame"
            skipped.append(f"{evaluation.label} on {dataset.built.label}: {rule}")
        else:
            yield _cell(config, components, dataset, method, evaluation, threat, models)


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
        hash=_contents(table, built.component.meta),
        groupings=_groupings(config.fairness.groupings, attributes, frame, built.label),
        pairs=built.component.pairs(),
    )


def _contents(table: pa.Table, meta: DatasetMeta) -> str:
    """Identity of what a dataset holds: its pictures, and the privacy attributes by which they are described."""
    pictures = index.index_hash(table)
    return digest(pictures, meta.labels) if meta.labels else pictures


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


def _without_people(config: RunConfig, components: Components, dataset: PlannedDataset, method: Built) -> str:
    """Why the run's segmenter cannot find the people that a method protects, or ``""``."""
    if "segmenter" not in method.component.meta.needs:
        return ""
    segmenter = components.model("segmenter", config.models.segmenter).component
    if segmenter.starts_from != "annotations" or "objects" in dataset.built.component.meta.has:
        return ""
    return "the dataset does not say where people are; give models.segmenter one that finds them, such as grabcut"


def _setups(
    config: RunConfig,
    components: Components,
    dataset: PlannedDataset,
    use: EvaluationUse,
    evaluation: Built,
    skipped: list[str],
) -> Iterator[tuple[str, Mapping[str, Built]]]:
    """The threat models of an evaluation with the models that carry each out; what cannot be is ``skipped``."""
    meta = evaluation.component.meta
    if unknown := set(use.threat_models) - set(meta.threat_models):
        known = ", ".join(meta.threat_models)
        raise ConfigError(f"{evaluation.label}: unknown threat model {sorted(unknown)[0]!r}; it has: {known}")
    threats = list(use.threat_models or meta.threat_models)
    if meta.calibration and meta.calibration not in threats:
        threats.append(meta.calibration)  # for the unprotected photos alone
    suits = getattr(evaluation.component, "suits", _always)
    where = f"{evaluation.label} on {dataset.built.label}"
    for chosen in itertools.product(*(observers(config, use, role) for role in meta.roles)):
        models = {role: components.model(role, model) for role, model in zip(meta.roles, chosen, strict=True)}
        if missing := [built for built in models.values() if built.unavailable]:
            skipped.append(f"{missing[0].label}: {missing[0].unavailable}")
        elif lacking := _lacking(components, config, dataset, meta.has, models):
            skipped.append(f"{where}: {lacking}")
        else:
            instances = {role: built.component for role, built in models.items()}
            suitable = [threat for threat in threats if suits(threat, instances)]
            if not suitable:
                names = "/".join(built.label for built in models.values())
                attack = ", ".join(filter(None, threats)) or "it"
                skipped.append(f"{where}: {attack} cannot be carried out with {names}")
            yield from ((threat, models) for threat in suitable)


def _always(threat_model: str, models: Mapping[str, Any]) -> bool:
    """For evaluations that any model can carry out."""
    return True


def _lacking(
    components: Components,
    config: RunConfig,
    dataset: PlannedDataset,
    has: frozenset[str],
    models: Mapping[str, Built],
) -> str:
    """What a dataset lacks for an evaluation with these models, or ``""``."""
    missing = _needed(has, models) - dataset.built.component.meta.has
    if missing == {"objects"}:
        reference = components.models.get(("object_detector", config.models.reference_detector.label))
        if reference is not None:
            return reference.unavailable and f"the dataset has no boxes, and {reference.unavailable}"
    return (missing and f"the dataset has no {', '.join(sorted(missing))}") or ""


def _needed(has: frozenset[str], models: Mapping[str, Built]) -> frozenset[str]:
    """What a dataset must have for an evaluation with these models, some of which may have to learn from it."""
    needed = set(has)
    for role, built in models.items():
        if isinstance(built.component, Trainable):
            needed |= {"splits", "labels"} if role == "classifier" else {"splits", "objects"}
    return frozenset(needed)


def _cell(
    config: RunConfig,
    components: Components,
    dataset: PlannedDataset,
    method: Built,
    evaluation: Built,
    threat: str,
    models: Mapping[str, Built],
) -> PlannedCell:
    component = "/".join(model.label for model in models.values())
    identities = {role: model.fingerprint for role, model in models.items()}
    if "objects" in _needed(evaluation.component.meta.has, models) - dataset.built.component.meta.has:
        reference = components.model("object_detector", config.models.reference_detector)
        identities["reference_detector"] = reference.fingerprint
    cell = Cell(
        id=cell_id(
            dataset=dataset.hash,
            method=method.fingerprint,
            evaluation=evaluation.fingerprint,
            components=identities,
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
    return PlannedCell(cell, dataset, method, evaluation, models)
