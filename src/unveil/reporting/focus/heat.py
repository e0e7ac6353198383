"""Regions of the face down, methods across: at which one a recognizer looks most, and what a method changes."""

from __future__ import annotations

from collections.abc import Mapping

from unveil.core.face_regions import REGIONS
from unveil.reporting.number import Number
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.scenes.heat import HeatCell, HeatRow, HeatTable
from unveil.reporting.wording import models

TITLES: Mapping[str, str] = {
    "strongest_region_rate": "Strongest region: share of faces at whose region it looks most",
    "region_focus": "Mean focus: 1 where the region is always the strongest, 0 the weakest",
    "five_strongest_region_rate": "Among the five strongest regions: share of faces",
    "region_change": "Mean change of the region's pixels: 1 is from black to white",
}
"""Metrics of a region, in the order of the page."""

_SHARES = frozenset({"strongest_region_rate", "five_strongest_region_rate"})


def heat_tables(results: Results, dataset: str, component: str) -> list[HeatTable]:
    """One table per metric of regions, for one recognizer with its detector and landmarker."""
    everybody = results.select("measures", dataset=dataset, component=component, grouping="")
    found = []
    for metric, title in TITLES.items():
        rows = everybody[everybody["metric"] == metric]
        if metric == "region_change":
            rows = rows[rows["method"] != ORIGINAL]
        share = metric in _SHARES
        numbers = {(row["facet"], row["method"]): Number.of(row, share=share) for _, row in rows.iterrows()}
        methods = [method for method in results.methods(dataset) if method in set(rows["method"])]
        if methods:
            regions = [_row(region, methods, numbers) for region in REGIONS]
            found.append(HeatTable(title, models(component), methods, regions))
    return found


def _row(region: str, methods: list[str], numbers: Mapping[tuple[str, str], Number]) -> HeatRow:
    cells = {
        method: HeatCell(number, -number.value, number.interval)
        for method in methods
        if (number := numbers.get((region, method))) and number.known
    }
    return HeatRow(region, "", cells)
