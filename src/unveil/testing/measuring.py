"""The promises of evaluations and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from unveil import registry
from unveil.core.fingerprint import rng
from unveil.core.protocols import EvaluationMeta
from unveil.core.schema import OBSERVATIONS
from unveil.testing.rules import check_documented, check_meta, check_parameters, expect, owner

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["ok", "not_acquired", "not_protected", "error"]

STATUSES: tuple[Status, ...] = ("ok", "not_acquired", "not_protected", "error")
"""What can have become of one picture."""

_ROLES = (("detector",), ("detector", "recognizer"))
_GROUPS = {"Female": (0, 1, 2, 3), "Male": (4, 5, 6), "Other": (7,)}
_PHOTOS = 4
_DIMENSION = 6


def check_evaluation(evaluation: Any) -> None:
    """Check an evaluation under each of its threat models, on synthetic templates of every status.

    It must plan the same units for the same random stream, and observe one row per unit, always: also when
    no face was found anywhere, when no picture was protected, and when every component broke.

    Args:
        evaluation: an instance.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_documented(evaluation)
    check_parameters(evaluation)
    meta = _check_meta(evaluation)
    samples = _samples()
    for threat_model in meta.threat_models:
        units = _check_units(evaluation, samples, threat_model)
        mixed = rng("statuses", threat_model).choice(STATUSES, len(samples), p=(0.7, 0.1, 0.1, 0.1))
        for statuses in (mixed, *(np.full(len(samples), status) for status in STATUSES)):
            context = _Context(samples, statuses)
            _check_observations(evaluation, units, threat_model, context)


def check_metric(metric: Any) -> None:
    """Check what a metric says about itself.

    Args:
        metric: a ready metric, as the registry's table names it.

    Raises:
        AssertionError: says which promise is broken.
    """
    from unveil.metrics.meta import MetricMeta

    meta = check_meta(metric, MetricMeta)
    expect(bool(meta.title.strip()) and bool(meta.unit.strip()), metric, f"{meta.name}: meta.title and meta.unit")
    expect(isinstance(meta.higher_is_better, bool), metric, f"{meta.name}: meta.higher_is_better is true or false")
    shares = not meta.name.endswith("_rate") or meta.unit == "share"
    expect(shares, metric, f"{meta.name}: only a share in [0, 1] is called a rate")
    expect(callable(getattr(metric, "value", None)), metric, f"{meta.name}: needs value(frame)")


def _check_meta(evaluation: Any) -> EvaluationMeta:
    meta: EvaluationMeta = check_meta(evaluation, EvaluationMeta)
    expect(meta.roles in _ROLES, evaluation, f"meta.roles must be one of {_ROLES}, not {meta.roles!r}")
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
    expect(set(units["sample_id"]) <= set(samples.index), evaluation, "sample_id must name samples")
    again = evaluation.units(samples, threat_model, [], rng("units"))
    expect(units.equals(again), evaluation, "units must be the same for the same random stream")
    return units


def _check_observations(evaluation: Any, units: pd.DataFrame, threat_model: str, context: _Context) -> None:
    given = units.copy()
    observed: pd.DataFrame = evaluation.observe(given, threat_model, context)
    where = f"under {threat_model!r}: " if threat_model else ""
    expect(given.equals(units), evaluation, f"{where}observe wrote into the units")
    same = sorted(observed["unit_id"]) == sorted(units["unit_id"])
    expect(same, evaluation, f"{where}observe must give one row per unit: {len(observed)} for {len(units)}")
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
    expect(observed.equals(again), evaluation, f"{where}another answer when observed again")


def _samples() -> pd.DataFrame:
    """Eight people of three groups with four photos each, and one person with a single photo."""
    import pandas as pd

    rows = [
        (f"{group}/{person}/{photo}.png", f"person_{person}", group)
        for group, people in _GROUPS.items()
        for person in people
        for photo in range(_PHOTOS)
    ]
    rows.append(("Female/8/0.png", "person_8", "Female"))
    ids, identity, group = zip(*rows, strict=True)
    columns = {"identity": identity, "split": "", "content_hash": ids, "gender": group, "demographic_group": group}
    return pd.DataFrame(columns, index=pd.Index(ids, name="sample_id"))


class _Templates:
    """Faces of given statuses (:class:`unveil.core.protocols.Templates`)."""

    def __init__(self, samples: pd.DataFrame, statuses: NDArray[Any], noise: float) -> None:
        import pandas as pd

        ok = statuses == "ok"
        facts = {
            "status": statuses,
            "reason": np.where(ok, "", "synthetic"),
            "n_faces": ok.astype(np.int32),
            "score": np.where(ok, np.float32(0.9), np.float32("nan")),
            "face_area": np.where(ok, np.float32(0.5), np.float32("nan")),
        }
        self.faces = pd.DataFrame(facts, index=samples.index)
        rows = [_embedding(i, who, noise) for i, who in samples["identity"].items()]
        self._vectors = np.where(ok[:, None], np.asarray(rows, np.float32), np.float32("nan"))

    def vectors(self, sample_ids: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings (n, 6); NaN where there is no face."""
        return self._vectors[self.faces.index.get_indexer(list(sample_ids))]


def _embedding(sample_id: Any, identity: str, noise: float) -> NDArray[np.float64]:
    centre = rng("person", identity).normal(size=_DIMENSION)
    return centre + noise * rng("photo", sample_id, noise).normal(size=_DIMENSION)


class _Context:
    """What an evaluation may ask for (:class:`unveil.core.protocols.EvaluationContext`)."""

    distance: Literal["cosine", "euclidean"] = "cosine"
    method = "synthetic"

    def __init__(self, samples: pd.DataFrame, statuses: NDArray[Any]) -> None:
        self.samples = samples
        # Originals are never unprotected, and neither lose all faces when the method broke.
        seen = np.where(statuses == "not_acquired", "not_acquired", "ok")
        self._versions = {
            "original": _Templates(samples, seen, 0.1),
            "protected": _Templates(samples, statuses, 0.5),
        }

    def templates(self, version: Literal["original", "protected"]) -> _Templates:
        """Faces of one version."""
        return self._versions[version]

    def rng(self, *key: str) -> np.random.Generator:
        """Random stream of a key."""
        return rng("context", *key)
