"""Where each method stands: its exposure under the strongest attack, the floor below it, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.number import Number
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.wording import Attack

ATTACK = ["evaluation", "component", "threat_model", "operating_point"]
EXPOSURE = "exposure_rate"

ATTACK_METRICS: Mapping[str, str] = {
    "obfuscation_success_rate_conditional": "OSR, faces found",
    "obfuscation_success_rate_overall": "OSR, all attempted",
    EXPOSURE: "Exposure",
}
"""Columns of an attack. Recognition rate is 1 minus the first, so only originals show it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One method on one dataset.

    Attributes:
        method: label.
        attack: the strongest: highest exposure over every evaluation, threat model, component and decision
            rule that names one person or says yes or no; None when nothing attacked it.
        cell_id: of that attack.
        exposure: under it.
        floor: what the same attack makes of strangers (verification), or guessing (identification): no
            method can be expected to go below it; ``floor_is`` says which of the two.
        passing: passing rate.
        detection: detector -> detection rate, read as image quality.
    """

    method: str
    attack: Attack | None
    cell_id: str
    exposure: Number | None
    floor: Number | None
    floor_is: str
    passing: Number | None
    detection: Mapping[str, Number]

    @property
    def quality(self) -> Number | None:
        """Detection rate by the run's first detector."""
        return next(iter(self.detection.values()), None)


def standings(results: Results, dataset: str) -> list[Standing]:
    """Every method of a dataset, in the run's order."""
    return [_standing(results, dataset, method) for method in results.methods(dataset)]


def _standing(results: Results, dataset: str, method: str) -> Standing:
    mine = results.select("measures", dataset=dataset, method=method, grouping="")
    passing = mine[mine["metric"] == "passing_rate"]
    detection = mine[mine["metric"] == "detection_rate"]
    strongest = strongest_attack(mine)
    floor, kind = (None, "") if strongest is None else floor_of(results, strongest)
    return Standing(
        method=method,
        attack=None if strongest is None else Attack(*strongest[ATTACK]),
        cell_id="" if strongest is None else str(strongest["cell_id"]),
        exposure=None if strongest is None else Number.of(strongest),
        floor=floor,
        floor_is=kind,
        passing=Number.of(passing.iloc[0]) if len(passing) else None,
        detection={row["component"]: Number.of(row) for _, row in detection.iterrows()},
    )


def strongest_attack(measures: pd.DataFrame) -> pd.Series | None:
    """The row of the highest exposure; the first of equals; None when there is none.

    A list of several candidates (``rank_5``) contains the right person more often the longer it is, so it
    is reported but does not compete.
    """
    rows = measures[(measures["metric"] == EXPOSURE) & (measures["grouping"] == "") & measures["value"].notna()]
    rank = rows["operating_point"].str.extract(r"^rank_(\d+)$", expand=False).astype(float)
    rows = rows[~(rank > 1)]
    return rows.loc[rows["value"].idxmax()] if len(rows) else None


def floor_of(results: Results, row: pd.Series) -> tuple[Number | None, str]:
    """The floor of one exposure, and what it is: ``strangers`` or ``guessing``.

    Args:
        results: of the run.
        row: of the measures table.
    """
    here = {"cell_id": row["cell_id"], "operating_point": row["operating_point"], "grouping": row["grouping"]}
    rejection = results.number(metric="stranger_rejection_rate_overall", group=row["group"], **here)
    if rejection is not None and rejection.known:
        return rejection.complement, "strangers"
    if people := results.enrolled.get(str(row["cell_id"])):
        rank = str(row["operating_point"]).removeprefix("rank_")
        return Number(min(1.0, (int(rank) if rank.isdigit() else 1) / people)), "guessing"
    return None, ""


def frontier(placed: Sequence[Standing]) -> list[Standing]:
    """Methods that no other one beats in exposure and detection rate at once."""
    known = [s for s in placed if s.method != ORIGINAL and _plane(s) is not None]

    def beaten(one: Standing) -> bool:
        exposure, quality = _plane(one) or (math.nan, math.nan)
        others = [_plane(other) or (math.nan, math.nan) for other in known if other is not one]
        return any(e <= exposure and q >= quality and (e, q) != (exposure, quality) for e, q in others)

    return [s for s in known if not beaten(s)]


def _plane(standing: Standing) -> tuple[float, float] | None:
    if standing.exposure is None or standing.quality is None or not standing.quality.known:
        return None
    return standing.exposure.value, standing.quality.value
