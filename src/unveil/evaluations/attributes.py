"""What does an estimator say of a face before and after protection: age, gender, head pose, expression?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import EvaluationMeta, FaceContext, Source, Templates
from unveil.core.roles import Kind
from unveil.core.types import Pair, Value
from unveil.evaluations.preservation import preserved, spelled, understood

_NOT_TOLD = "not_told"


class Attributes:
    """Compares what an estimator says of the protected face with what it says of the original, and with the truth.

    One row per picture and attribute of the estimator. ``preserved`` is the agreement of both
    (:func:`unveil.evaluations.preservation.preserved`); ``true_value`` is the dataset's attribute of that name,
    where it has one, and ``correct`` and ``correct_original`` are the agreement of each with it, by the same
    formula. Words are compared as they are, but for their case: the truth ``M`` is not ``Male``, and a range of
    ages is no age (NaN). How sure the estimator is (kind ``confidence``) is not compared.
    """

    meta = EvaluationMeta(
        name="attributes",
        version=1,
        dimension="privacy",
        unit="label",
        roles=("detector", "estimator"),
        threat_models=("",),
        has=frozenset(),
        columns={
            "attribute": pa.string(),
            "kind": pa.string(),
            "told_original": pa.string(),
            "told_protected": pa.string(),
            "preserved": pa.float32(),
            "true_value": pa.string(),
            "correct": pa.float32(),
            "correct_original": pa.float32(),
        },
        metrics=("attribute_preserving_rate", "attribute_accuracy", "attribute_exposure"),
        source=Source("FairDeFace, attribute analysis: Tables VIII and XI to XIV"),
    )

    operating_points = ("",)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture; each becomes one row per attribute."""
        return pd.DataFrame({"unit_id": samples.index, "sample_id": samples.index})

    def observe(self, units: pd.DataFrame, threat_model: str, context: FaceContext) -> pd.DataFrame:
        """Values as text (``""`` where there is none), and how well they agree (NaN where that is not known).

        Without a value of the original a row is an ``error``, as there is nothing that could be preserved; only
        a picture that the method failed on stays ``not_protected`` all the same.
        """
        kinds = {name: kind for name, kind in context.model("estimator").kinds.items() if kind != "confidence"}
        ids = units["sample_id"].tolist()
        originals, protected = (_read(context.templates(version), ids) for version in ("original", "protected"))
        rows = [
            {"unit_id": f"{sample_id}#{name}", "sample_id": sample_id, "attribute": name, "kind": kind, **values}
            for sample_id, before, after in zip(ids, originals, protected, strict=True)
            for name, kind in kinds.items()
            for values in [_row(kind, before.of(name), after.of(name), _truth(context.samples, sample_id, name))]
        ]
        columns = ("unit_id", "sample_id", "status", "reason", *self.meta.columns)
        frame = pd.DataFrame(rows, columns=columns)
        numbers = {name: np.float32 for name, kind in self.meta.columns.items() if kind == pa.float32()}
        return frame.astype(numbers)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is known of one attribute, or of all of them: ``status`` and ``reason`` as of the face."""

    status: str
    reason: str
    values: Mapping[str, Value]

    def of(self, name: str) -> _Told:
        """One attribute: a face of which the estimator does not tell it is, in this respect, none at all."""
        if self.status == "ok" and name not in self.values:
            return _Told("not_acquired", _NOT_TOLD, None)
        return _Told(self.status, self.reason, self.values.get(name))


@dataclass(frozen=True, slots=True)
class _Told:
    """One attribute of one face: None where it was not told."""

    status: str
    reason: str
    value: Value | None


def _read(templates: Templates, ids: Sequence[str]) -> Iterator[_Reading]:
    faces = templates.faces.loc[ids]
    columns = (faces["status"], faces["reason"], templates.attributes(ids))
    return (_Reading(str(status), str(reason), values) for status, reason, values in zip(*columns, strict=True))


def _row(kind: Kind, before: _Told, after: _Told, truth: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "status": after.status,
        "reason": after.reason,
        "told_original": _text(before),
        "told_protected": _text(after),
        "preserved": math.nan,
        "true_value": truth,
        "correct": _correct(kind, after, truth),
        "correct_original": _correct(kind, before, truth),
    }
    if before.status != "ok" and after.status != "not_protected":
        row |= {"status": "error", "reason": _lost(before)}
    elif before.value is not None and after.value is not None:
        try:
            row["preserved"] = preserved(kind, before.value, after.value)
        except ValueError as error:  # a model that says something impossible
            row |= {"status": "error", "reason": f"bad_output: {error}"}
    return row


def _lost(before: _Told) -> str:
    """Why there is nothing to compare with."""
    if before.status == "error":
        return "reference_broken"
    return "not_told_of_reference" if before.reason == _NOT_TOLD else "no_face_in_reference"


def _text(told: _Told) -> str:
    return "" if told.value is None else spelled(told.value)


def _correct(kind: Kind, told: _Told, truth: str) -> float:
    """Agreement with the truth; NaN where either is not known, or the truth means no value of this kind."""
    if told.value is None or not truth:
        return math.nan
    try:
        return preserved(kind, told.value, understood(kind, truth))
    except ValueError:
        return math.nan


def _truth(samples: pd.DataFrame, sample_id: str, name: str) -> str:
    """The dataset's own value of the attribute, ``""`` where it has none."""
    if name not in samples:
        return ""
    value = samples.at[sample_id, name]
    return "" if pd.isna(value) else str(value).strip()
