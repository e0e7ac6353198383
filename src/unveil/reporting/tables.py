"""Wide tables of the report, and the headline for the terminal. Long form in, one row per method out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unveil.reporting.number import Number
from unveil.reporting.results import Results
from unveil.reporting.standing import ATTACK, EXPOSURE, Standing, floor_of, strongest_attack
from unveil.reporting.wording import Attack

ATTACK_METRICS: Mapping[str, str] = {
    "obfuscation_success_rate_conditional": "OSR, faces found",
    "obfuscation_success_rate_overall": "OSR, all attempted",
    EXPOSURE: "Exposure",
}
"""Columns of an attack. Recognition rate is 1 minus the first, so only originals show it."""


@dataclass(frozen=True, slots=True)
class AttackRow:
    """One method under one evaluation, threat model and component.

    Attributes:
        method: label.
        cells: operating point -> metric -> number; the key ``floor`` beside the metrics.
        strongest: operating point of the strongest attack on the method, when it is here; else None.
    """

    method: str
    cells: Mapping[str, Mapping[str, Number | None]]
    strongest: str | None


@dataclass(frozen=True, slots=True)
class AttackTable:
    """All methods under one evaluation, threat model and component: a part of Table III of FairDeFace.

    Attributes:
        evaluation, component, threat_model: of its cells.
        points: operating points, the headline first.
        floor_is: what its floor is made of: ``strangers`` or ``guessing``.
        rows: one per method.
    """

    evaluation: str
    component: str
    threat_model: str
    points: Sequence[str]
    floor_is: str
    rows: Sequence[AttackRow]


def headline(measures: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset and method: exposure under the strongest attack, passing and detection rate.

    Args:
        measures: the measures table.

    Returns:
        ``dataset`` (when there are several), ``method``, ``exposure`` with ``interval`` and ``n``, ``passing``,
        ``detection`` by the first detector, and ``strongest attack`` as the tables name it. Rates are shares
        in [0, 1], as in the tables; None where nothing was measured.
    """
    rows = []
    for (dataset, method), mine in measures.groupby(["dataset", "method"], sort=False):
        worst = strongest_attack(mine)
        everybody = mine[mine["grouping"] == ""].drop_duplicates("metric").set_index("metric")["value"]
        row = {"dataset": dataset, "method": method, "exposure": None, "interval": "", "n": 0}
        if worst is not None:
            interval = f"{worst['ci_low']:.3f}–{worst['ci_high']:.3f}"
            row |= {"exposure": worst["value"], "interval": interval, "n": worst["n"]}
        row |= {"passing": everybody.get("passing_rate"), "detection": everybody.get("detection_rate")}
        names = [] if worst is None else [worst[key] for key in ATTACK if worst[key]]
        rows.append({**row, "strongest attack": " ".join(names) or "none"})
    frame = pd.DataFrame(rows)
    return frame.drop(columns="dataset") if len(frame) and frame["dataset"].nunique() == 1 else frame


def attack_tables(results: Results, dataset: str, placed: Sequence[Standing]) -> list[AttackTable]:
    """One table per evaluation, component and threat model of a dataset, in the run's order."""
    rows = results.select("measures", dataset=dataset, metric=EXPOSURE, grouping="")
    return [
        _attack_table(results, here, placed)
        for _, mine in rows.groupby("evaluation", sort=False)
        for _, here in mine.groupby(["component", "threat_model"], sort=False)
    ]


def _attack_table(results: Results, exposures: pd.DataFrame, placed: Sequence[Standing]) -> AttackTable:
    first = exposures.iloc[0]
    points = list(exposures["operating_point"].unique())
    standing = {s.method: s for s in placed}
    rows, floor_is = [], ""
    for method, mine in exposures.groupby("method", sort=False):
        cells: dict[str, dict[str, Number | None]] = {}
        for _, row in mine.iterrows():
            here = {"cell_id": row["cell_id"], "operating_point": row["operating_point"], "grouping": ""}
            floor, kind = floor_of(results, row)
            floor_is = floor_is or kind
            numbers = {name: results.number(metric=name, **here) for name in ATTACK_METRICS}
            cells[row["operating_point"]] = {**numbers, "floor": floor}
        mark = standing[method]
        here_too = mark.cell_id in set(mine["cell_id"]) and mark.attack is not None
        rows.append(AttackRow(method, cells, mark.attack.operating_point if here_too and mark.attack else None))
    return AttackTable(first["evaluation"], first["component"], first["threat_model"], points, floor_is, rows)


def overview_frame(dataset: str, placed: Sequence[Standing]) -> pd.DataFrame:
    """The overview as a flat frame, for CSV."""
    rows = []
    for s in placed:
        attack = s.attack or Attack("", "", "", "")
        row = {"dataset": dataset, "method": s.method, **_spread("passing", s.passing)}
        for detector, number in s.detection.items():
            row |= _spread(f"detection_{detector}", number)
        row |= _spread("exposure", s.exposure)
        row |= {"floor": s.floor.value if s.floor else None, "floor_is": s.floor_is}
        row |= {name: getattr(attack, name) for name in ATTACK}
        rows.append(row)
    return pd.DataFrame(rows)


def attacks_frame(dataset: str, tables: Sequence[AttackTable]) -> pd.DataFrame:
    """All attack tables as one flat frame, for CSV."""
    rows = []
    for table in tables:
        for row in table.rows:
            for point, numbers in row.cells.items():
                flat: dict[str, Any] = {"dataset": dataset, "method": row.method}
                flat |= {
                    "evaluation": table.evaluation,
                    "component": table.component,
                    "threat_model": table.threat_model,
                }
                flat |= {"operating_point": point, "strongest": row.strongest == point}
                for name, number in numbers.items():
                    flat |= _spread(name, number)
                rows.append(flat)
    return pd.DataFrame(rows)


def _spread(name: str, number: Number | None) -> dict[str, float | int | None]:
    if number is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None, f"{name}_n": None}
    return {name: number.value, f"{name}_low": number.low, f"{name}_high": number.high, f"{name}_n": number.n}


def plane_frame(placed: Sequence[Standing]) -> pd.DataFrame:
    """Privacy against quality: ``method, exposure, detection`` with intervals and n."""
    rows = [
        {"method": s.method, **_spread("exposure", s.exposure), **_spread("detection", s.quality)}
        for s in placed
        if s.exposure is not None and s.quality is not None
    ]
    return pd.DataFrame(rows)


def cmc_frame(results: Results, dataset: str) -> pd.DataFrame:
    """Cumulative match characteristics: ``component, threat_model, method, rank, found, low, high, n``."""
    rows = results.select("measures", dataset=dataset, metric="obfuscation_success_rate_overall", grouping="")
    rank = rows["operating_point"].str.extract(r"^rank_(\d+)$", expand=False)
    rows = rows.assign(rank=rank.astype(float))[rank.notna()]
    frame = pd.DataFrame(
        {
            **{key: rows[key] for key in ("component", "threat_model", "method")},
            "rank": rows["rank"].astype(int),
            "found": 1 - rows["value"],
            "low": 1 - rows["ci_high"],
            "high": 1 - rows["ci_low"],
            "n": rows["n"],
        }
    )
    order = {method: i for i, method in enumerate(results.methods(dataset))}
    return frame.sort_values(
        ["component", "threat_model", "method", "rank"], key=lambda c: c.map(order) if c.name == "method" else c
    ).reset_index(drop=True)
