"""The parts of a dataset about where recognizers look, ready for the page: one per recognizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unveil.reporting.compared import places
from unveil.reporting.focus.correlation import Correlations, correlation_frame, correlations
from unveil.reporting.focus.groups import FocusByGroup, by_group, group_frame
from unveil.reporting.focus.heat import heat_tables
from unveil.reporting.focus.pictures import FocusPictures, focus_pictures
from unveil.reporting.results import Results
from unveil.reporting.scenes.heat import HeatTable, heat_frame
from unveil.reporting.wording import models
from unveil.reporting.writer import Writer


@dataclass(frozen=True, slots=True)
class Focus:
    """Where one recognizer looks.

    Attributes:
        key: starts the names of its figures and tables; ``models``: in words.
        faces: method -> faces on which the region that most of them show was looked at, and how many were not.
        heat, correlations, groups, pictures: the parts; no ``groups`` without a grouping.
    """

    key: str
    models: str
    faces: Mapping[str, tuple[int, int]]
    heat: Sequence[HeatTable]
    correlations: Correlations
    groups: FocusByGroup | None
    pictures: FocusPictures


def focus(results: Results, label: str, key: str, writer: Writer) -> list[Focus]:
    """Write figures and tables of one dataset and return what its page shows; empty when it was not measured."""
    rows = results.select("measures", dataset=label, metric="strongest_region_rate", grouping="")
    components = list(dict.fromkeys(rows["component"]))
    return [
        _of(results, label, component, f"{key}_{position}", writer)
        for position, component in enumerate(components, start=1)
    ]


def _of(results: Results, label: str, component: str, key: str, writer: Writer) -> Focus:
    heat = heat_tables(results, label, component)
    found = correlations(results, label, component)
    writer.table(f"{key}_regions", heat_frame(label, heat))
    writer.table(f"{key}_groups", group_frame(results, label, component))
    writer.table(f"{key}_correlation", correlation_frame(label, component, found))
    mine = results.select("measures", dataset=label, component=component, metric="strongest_region_rate")
    cells = {method: cell for method, (cell, _) in places(mine).items()}
    counts = mine[mine["grouping"] == ""].groupby("method").agg(n=("n", "max"), left_out=("n_excluded", "min"))
    return Focus(
        key=key,
        models=models(component),
        faces={m: (int(counts["n"][m]), int(counts["left_out"][m])) for m in results.methods(label) if m in cells},
        heat=heat,
        correlations=found,
        groups=by_group(results, label, component, key, writer),
        pictures=focus_pictures(results, {m: cells[m] for m in results.methods(label) if m in cells}),
    )
