"""Table VI of FairDeFace: does the recognizer still look at the same regions? With the floor of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.number import Number
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.tables import spread

_BLACK = "unveil.methods.pixel:Mask"
"""The method that leaves nothing to see, where a run has it."""


@dataclass(frozen=True, slots=True)
class Correlations:
    """Mean correlation of each protected method.

    Attributes:
        everybody: method -> number.
        groups: grouping -> method -> group -> number.
        floor: the method that the others are read against; None when no correlation is known.
        floor_is_mask: it leaves nothing to see; else it is only the lowest there is.
    """

    everybody: Mapping[str, Number]
    groups: Mapping[str, Mapping[str, Mapping[str, Number]]]
    floor: str | None
    floor_is_mask: bool

    def standing(self, method: str) -> str:
        """A method against the floor, in words; empty without a number."""
        number = self.everybody[method]
        if self.floor is None or not number.known:
            return ""
        if method == self.floor:
            return "the floor"
        floor = self.everybody[self.floor]
        if number.overlaps(floor):
            return "not told apart from the floor"
        return "above the floor" if number.value > floor.value else "below the floor"

    def names(self, grouping: str) -> list[str]:
        """Groups of a grouping, sorted."""
        return sorted({group for numbers in self.groups[grouping].values() for group in numbers})


def correlations(results: Results, dataset: str, component: str) -> Correlations:
    """Of one recognizer with its detector and landmarker; unprotected photos are compared with nothing."""
    rows = results.select("measures", dataset=dataset, component=component, metric="focus_correlation")
    rows = rows[rows["method"] != ORIGINAL]
    everybody: dict[str, Number] = {}
    groups: dict[str, dict[str, dict[str, Number]]] = {}
    for _, row in rows.iterrows():
        number = Number.of(row, share=False)
        if row["grouping"]:
            groups.setdefault(row["grouping"], {}).setdefault(row["method"], {})[row["group"]] = number
        else:
            everybody[row["method"]] = number
    masks = [entry["label"] for entry in results.manifest["components"]
             if entry["kind"] == "method" and entry["target"] == _BLACK]  # fmt: skip
    known = {method: number for method, number in everybody.items() if number.known}
    black = next((method for method in masks if method in known), None)
    floor = black or min(known, key=lambda method: known[method].value, default=None)
    return Correlations(everybody, groups, floor, black is not None)


def correlation_frame(dataset: str, component: str, found: Correlations) -> pd.DataFrame:
    """The same, flat, for CSV."""
    rows = [
        {"dataset": dataset, "models": component, "method": method, "grouping": "", "group": "",
         **spread("correlation", number), "floor": found.floor}
        for method, number in found.everybody.items()
    ]  # fmt: skip
    rows += [
        {"dataset": dataset, "models": component, "method": method, "grouping": grouping, "group": group,
         **spread("correlation", number), "floor": found.floor}
        for grouping, methods in found.groups.items()
        for method, numbers in methods.items()
        for group, number in numbers.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)
