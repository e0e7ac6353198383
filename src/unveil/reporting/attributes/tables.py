"""What estimators still tell of faces: attributes down, methods across, beside what one constant answer scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.attributes.constant_answer import Constant, constant_answers
from unveil.reporting.number import Number, amount, percent
from unveil.reporting.results import ORIGINAL, Results

PRESERVED, ACCURACY, EXPOSED = "attribute_preserving_rate", "attribute_accuracy", "attribute_exposure"

ATTRIBUTE_METRICS: Mapping[str, str] = {
    PRESERVED: "Attribute preserved",
    ACCURACY: "Attribute told rightly",
    EXPOSED: "Attribute exposed",
}
"""Metrics of attributes, in the order of the page."""

_COUNTED: Mapping[str, tuple[str, str]] = {
    PRESERVED: ("told_original", "compared"),
    ACCURACY: ("true_value", "judged"),
    EXPOSED: ("true_value", "photos"),
}
"""What a constant answer is held against, and what counts: in exposure all photos, else faces that were read."""

_KINDS = {"categorical": "words", "numeric": "number: 1 − gap / larger", "angles": "angles: cosine"}


@dataclass(frozen=True, slots=True)
class AttributeCell:
    """A rate, and what always answering the same would score on the same faces.

    Attributes:
        number: the rate.
        constant: None where it is unknown.
        answer: the constant answer, in words; empty where it is unknown.
        few: it stands on so few people that nothing is concluded from it.
    """

    number: Number
    constant: float | None
    answer: str = ""
    few: bool = False

    @property
    def depth(self) -> float:
        """How far the rate is above the constant answer, from 0 to 1 (all there is to tell); 0 for few people."""
        if not self.number.known or self.few:
            return 0.0
        floor = self.constant if self.constant is not None else 0.0
        return min(1.0, max(0.0, (self.number.value - floor) / (1 - floor))) if floor < 1 else 0.0

    @property
    def is_chance(self) -> bool:
        """The interval reaches down to the constant answer."""
        low = self.number.low if self.number.bounded else self.number.value
        return self.number.known and self.constant is not None and low <= self.constant

    @property
    def constant_text(self) -> str:
        """As the number is shown; empty where it is unknown."""
        if self.constant is None:
            return ""
        return percent(self.constant) if self.number.share else amount(self.constant)


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """One attribute by one estimator.

    Attributes:
        component: detector and estimator.
        attribute: as the estimator names it; ``kind``: in words.
        cells: method -> cell.
    """

    component: str
    attribute: str
    kind: str
    cells: Mapping[str, AttributeCell]


@dataclass(frozen=True, slots=True)
class AttributeTable:
    """All attributes by all estimators: one of the three metrics.

    Attributes:
        metric: registered name; ``title``: in words.
        methods: columns; ``passing``: their passing rates.
        components: detector and estimator -> rows.
    """

    metric: str
    title: str
    methods: Sequence[str]
    passing: Mapping[str, Number]
    components: Mapping[str, Sequence[AttributeRow]]

    @property
    def rows(self) -> list[AttributeRow]:
        """All of them."""
        return [row for rows in self.components.values() for row in rows]

    @property
    def weak(self) -> list[AttributeRow]:
        """Those that even on unprotected photos are not shown to be told better than by a constant answer."""
        return [row for row in self.rows if (cell := row.cells.get(ORIGINAL)) and cell.is_chance]

    def clearest(self, method: str) -> tuple[AttributeRow, AttributeCell] | None:
        """What stands furthest above its constant answer; None where no faces of enough people were read."""
        cells = ((row, row.cells[method]) for row in self.rows if method in row.cells)
        known = [(row, cell) for row, cell in cells if cell.number.known and not cell.few]
        return max(known, key=lambda found: (not found[1].is_chance, found[1].depth), default=None)


def attribute_table(results: Results, dataset: str, metric: str) -> AttributeTable | None:
    """One table of :data:`ATTRIBUTE_METRICS`; None where nothing was measured.

    What is preserved of an unprotected photo is everything, so its column is left out there.
    """
    everybody = results.select("measures", dataset=dataset, grouping="")
    rows = everybody[everybody["metric"] == metric]
    if metric == PRESERVED:
        rows = rows[rows["method"] != ORIGINAL]
    if rows.empty:
        return None
    counts = results.told[results.told["cell_id"].isin(set(rows["cell_id"]))]
    constants = constant_answers(counts, *_COUNTED[metric])
    least = int(results.manifest["config"]["fairness"]["minimum_identities"])
    kinds = {(str(cell), str(name)): str(kind) for cell, name, kind in
             counts[["cell_id", "attribute", "kind"]].drop_duplicates().itertuples(index=False)}  # fmt: skip
    passing = everybody[everybody["metric"] == "passing_rate"]
    measured = set(rows["method"])
    return AttributeTable(
        metric,
        ATTRIBUTE_METRICS[metric],
        [method for method in results.methods(dataset) if method in measured],
        {row["method"]: Number.of(row) for row in passing.to_dict("records")},
        {
            str(component): [_row(str(component), str(name), mine, constants, kinds, least)
                             for name, mine in here.groupby("facet", sort=False)]
            for component, here in rows.groupby("component", sort=False)
        },
    )  # fmt: skip


def _row(
    component: str,
    attribute: str,
    rows: pd.DataFrame,
    constants: Mapping[tuple[str, str], Constant],
    kinds: Mapping[tuple[str, str], str],
    least: int,
) -> AttributeRow:
    cells: dict[str, AttributeCell] = {}
    kind = ""
    for row in rows.to_dict("records"):
        place = row["cell_id"], attribute
        kind = kinds.get(place, kind)
        found = constants.get(place)
        number = Number.of(row, share=kind != "angles")
        rate, answer = (found.rate, found.words) if found else (None, "")
        cells[row["method"]] = AttributeCell(number, rate, answer, few=number.people < least)
    return AttributeRow(component, attribute, _KINDS.get(kind, ""), cells)


def attributes_frame(dataset: str, tables: Sequence[AttributeTable]) -> pd.DataFrame:
    """The tables as one flat frame, for CSV."""
    return pd.DataFrame(list(_flat(dataset, tables)))


def _flat(dataset: str, tables: Sequence[AttributeTable]) -> Iterator[dict[str, object]]:
    for table in tables:
        for row in table.rows:
            for method, cell in row.cells.items():
                number, passing = cell.number, table.passing.get(method)
                yield {
                    "dataset": dataset, "metric": table.metric, "model": row.component, "attribute": row.attribute,
                    "kind": row.kind, "method": method, "value": number.value, "low": number.low,
                    "high": number.high, "n": number.n, "people": number.people, "excluded": number.excluded,
                    "constant_answer": cell.answer, "constant": cell.constant,
                    "passing": passing.value if passing else None,
                }  # fmt: skip
