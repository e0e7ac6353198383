"""The promises of evaluations and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from unveil import registry
from unveil.core.fingerprint import rng
from unveil.core.protocols import EvaluationMeta
from unveil.core.schema import OBSERVATIONS
from unveil.testing.faces import MODELS_OF_FACES, STATUSES, Faces, face_samples
from unveil.testing.rules import check_documented, check_meta, check_parameters, expect, owner
from unveil.testing.scenes import FATES, MODELS, Scenes, scene_samples

if TYPE_CHECKING:
    import pandas as pd

_SCENES = 24
_MANY = ("label", "box", "person")  # units of which a picture has as many as are found in it


def check_evaluation(evaluation: Any) -> None:
    """Check an evaluation under each of its threat models, on synthetic faces or scenes of every status.

    It must plan the same units for the same random stream, and observe one row per unit, always: also when
    no face was found anywhere, when no picture was protected, and when every component broke. Where a picture
    has many units, each must be a row of its own, and no picture may go missing because something broke.

    Args:
        evaluation: an instance.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_documented(evaluation)
    check_parameters(evaluation)
    meta = _check_meta(evaluation)
    samples = face_samples() if _of_faces(meta) else scene_samples(_SCENES)
    for threat_model in meta.threat_models:
        units = _check_units(evaluation, samples, threat_model)
        for context in _contexts(meta, samples, threat_model):
            _check_observations(evaluation, units, threat_model, context)
    if callable(suits := getattr(evaluation, "suits", None)):
        known = {**MODELS, **MODELS_OF_FACES}
        models = {role: known[role] for role in meta.roles if role in known}
        answers = [suits(threat_model, models) for threat_model in meta.threat_models]
        expect(True in answers, evaluation, "suits must allow some threat model to a model that does not learn")


def check_metric(metric: Any) -> None:
    """Check what a metric says about itself, and that it can be counted, grouped and resampled.

    Args:
        metric: a ready :class:`unveil.metrics.kind.Metric`, as the registry's table names it.

    Raises:
        AssertionError: says which promise is broken.
    """
    from unveil.metrics.meta import MetricMeta

    meta = check_meta(metric, MetricMeta)
    expect(bool(meta.title.strip()) and bool(meta.unit.strip()), metric, f"{meta.name}: meta.title and meta.unit")
    expect(isinstance(meta.higher_is_better, bool), metric, f"{meta.name}: meta.higher_is_better is true or false")
    shares = not meta.name.endswith("_rate") or meta.unit == "share"
    expect(shares, metric, f"{meta.name}: only a share in [0, 1] is called a rate")
    facet = meta.facet == "" or meta.facet in meta.reads
    expect(facet, metric, f"{meta.name}: the column {meta.facet!r} of meta.facet must be among meta.reads")
    expect(isinstance(meta.by_group, bool), metric, f"{meta.name}: meta.by_group is true or false")
    for name in ("population", "denominator", "columns", "value", "assess"):
        expect(callable(getattr(metric, name, None)), metric, f"{meta.name}: needs {name}, a function")
    for name in ("proportion", "by_row"):
        expect(isinstance(getattr(metric, name, None), bool), metric, f"{meta.name}: {name} is true or false")
    size = getattr(metric, "replicates", None)
    expect(isinstance(size, int) and size > 0, metric, f"{meta.name}: replicates must be at least 1, not {size!r}")
    _check_nothing(metric, meta.reads)


def _check_nothing(metric: Any, reads: Sequence[str]) -> None:
    """Without a single row there is no value, and no exception either."""
    import pandas as pd

    from unveil.metrics.grouping import disaggregate

    nothing = pd.DataFrame({name: pd.Series(dtype=object) for name in ("status", "identity", *reads)})
    estimate = disaggregate(metric, nothing, "", rng=rng("nothing"), replicates=10).overall
    expect(bool(np.isnan(estimate.value)), metric, f"{metric.meta.name}: no row, but the value {estimate.value}")
    expect(estimate.n == 0, metric, f"{metric.meta.name}: no row, but n = {estimate.n}")


def _of_faces(meta: EvaluationMeta) -> bool:
    """Whether it is an evaluation of faces, which have been looked for; else of whole pictures."""
    return "detector" in meta.roles


def _check_meta(evaluation: Any) -> EvaluationMeta:
    meta: EvaluationMeta = check_meta(evaluation, EvaluationMeta)
    roles = ("detector", *MODELS_OF_FACES) if _of_faces(meta) else tuple(MODELS)
    right = set(meta.roles) <= set(roles) and len(set(meta.roles)) == len(meta.roles)
    expect(
        right, evaluation, f"meta.roles must be some of {', '.join(roles)}, or (), each once, not {meta.roles!r}"
    )
    distinct = len(set(meta.threat_models)) == len(meta.threat_models) > 0
    expect(distinct, evaluation, "meta.threat_models must be distinct; ('',) without an attacker")
    known = meta.calibration in ("", *meta.threat_models)
    expect(known, evaluation, f"meta.calibration must be one of its threat models, not {meta.calibration!r}")
    taken = sorted(set(meta.columns) & set(OBSERVATIONS.names))
    expect(not taken, evaluation, f"every observation has a column {taken[:1]} anyway")
    for name in (*meta.metrics, *meta.baseline_metrics):
        expect(
            name in registry.specs("metrics"), evaluation, f"meta.metrics names {name!r}, which is not registered"
        )
    points = evaluation.operating_points
    right = isinstance(points, tuple) and bool(points) and len(set(points)) == len(points)
    expect(right, evaluation, "operating_points must be distinct, and ('',) when there is nothing to decide")
    return meta


