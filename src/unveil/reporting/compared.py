"""What is compared group by group: a measure, and where in the tables each method's value stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from unveil.reporting.results import Results
from unveil.reporting.standing import ATTACK_METRICS, EXPOSURE, Standing
from unveil.reporting.wording import models, operating_point, threat_model

Place = tuple[str, str]
"""Cell and operating point."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A measure and where to find it.

    Attributes:
        title: of the measure; ``note`` says under which attack or by which model.
        metric: registered name.
        places: method -> place.
        attacks: method -> attack in words, where each method has its own.
        share: the values are shares, and shown in per cent.
    """

    title: str
    note: str
    metric: str
    places: Mapping[str, Place]
    attacks: Mapping[str, str] = field(default_factory=dict)
    share: bool = True


def places(rows: pd.DataFrame) -> dict[str, Place]:
    """Method -> place, of rows of the measures table."""
    return {row["method"]: (row["cell_id"], row["operating_point"]) for _, row in rows.iterrows()}


def strongest_exposure(placed: Sequence[Standing], metric: str = EXPOSURE) -> Compared:
    """A measure of each method under the strongest attack on it."""
    attacked = {s.method: (s.cell_id, s.attack.operating_point) for s in placed if s.attack}
    attacks = {s.method: s.attack.words for s in placed if s.attack}
    note = "each method under the strongest attack on it"
    return Compared(ATTACK_METRICS[metric], note, metric, attacked, attacks)


def judged(results: Results, dataset: str, placed: Sequence[Standing]) -> Iterator[Compared]:
    """Measures of faces whose fairness a reader looks for first."""
    yield strongest_exposure(placed)
    everybody = results.select("measures", dataset=dataset, grouping="")
    yield from _detection(everybody)
    overall = everybody[everybody["metric"] == "obfuscation_success_rate_overall"]
    for evaluation, mine in overall.groupby("evaluation", sort=False):
        first = mine.iloc[0]
        chosen = (mine["component"] == first["component"]) & (mine["operating_point"] == first["operating_point"])
        for threat, rows in mine[chosen].groupby("threat_model", sort=False):
            where = f"{threat_model(threat)}, {operating_point(first['operating_point'])}"
            title = f"OSR of all attempted, {evaluation}"
            note = f"{where} ({models(first['component'])})"
            yield Compared(title, note, "obfuscation_success_rate_overall", places(rows))
    yield from passing(everybody, only_if_some_failed=True)


def drawn(results: Results, dataset: str, placed: Sequence[Standing]) -> Iterator[Compared]:
    """Measures of faces that are drawn group by group."""
    everybody = results.select("measures", dataset=dataset, grouping="")
    for metric in list(ATTACK_METRICS)[:0:-1]:
        yield strongest_exposure(placed, metric)
    yield from list(_detection(everybody, title="Detection"))[:1]
    yield from passing(everybody, title="Passing")


def _detection(everybody: pd.DataFrame, title: str = "Face detection rate") -> Iterator[Compared]:
    for detector, rows in everybody[everybody["metric"] == "detection_rate"].groupby("component", sort=False):
        yield Compared(title, f"faces found by {detector}", "detection_rate", places(rows))


def passing(
    everybody: pd.DataFrame, *, title: str = "Passing rate", only_if_some_failed: bool = False
) -> Iterator[Compared]:
    """The passing rate, if there is one."""
    rows = everybody[everybody["metric"] == "passing_rate"]
    if len(rows) and not (only_if_some_failed and (rows["value"] >= 1).all()):
        yield Compared(title, "photos for which the method gave a picture", "passing_rate", places(rows))


def group_frame(results: Results, dataset: str, measure: Compared, grouping: str) -> pd.DataFrame:
    """One measure by group.

    Returns:
        ``method, measure, group, value, low, high, n, people, attack``, without groups that have no value.
    """
    rows = results.select("measures", dataset=dataset, metric=measure.metric, grouping=grouping)
    here = [
        measure.places.get(method) == (cell, point)
        for method, cell, point in zip(rows["method"], rows["cell_id"], rows["operating_point"], strict=True)
    ]
    rows = rows[pd.Series(here, index=rows.index, dtype=bool) & rows["value"].notna()]
    order = {method: i for i, method in enumerate(measure.places)}
    rows = rows.sort_values("method", key=lambda names: names.map(order), kind="stable")
    rows = rows.assign(measure=measure.title, attack=[measure.attacks.get(m, "") for m in rows["method"]])
    rows = rows.rename(columns={"ci_low": "low", "ci_high": "high", "n_identities": "people"})
    names = ["method", "measure", "group", "value", "low", "high", "n", "people", "attack"]
    return rows[names].reset_index(drop=True)
