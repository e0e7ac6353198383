"""The parts of a dataset of faces: who is still recognised, by which attack, and whom the methods fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting import bias, compared, figures, number, quality, tables, wording
from unveil.reporting.answer import Answer, answer
from unveil.reporting.attacker.section import Attacker, attacker
from unveil.reporting.attributes.section import Attributes, attributes
from unveil.reporting.groups import group_figures
from unveil.reporting.results import Results
from unveil.reporting.writer import Shown, Writer


@dataclass(frozen=True, slots=True)
class Faces:
    """Everything about the faces of one dataset; ``key`` starts the names of its figures, tables and anchors."""

    key: str
    answer: Answer
    attacks: Sequence[tables.AttackTable]
    plane: Shown | None
    groups: Mapping[str, Sequence[Shown]]
    bias: Sequence[bias.BiasTable]
    attributes: Attributes | None
    attacker: Attacker
    thresholds: Sequence[Mapping[str, object]]
    cmc: Sequence[Shown]


def faces(results: Results, label: str, key: str, writer: Writer) -> Faces:
    """Write the figures and tables of one dataset and return what its page shows."""
    found = answer(results, label)
    placed = found.standings
    attacks = tables.attack_tables(results, label, placed)
    judged = bias.bias_tables(results, label, compared.judged(results, label, placed))
    thresholds = quality.thresholds(results, label)
    for name, frame in {
        "overview": tables.overview_frame(label, placed),
        "attacks": tables.attacks_frame(label, attacks),
        "bias": bias.bias_frame(label, judged),
        "thresholds": pd.DataFrame(thresholds),
    }.items():
        writer.table(f"{key}_{name}", frame)
    return Faces(
        key=key,
        answer=found,
        attacks=attacks,
        plane=_plane(found, key, writer),
        groups=group_figures(results, label, list(compared.drawn(results, label, placed)), key, writer),
        bias=judged,
        attributes=attributes(results, label, key, writer),
        attacker=attacker(results, label, key, writer),
        thresholds=thresholds,
        cmc=_cmc(results, label, key, writer),
    )


def _plane(found: Answer, key: str, writer: Writer) -> Shown | None:
    frame = tables.plane_frame(found.standings)
    if frame.empty:
        return None
    best = ", ".join(standing.method for standing in found.frontier)
    text = f"Exposure against detection rate of {len(frame)} methods. No other method beats: {best or 'none'}."
    return writer.figure(f"{key}_plane", "Privacy against quality", text, figures.plane(frame), frame)


def _cmc(results: Results, label: str, key: str, writer: Writer) -> list[Shown]:
    frame = tables.cmc_frame(results, label)
    shown = []
    for position, ((component, threat), rows) in enumerate(
        frame.groupby(["component", "threat_model"], sort=False)
    ):
        title = f"{wording.threat_model(str(threat))} ({wording.models(str(component))})"
        first = rows[rows["rank"] == 1]
        ends = ", ".join(f"{row['method']} {number.percent(row['found'])}" for _, row in first.iterrows())
        figure = figures.cmc(rows, results.methods(label))
        text = f"Cumulative match characteristic, {title}. At rank 1: {ends}."
        shown.append(writer.figure(f"{key}_cmc_{position + 1}", title, text, figure, rows))
    return shown