def _check_units(evaluation: Any, samples: pd.DataFrame, threat_model: str) -> pd.DataFrame:
    before = samples.copy()
    units: pd.DataFrame = evaluation.units(samples, threat_model, [], rng("units"))
    expect(samples.equals(before), evaluation, "units wrote into the samples")
    for name in ("unit_id", "sample_id"):
        expect(name in units, evaluation, f"units must have the column {name!r}")
    expect(len(units) > 0, evaluation, f"planned no unit under {threat_model!r} for {len(samples)} photos")
    expect(units["unit_id"].is_unique, evaluation, "unit_id must be unique")
    named = {""} if evaluation.meta.unit == "frame" else set(samples.index)
    expect(set(units["sample_id"]) <= named, evaluation, "sample_id must name samples; '' for a frame")
    again = evaluation.units(samples, threat_model, [], rng("units"))
    expect(units.equals(again), evaluation, "units must be the same for the same random stream")
    return units


def _contexts(meta: EvaluationMeta, samples: pd.DataFrame, threat_model: str) -> Iterator[Faces | Scenes]:
    """Some of each status, then everything of one; scenes also as the unprotected photos are observed."""
    stream, size = rng("statuses", threat_model), len(samples)
    if _of_faces(meta):
        mixed = stream.choice(STATUSES, size, p=(0.7, 0.1, 0.1, 0.1))
        yield from (Faces(samples, states) for states in (mixed, *(np.full(size, state) for state in STATUSES)))
        return
    mixed = stream.choice(FATES, size, p=(0.6, 0.2, 0.2))
    yield from (Scenes(samples, fates) for fates in (mixed, *(np.full(size, fate) for fate in FATES)))
    yield Scenes(samples, np.full(size, "ok"), "original")


def _check_observations(evaluation: Any, units: pd.DataFrame, threat_model: str, context: Faces | Scenes) -> None:
    given = units.copy()
    observed: pd.DataFrame = evaluation.observe(given, threat_model, context)
    where = f"under {threat_model!r}: " if threat_model else ""
    expect(given.equals(units), evaluation, f"{where}observe wrote into the units")
    if evaluation.meta.unit in _MANY:
        _check_many(evaluation, units, observed, where)
    else:
        same = sorted(observed["unit_id"]) == sorted(units["unit_id"])
        expect(same, evaluation, f"{where}observe must give one row per unit: {len(observed)} for {len(units)}")
    if isinstance(context, Faces) and evaluation.meta.unit in (*_MANY, "image"):
        _check_faces(evaluation, units, observed, where, context)
    odd = sorted(set(observed["status"]) - set(STATUSES))
    expect(not odd, evaluation, f"{where}a status is one of {', '.join(STATUSES)}, not {odd[:1]}")
    explained = (observed["reason"] != "") | (observed["status"] != "error")
    expect(bool(explained.all()), evaluation, f"{where}an error needs a reason")
    for name, kind in evaluation.meta.columns.items():
        expect(name in observed, evaluation, f"{where}the column {name!r} of meta.columns is missing")
        try:
            pa.Array.from_pandas(observed[name], type=kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise AssertionError(f"{owner(evaluation)}: {where}column {name!r} is no {kind}: {error}") from error
    again = evaluation.observe(units.copy(), threat_model, context)
    if isinstance(context, Scenes) and evaluation.meta.unit != "frame":
        _check_fates(evaluation, units, observed, where, context)
    if evaluation.meta.unit == "frame":  # the clock runs on
        observed, again = (frame.select_dtypes(exclude="floating") for frame in (observed, again))
    expect(observed.equals(again), evaluation, f"{where}another answer when observed again")


def _check_many(evaluation: Any, units: pd.DataFrame, observed: pd.DataFrame, where: str) -> None:
    expect(observed["unit_id"].is_unique, evaluation, f"{where}unit_id must be unique")
    foreign = sorted(set(observed["sample_id"]) - set(units["sample_id"]))
    expect(not foreign, evaluation, f"{where}observed pictures that were not planned: {foreign[:1]}")


def _check_faces(evaluation: Any, units: pd.DataFrame, observed: pd.DataFrame, where: str, faces: Faces) -> None:
    """A face stays in the table whatever became of it, and one that was left unprotected stays exposed."""
    missing = sorted(set(units["sample_id"]) - set(observed["sample_id"]))
    expect(not missing, evaluation, f"{where}no row for the planned picture {missing[:1]}")
    states = faces.templates("protected").faces["status"]
    told = set(observed["status"][observed["sample_id"].isin(states.index[states == "not_protected"])])
    rule = "where the method gave no picture, the rows are not_protected"
    expect(told <= {"not_protected"}, evaluation, f"{where}{rule}: {told}")


def _check_fates(evaluation: Any, units: pd.DataFrame, observed: pd.DataFrame, where: str, scenes: Scenes) -> None:
    """What the rows of a scene say of its fate."""
    statuses = observed.groupby("sample_id")["status"].agg(set).to_dict()
    for sample_id in units["sample_id"]:
        told = statuses.get(sample_id, set())
        if scenes.fates[sample_id] == "undecodable":
            expect(told == {"error"}, evaluation, f"{where}a picture that cannot be read must be an error: {told}")
        elif scenes.fates[sample_id] == "not_protected":
            right = told <= {"not_protected"}
            expect(
                right, evaluation, f"{where}where the method gave no picture, the rows are not_protected: {told}"
            )
