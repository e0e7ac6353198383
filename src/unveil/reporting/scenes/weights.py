"""Practicality under other weights: what the page re-ranks, and how much the ranking depends on them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unveil.metrics.practicality import TABLE_3_WEIGHTS, Weights
from unveil.metrics.weight_simplex import Standing, sensitivity
from unveil.reporting.number import Number, amount, percent
from unveil.reporting.results import Results

PARTS = ("robustness", "intelligibility", "throughput")
"""In the order of the weights."""

_METRICS = ("similar_match_rate", "cmmd", "frames_per_second")
"""What each part is made of."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How one part was normalised.

    Attributes:
        part: its name; ``source``: what it is made of, in words.
        ends: the raw values at 0 and 1, in words; ``note``: what is undefined or missing.
    """

    part: str
    source: str
    ends: str
    note: str


@dataclass(frozen=True, slots=True)
class Practical:
    """One method: its parts from 0 to 1, NaN where undefined, and in the same order the raw numbers."""

    method: str
    parts: tuple[float, float, float]
    raw: Sequence[Number]
    score: float
    standing: Standing | None

    @property
    def complete(self) -> bool:
        """Whether it can be ranked."""
        return all(map(math.isfinite, self.parts))


@dataclass(frozen=True, slots=True)
class Panel:
    """All methods by one detector and one encoder.

    Attributes:
        component: both, as in the tables.
        normalisation: ``min_max`` or ``anchors``; ``compared``: methods that the scale depends on.
        weights: of the run.
        scales: of the parts.
        methods: those that can be ranked first, the highest score first.
    """

    component: str
    normalisation: str
    compared: Sequence[str]
    weights: Weights
    scales: Sequence[Scale]
    methods: Sequence[Practical]

    @property
    def ranked(self) -> list[Practical]:
        """Methods with all three parts."""
        return [method for method in self.methods if method.complete]

    @property
    def presets(self) -> list[tuple[str, Weights]]:
        """Names and weights of the buttons."""
        published = [(f"published {_words(weights)}", weights) for weights in TABLE_3_WEIGHTS]
        return [("as in this run", self.weights), *published]

    def frame(self, dataset: str) -> pd.DataFrame:
        """The same for CSV."""
        rows = []
        for practical in self.methods:
            row: dict[str, Any] = {"dataset": dataset, "models": self.component, "method": practical.method}
            row |= dict(zip(PARTS, practical.parts, strict=True))
            row |= {metric: number.value for metric, number in zip(_METRICS, practical.raw, strict=True)}
            row["practicality"] = practical.score
            if practical.standing:
                row["share_first"] = practical.standing.share_first
                row |= {"best_rank": practical.standing.best_rank, "worst_rank": practical.standing.worst_rank}
            rows.append(row)
        return pd.DataFrame(rows)


def panels(results: Results, dataset: str) -> Iterator[Panel]:
    """One panel per pair of models by which practicality was computed."""
    rows = results.select("measures", dataset=dataset, evaluation="practicality", grouping="")
    for component, mine in rows.groupby("component", sort=False):
        yield _panel(
            str(component),
            _encoder(results, dataset, str(component)),
            dict(tuple(mine.groupby("metric", sort=False))),
        )


def _panel(component: str, encoder: str, rows: Mapping[Any, pd.DataFrame]) -> Panel:
    totals = rows["practicality"]
    settings = json.loads(totals["detail"].iloc[0])
    by_part = {part: rows[f"{part}_normalised"].set_index("method") for part in PARTS}
    details = {part: frame["detail"].map(json.loads) for part, frame in by_part.items()}
    parts = {
        method: tuple(_real(by_part[part].loc[method, "value"]) for part in PARTS) for method in totals["method"]
    }
    standings = sensitivity(parts)
    methods = [
        Practical(
            row["method"],
            (parts[row["method"]][0], parts[row["method"]][1], parts[row["method"]][2]),
            [_raw(details[part][row["method"]]["raw"]) for part in PARTS],
            _real(row["value"]),
            standings.get(row["method"]),
        )
        for row in totals.to_dict("records")
    ]
    return Panel(
        component,
        settings["normalisation"],
        settings["compared"],
        Weights(*(settings["weights"][part] for part in PARTS)),
        [_scale(part, details[part].iloc[0], encoder) for part in PARTS],
        sorted(methods, key=lambda m: -m.score if m.complete else math.inf),
    )


def _encoder(results: Results, dataset: str, component: str) -> str:
    """Name of the image encoder: the last part, which may itself hold slashes."""
    names = results.select("measures", dataset=dataset, metric="cmmd")["component"].unique()
    return next((name for name in names if f"/{component}".endswith(f"/{name}")), component)


def _raw(raw: Mapping[str, Any]) -> Number:
    value, low, high = (_real(raw[key]) for key in ("value", "ci_low", "ci_high"))
    return Number(value, low, high, raw["n"] or 0, share=raw["metric"] == "similar_match_rate")


def _scale(part: str, detail: Mapping[str, Any], encoder: str) -> Scale:
    metric = detail["raw"]["metric"]
    shown = percent if metric == "similar_match_rate" else amount
    low, high = shown(_real(detail["low"])), shown(_real(detail["high"]))
    worst, best = (low, high) if metric == "frames_per_second" else (high, low)
    ends = f"0 at {worst}, 1 at {best}" if detail["low"] is not None else "undefined"
    source = {"similar_match_rate": "similar matches", "frames_per_second": "frames/s"}
    return Scale(part, source.get(metric, f"CMMD ({encoder}) ×1000"), ends, detail["note"])


def _real(value: Any) -> float:
    return math.nan if value is None else float(value)


def _words(weights: Weights) -> str:
    return " / ".join(f"{weight:.2g}" for weight in weights)
