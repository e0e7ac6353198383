"""Tables of coloured cells: attributes or object classes down, methods across."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.core.scenes import CLASSES, LABELS
from unveil.reporting.number import Number, percent
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.trainings import PUBLISHED
from unveil.reporting.wording import threat_model


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A number; ``depth`` colours it, from −1 (bad) over 0 to 1 (good); ``small`` stands below it."""

    number: Number
    depth: float
    small: str


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One attribute or class: ``small`` says what holds for every method, ``cells`` method -> cell."""

    name: str
    small: str
    cells: Mapping[str, HeatCell]


@dataclass(frozen=True, slots=True)
class HeatTable:
    """All attributes or classes by one model: ``title`` of the numbers, ``note`` names model and training."""

    title: str
    note: str
    methods: Sequence[str]
    rows: Sequence[HeatRow]


Numbers = Mapping[tuple[str, str], Number]
"""(method, facet) -> number."""


def drop_tables(results: Results, dataset: str) -> list[HeatTable]:
    """Relative drop of the average precision per attribute, as in Table 1 of the framework."""
    return list(_tables(results, dataset, "relative_drop", "Relative drop of AP", _drop_row, with_original=False))


def precision_tables(results: Results, dataset: str) -> list[HeatTable]:
    """Average precision per attribute, with what blind guessing would reach."""
    return list(_tables(results, dataset, "average_precision", "AP per attribute", _precision_row))


def class_tables(results: Results, dataset: str) -> list[HeatTable]:
    """F1 per object class, as in Figure 6 of the framework."""
    return list(_tables(results, dataset, "object_f1", "F1 per object class", _class_row))


_Row = Callable[["_Here", str], HeatRow]


@dataclass(frozen=True, slots=True)
class _Here:
    """The rows of one model: metric -> numbers, and how often each attribute is there."""

    metric: str
    methods: Sequence[str]
    numbers: Mapping[str, Numbers]
    prevalence: Mapping[str, float]

    def of(self, metric: str, method: str, facet: str) -> Number | None:
        number = self.numbers.get(metric, {}).get((method, facet))
        return number if number is not None and number.known else None


def _tables(
    results: Results, dataset: str, metric: str, title: str, row: _Row, *, with_original: bool = True
) -> Iterator[HeatTable]:
    everybody = results.select("measures", dataset=dataset, grouping="")
    everybody = everybody[everybody["facet"] != ""]
    mine = everybody[everybody["metric"] == metric]
    pairs = list(dict.fromkeys(zip(mine["component"], mine["threat_model"], strict=True)))
    for component, threat in sorted(pairs, key=lambda pair: pair[1] != PUBLISHED[metric]):
        here = everybody[(everybody["component"] == component) & (everybody["threat_model"] == threat)]
        cells = here.loc[here["method"] == ORIGINAL, "cell_id"]
        prevalence = results.prevalence.get(cells.iloc[0], {}) if len(cells) else {}
        measured = set(here.loc[here["metric"] == metric, "method"])
        methods = [m for m in results.methods(dataset) if m in measured and (with_original or m != ORIGINAL)]
        known = _Here(metric, methods, _numbers(here), prevalence)
        facets = sorted(here.loc[here["metric"] == metric, "facet"].unique(), key=_place)
        note = ", ".join(filter(None, (component, threat and threat_model(threat))))
        yield HeatTable(title, note, methods, [row(known, str(facet)) for facet in facets])


def _place(facet: str) -> int:
    """Attributes and classes in the order of their vocabulary, others after them."""
    known = (*LABELS, *CLASSES)
    return known.index(facet) if facet in known else len(known)


def _numbers(rows: pd.DataFrame) -> dict[str, dict[tuple[str, str], Number]]:
    found: dict[str, dict[tuple[str, str], Number]] = {}
    for row in rows.to_dict("records"):
        found.setdefault(row["metric"], {}).setdefault((row["method"], row["facet"]), Number.of(row))
    return found


def _drop_row(here: _Here, label: str) -> HeatRow:
    cells = {
        method: HeatCell(number, max(-1.0, min(1.0, number.value)), f"AP {_of(here, method, label)}")
        for method in here.methods
        if (number := here.of("relative_drop", method, label))
    }
    return HeatRow(label, f"originals {_of(here, ORIGINAL, label)}, chance {_chance(here, label)}", cells)


def _precision_row(here: _Here, label: str) -> HeatRow:
    cells = {}
    for method in here.methods:
        if number := here.of("average_precision", method, label):
            above = here.of("average_precision_above_chance", method, label)
            depth = min(1.0, max(0.0, above.value)) if above else 0.0
            cells[method] = HeatCell(number, -depth, f"above chance {percent(above.value if above else math.nan)}")
    return HeatRow(label, f"chance {_chance(here, label)}", cells)


def _class_row(here: _Here, name: str) -> HeatRow:
    cells = {
        method: HeatCell(number, number.value, number.interval)
        for method in here.methods
        if (number := here.of("object_f1", method, name))
    }
    return HeatRow(name, "", cells)


def _of(here: _Here, method: str, label: str) -> str:
    number = here.of("average_precision", method, label)
    return number.percent if number else "–"


def _chance(here: _Here, label: str) -> str:
    return percent(here.prevalence.get(label, math.nan))


def heat_frame(dataset: str, tables: Sequence[HeatTable]) -> pd.DataFrame:
    """The tables as one flat frame, for CSV."""
    rows = [
        {"dataset": dataset, "measure": table.title, "model": table.note, "of": row.name, "method": method,
         "value": cell.number.value, "low": cell.number.low, "high": cell.number.high, "n": cell.number.n}
        for table in tables
        for row in table.rows
        for method, cell in row.cells.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)
