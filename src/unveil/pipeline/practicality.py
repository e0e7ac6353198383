"""Practicality of the methods of a run: the one number that can only be had by comparing methods."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.config import Practicality
from unveil.core.fingerprint import digest
from unveil.core.types import Cell
from unveil.metrics.practicality import (
    INTELLIGIBILITY_ANCHORS,
    ROBUSTNESS_ANCHORS,
    THROUGHPUT_ANCHORS,
    Normalised,
    normalise,
    score,
)
from unveil.pipeline.protect import UNPROTECTED

EVALUATION = "practicality"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of practicality.

    Attributes:
        name: of the part, and of its weight in the configuration.
        metric: whose values are normalised.
        higher_is_better: of the raw value.
        anchors: ends of the fixed scale.
    """

    name: str
    metric: str
    higher_is_better: bool
    anchors: tuple[float, float]


PARTS = (
    Part("robustness", "similar_match_rate", False, ROBUSTNESS_ANCHORS),
    Part("intelligibility", "cmmd", False, INTELLIGIBILITY_ANCHORS),
    Part("throughput", "frames_per_second", True, THROUGHPUT_ANCHORS),
)

Raw = Mapping[str, Mapping[str, Any]]
"""Method -> its row of the measures table."""


def practicality_rows(
    settings: Practicality, dataset: str, measures: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Rows of the measures table: the normalised parts and the practicality of each method of a dataset.

    Of each part the first operating point and the first facet count (the first frame size). Parts that were
    measured by several models are combined in all ways; without one of the parts there is no row.
    """
    mine = [row for row in measures if row["dataset"] == dataset and row["grouping"] == ""]
    ways = [list(_by_component(mine, part)) for part in PARTS]
    for chosen in itertools.product(*ways):
        component = "/".join(name for name, _ in chosen if name)
        yield from _compare(settings, dataset, component, [rows for _, rows in chosen])


def undefined(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Why a practicality is missing, from the rows of :func:`practicality_rows`: one line each."""
    for row in rows:
        if row["metric"] == EVALUATION and row["value"] is None:
            for part, note in json.loads(row["detail"])["note"].items():
                yield f"{EVALUATION} on {row['dataset']}, {part}: {note}"


def _by_component(rows: Sequence[Mapping[str, Any]], part: Part) -> Iterator[tuple[str, Raw]]:
    of_part = [row for row in rows if row["metric"] == part.metric and row["method"] != UNPROTECTED]
    for component in dict.fromkeys(row["component"] for row in of_part):
        found: dict[str, Mapping[str, Any]] = {}
        for row in of_part:
            if row["component"] == component:
                found.setdefault(row["method"], row)
        yield component, found


def _compare(settings: Practicality, dataset: str, component: str, raw: Sequence[Raw]) -> Iterator[dict[str, Any]]:
    methods = list(dict.fromkeys(method for rows in raw for method in rows))
    scales = [_scale(settings, part, rows, methods) for part, rows in zip(PARTS, raw, strict=True)]
    notes = {part.name: scale.note for part, scale in zip(PARTS, scales, strict=True) if scale.note}
    weights = settings.weights.model_dump()
    sources = [{method: row["cell_id"] for method, row in rows.items()} for rows in raw]
    for method in methods:
        identity = digest(EVALUATION, method, sources, settings.model_dump(), length=16)
        cell = Cell(identity, dataset, method, EVALUATION, component, "")
        for part, scale, rows in zip(PARTS, scales, raw, strict=True):
            detail = {
                "normalisation": settings.normalisation,
                "low": _null(scale.low),
                "high": _null(scale.high),
                "compared": list(scale.compared),
                "note": scale.note,
                "raw": {key: rows.get(method, {}).get(key) for key in _RAW},
            }
            yield _row(cell, f"{part.name}_normalised", scale.values[method], detail, rows.get(method, {}))
        robustness, intelligibility, throughput = (scale.values[method] for scale in scales)
        total = score(robustness, intelligibility, throughput, list(weights.values()))
        summary: dict[str, Any] = {
            "weights": weights,
            "normalisation": settings.normalisation,
            "compared": methods,
            "note": notes,
        }
        yield _row(cell, EVALUATION, total, summary, {})


_RAW = ("metric", "value", "ci_low", "ci_high", "operating_point", "facet", "n")


def _scale(settings: Practicality, part: Part, rows: Raw, methods: Sequence[str]) -> Normalised:
    values = {method: rows[method]["value"] if method in rows else None for method in methods}
    known = {method: math.nan if value is None else value for method, value in values.items()}
    anchors = part.anchors if settings.normalisation == "anchors" else None
    return normalise(known, higher_is_better=part.higher_is_better, anchors=anchors)


def _row(
    cell: Cell, metric: str, value: float, detail: Mapping[str, Any], source: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        **cell.keys(),
        "operating_point": "",
        "metric": metric,
        "facet": "",
        "grouping": "",
        "group": "",
        "value": _null(value),
        "n": source.get("n"),
        "passing_rate": source.get("passing_rate"),
        "higher_is_better": True,
        "detail": json.dumps(detail, ensure_ascii=False),
    }


def _null(value: float) -> float | None:
    return value if math.isfinite(value) else None
