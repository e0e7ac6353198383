"""What was measured on scenes, one column per quantity and the model or the training that it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.compared import Place, places
from unveil.reporting.number import Number
from unveil.reporting.results import Results
from unveil.reporting.trainings import PUBLISHED
from unveil.reporting.wording import operating_point, threat_model

_TITLES = {
    "cmap": "cMAP",
    "cmap_drop": "Relative drop of cMAP",
    "person_f1": "Person F1",
    "similar_match_rate": "Similar matches",
    "cmmd": "CMMD ({component}) ×1000",
    "frames_per_second": "Frames/s ({facet})",
    "practicality": "Practicality",
    "passing_rate": "Passing",
}
_NO_SHARES = frozenset({"cmmd", "frames_per_second", "practicality"})


@dataclass(frozen=True, slots=True)
class Column:
    """One quantity of every method.

    Attributes:
        metric: registered name.
        title: of the column; ``note``: the model and its training, or thresholds; may be empty.
        component, threat_model, operating_point, facet: which rows of the measures table these are.
        numbers: method -> value; ``places``: method -> where it stands.
        details: remarks of its rows, each once.
    """

    metric: str
    title: str
    note: str
    component: str
    threat_model: str
    operating_point: str
    facet: str
    numbers: Mapping[str, Number]
    places: Mapping[str, Place]
    details: Sequence[str]


def columns(results: Results, dataset: str) -> list[Column]:
    """Every headline quantity of a dataset, in the order of the overview; the published training first."""
    everybody = results.select("measures", dataset=dataset, grouping="")
    return [column for metric in _TITLES for column in _of_metric(everybody, metric)]


def _of_metric(everybody: pd.DataFrame, metric: str) -> Iterator[Column]:
    rows = everybody[everybody["metric"] == metric]
    published = rows["threat_model"] == PUBLISHED.get(metric)
    if metric == "cmap_drop" and published.any():
        rows = rows[published]
    rows = rows.loc[published.reindex(rows.index).sort_values(ascending=False, kind="stable").index]
    keys = ["component", "threat_model", "facet"]
    for (component, threat, facet), mine in rows.groupby(keys, sort=False):
        point = mine["operating_point"].iloc[0]  # the headline comes first
        here = mine[mine["operating_point"] == point]
        named = component if metric != "cmmd" else ""
        words = [named, threat and threat_model(threat), point and operating_point(point)]
        size = str(facet).replace("x", "×")
        yield Column(
            metric,
            _TITLES[metric].format(component=component, facet=size),
            ", ".join(filter(None, words)),
            component,
            threat,
            point,
            facet,
            {row["method"]: Number.of(row, share=metric not in _NO_SHARES) for _, row in here.iterrows()},
            places(here),
            list(dict.fromkeys(here["detail"])) if metric != "practicality" else [],
        )


def first(found: Sequence[Column], metric: str) -> Column | None:
    """The headline column of a metric."""
    return next((column for column in found if column.metric == metric), None)
