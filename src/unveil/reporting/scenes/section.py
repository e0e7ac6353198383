"""The parts of a dataset of people in scenes, ready for its page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting import bias, figures
from unveil.reporting.groups import group_figures
from unveil.reporting.number import percent
from unveil.reporting.results import Results
from unveil.reporting.scenes import figures as drawings
from unveil.reporting.scenes import frames
from unveil.reporting.scenes.answer import SceneAnswer, answer
from unveil.reporting.scenes.columns import Column, columns
from unveil.reporting.scenes.heat import HeatTable, class_tables, drop_tables, heat_frame, precision_tables
from unveil.reporting.scenes.weights import PARTS, Panel, panels
from unveil.reporting.writer import Shown, Writer, slug


@dataclass(frozen=True, slots=True)
class Practicality:
    """Practicality by one detector and one encoder: numbers, and its figures where they can be drawn."""

    panel: Panel
    parts: Shown | None
    simplex: Shown | None


@dataclass(frozen=True, slots=True)
class Scenes:
    """Everything about the scenes of one dataset; ``key`` starts the names of its figures, tables and anchors."""

    key: str
    answer: SceneAnswer
    columns: Sequence[Column]
    plane: Shown | None
    drops: Sequence[HeatTable]
    precisions: Sequence[HeatTable]
    classes: Sequence[HeatTable]
    robustness: Sequence[Shown]
    practicality: Sequence[Practicality]
    groups: Mapping[str, Sequence[Shown]]
    bias: Sequence[bias.BiasTable]


def scenes(results: Results, label: str, key: str, writer: Writer) -> Scenes:
    """Write the figures and tables of one dataset and return what its page shows."""
    found = columns(results, label)
    told = answer(results, label, found)
    judged = bias.bias_tables(results, label, told.measures)
    drops, precisions = drop_tables(results, label), precision_tables(results, label)
    classes = class_tables(results, label)
    weighed = list(panels(results, label))
    for name, frame in {
        "overview": frames.overview_frame(label, found, results.methods(label)),
        "attributes": heat_frame(label, [*drops, *precisions]),
        "classes": heat_frame(label, classes),
        "practicality": pd.concat([panel.frame(label) for panel in weighed]) if weighed else pd.DataFrame(),
        "bias": bias.bias_frame(label, judged),
    }.items():
        writer.table(f"{key}_{name}", frame)
    return Scenes(
        key=key,
        answer=told,
        columns=found,
        plane=_plane(told, key, writer),
        drops=drops,
        precisions=precisions,
        classes=classes,
        robustness=list(_robustness(results, label, key, writer)),
        practicality=[_practicality(results, label, f"{key}_{i}", p, writer) for i, p in enumerate(weighed, 1)],
        groups=group_figures(results, label, told.measures, key, writer),
        bias=judged,
    )


def _plane(told: SceneAnswer, key: str, writer: Writer) -> Shown | None:
    frame = frames.plane_frame(told.standings)
    if frame.empty:
        return None
    best = [s.method for s in told.front]
    text = (
        f"1 − cMAP against person F1 of {len(frame)} methods. No other method beats: {', '.join(best) or 'none'}."
    )
    return writer.figure(f"{key}_plane", "Privacy against utility", text, drawings.plane(frame, best), frame)


def _robustness(results: Results, label: str, key: str, writer: Writer) -> list[Shown]:
    shown = []
    for detector, frame in frames.robustness_frames(results, label).items():
        figure = drawings.robustness(frame, results.methods(label))
        ends = f"{percent(frame['value'].min())} to {percent(frame['value'].max())}"
        text = f"Persons still found and similar, by method and thresholds of IoU and SSIM: {ends}."
        name = f"{key}_robustness_{slug(detector)}"
        shown.append(writer.figure(name, f"Similar matches, persons found by {detector}", text, figure, frame))
    return shown


def _practicality(results: Results, label: str, key: str, panel: Panel, writer: Writer) -> Practicality:
    rows = [
        {"method": practical.method, "group": part, "value": value, "low": value, "high": value}
        for practical in panel.methods
        for part, value in zip(PARTS, practical.parts, strict=True)
        if math.isfinite(value)
    ]
    frame = pd.DataFrame(rows)
    parts = simplex = None
    if rows:
        text = "Normalised parts of practicality of each method; the further right, the better."
        title = "What practicality is made of"
        parts = writer.figure(f"{key}_parts", title, text, figures.by_group(frame, PARTS), frame)
    if panel.ranked:
        values = {practical.method: practical.parts for practical in panel.ranked}
        winners = [p for p in panel.ranked if p.standing and p.standing.share_first > 0]
        shares = ", ".join(f"{p.method} {percent(p.standing.share_first)}" for p in winners if p.standing)
        text = f"Triangle of all weights, coloured by the method that comes first: {shares}."
        figure = drawings.simplex(values, results.methods(label), panel.weights)
        title = "Who comes first, under all weights"
        simplex = writer.figure(f"{key}_weights", title, text, figure, panel.frame(label))
    return Practicality(panel, parts, simplex)
