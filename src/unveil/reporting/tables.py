"""Wide tables of the report, and the headline for the terminal. Long form in, one row per method out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unveil.reporting.number import Number
from unveil.reporting.results import Results
from unveil.reporting.standing import ATTACK, ATTACK_METRICS, EXPOSURE, Standing, floor_of, strongest_attack
from unveil.reporting.trainings import PUBLISHED
from unveil.reporting.wording import Attack

SCENE_COLUMNS: Mapping[str, str] = {
    "person_f1": "person F1",
    "practicality": "practicality",
    "passing_rate": "passing",
}
"""Columns of the headline of scenes, after the cMAP."""


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
    """One row per dataset and method: who is still recognised, and what it costs.

    Args:
        measures: the measures table.

    Returns:
        ``dataset`` (when there are several) and ``method``; on faces ``exposure`` under the strongest attack, on
        scenes ``cMAP`` under the strongest attacker and the columns of :data:`SCENE_COLUMNS` that were measured
        (by the first model, with the published training); ``interval`` and ``n`` of the first; ``passing``;
        on faces ``detection`` by the first detector; and ``strongest attack`` as the tables name it. Rates are
        shares in [0, 1], as in the tables; None where nothing was measured.
    """
    everybody = measures[measures["grouping"] == ""]
    rows = []
    for dataset, here in everybody.groupby("dataset", sort=False):
        scenes = not here["metric"].isin(["exposure_rate", "detection_rate"]).any() and (
            here["metric"].isin(["cmap", "person_f1", "similar_match_rate", "cmmd", "frames_per_second"]).any()
        )
        for method, mine in here.groupby("method", sort=False):
            names = {"dataset": dataset, "method": method}
            rows.append(names | (_scene_headline(mine) if scenes else _face_headline(mine)))
    frame = pd.DataFrame(rows)
    return frame.drop(columns="dataset") if len(frame) and frame["dataset"].nunique() == 1 else frame


def _face_headline(mine: pd.DataFrame) -> dict[str, Any]:
    worst = strongest_attack(mine)
    values = mine.drop_duplicates("metric").set_index("metric")["value"]
    costs = {"passing": values.get("passing_rate"), "detection": values.get("detection_rate")}
    return _interval("exposure", worst) | costs | {"strongest attack": _attack(worst)}


def _scene_headline(mine: pd.DataFrame) -> dict[str, Any]:
    attacks = mine[(mine["metric"] == "cmap") & mine["value"].notna()]
    worst = attacks.loc[attacks["value"].idxmax()] if len(attacks) else None
    row = _interval("cMAP", worst)
    for metric, title in SCENE_COLUMNS.items():
        rows = mine[mine["metric"] == metric]
        published = rows[rows["threat_model"] == PUBLISHED.get(metric)]
        first = published if len(published) else rows
        row[title] = first["value"].iloc[0] if len(first) else None
    return row | {"strongest attack": _attack(worst, ATTACK[1:])}


def _interval(title: str, row: pd.Series | None) -> dict[str, Any]:
    if row is None:
        return {title: None, "interval": "", "n": 0}
    return {title: row["value"], "interval": f"{row['ci_low']:.3f}–{row['ci_high']:.3f}", "n": int(row["n"])}


def _attack(row: pd.Series | None, keys: Sequence[str] = ATTACK) -> str:
    return " ".join(row[key] for key in keys if row[key]) if row is not None else "none"


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
        row = {"dataset": dataset, "method": s.method, **spread("passing", s.passing)}
        for detector, number in s.detection.items():
            row |= spread(f"detection_{detector}", number)
        row |= spread("exposure", s.exposure)
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
                    flat |= spread(name, number)
                rows.append(flat)
    return pd.DataFrame(rows)


def spread(name: str, number: Number | None) -> dict[str, float | int | None]:
    """A number as columns for CSV: ``NAME``, ``NAME_low``, ``NAME_high``, ``NAME_n``."""
    if number is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None, f"{name}_n": None}
    return {name: number.value, f"{name}_low": number.low, f"{name}_high": number.high, f"{name}_n": number.n}


def plane_frame(placed: Sequence[Standing]) -> pd.DataFrame:
    """Privacy against quality: ``method, exposure, detection`` with intervals and n."""
    rows = [
        {"method": s.method, **spread("exposure", s.exposure), **spread("detection", s.quality)}
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
