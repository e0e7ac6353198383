"""Bias over epsilon as in Tables X, XV and XVI of FairDeFace, with what the data can and cannot show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.compared import Compared
from unveil.reporting.failing import Verdicts, headline_rule, headline_verdicts
from unveil.reporting.results import Results

Rule = tuple[str, float]
"""Definition and epsilon."""


@dataclass(frozen=True, slots=True)
class BiasCell:
    """Average bias at one rule, in [0, 1]; of ``pairs`` pairs of groups ``shown`` are beyond chance."""

    value: float
    shown: int
    pairs: int


@dataclass(frozen=True, slots=True)
class BiasRow:
    """One method in one grouping.

    Attributes:
        method: label.
        cells: rule -> average bias.
        verdicts: at the headline rule.
        demographic: group -> rule -> share of the other groups against which it is disadvantaged.
        pairs: rows of the disparities table at the headline epsilon, one per pair and definition.
    """

    method: str
    cells: Mapping[Rule, BiasCell]
    verdicts: Verdicts | None
    demographic: Mapping[str, Mapping[Rule, float]]
    pairs: Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class BiasTable:
    """One measure over all methods.

    Attributes:
        title: of the measure; ``note`` says under which attack or by which model.
        sections: grouping -> rows.
    """

    title: str
    note: str
    sections: Mapping[str, Sequence[BiasRow]]


def rules(results: Results) -> list[Rule]:
    """All rules of a run, by definition."""
    fairness = results.manifest["config"]["fairness"]
    return [(definition, epsilon) for definition in fairness["definitions"] for epsilon in fairness["epsilons"]]


def bias_tables(results: Results, dataset: str, measures: Iterable[Compared]) -> list[BiasTable]:
    """One table per measure whose groups were compared; all others are in the disparities table."""
    compared = results.select("disparities", dataset=dataset)
    keys = ["cell_id", "operating_point", "metric", "grouping"]
    indexed = dict(tuple(compared.groupby(keys, sort=False)))
    tables = [_table(results, dataset, measure, indexed) for measure in measures]
    return [table for table in tables if table.sections]


def _table(
    results: Results, dataset: str, measure: Compared, indexed: Mapping[tuple[str, ...], pd.DataFrame]
) -> BiasTable:
    compared = {
        method: {
            grouping: indexed[(*place, measure.metric, grouping)]
            for grouping in results.groupings(dataset)
            if (*place, measure.metric, grouping) in indexed
        }
        for method, place in measure.places.items()
    }
    return bias_table(results, dataset, measure.title, measure.note, compared)


def bias_table(
    results: Results, dataset: str, title: str, note: str, compared: Mapping[str, Mapping[str, pd.DataFrame]]
) -> BiasTable:
    """A table of methods, or of something else that has groups, such as detectors on originals.

    Args:
        results: of the run.
        dataset: label.
        title, note: of the table.
        compared: name of a row -> grouping -> its rows of the disparities table, of one metric, cell and facet.
    """
    sections = {
        grouping: [_row(results, name, rows[grouping]) for name, rows in compared.items() if grouping in rows]
        for grouping in results.groupings(dataset)
    }
    return BiasTable(title, note, {grouping: rows for grouping, rows in sections.items() if rows})


def _row(results: Results, method: str, rows: pd.DataFrame) -> BiasRow:
    pairs = rows[rows["statistic"] == "pair"]
    average = rows[rows["statistic"] == "average_bias"]
    by_rule = ["definition", "epsilon"]
    shown = pairs[pairs["verdict"] == "biased"].groupby(by_rule).size().to_dict()
    number = pairs.groupby(by_rule).size().to_dict()
    demographic: dict[str, dict[Rule, float]] = {}
    for _, row in rows[rows["statistic"] == "demographic_bias"].iterrows():
        demographic.setdefault(row["group"], {})[row["definition"], row["epsilon"]] = row["value"]
    epsilon = headline_rule(results)[1] if rules(results) else 0.0
    return BiasRow(
        method=method,
        cells={
            rule: BiasCell(value, shown.get(rule, 0), number.get(rule, 0))
            for rule, value in average.set_index(by_rule)["value"].items()
        },
        verdicts=headline_verdicts(results, rows),
        demographic=demographic,
        pairs=pairs[pairs["epsilon"] == epsilon].to_dict("records"),
    )


def bias_frame(dataset: str, tables: Sequence[BiasTable]) -> pd.DataFrame:
    """Average bias and demographic bias of the page's measures as one flat frame, for CSV."""
    rows = []
    for table in tables:
        for grouping, methods in table.sections.items():
            for row in methods:
                keys = {"dataset": dataset, "measure": table.title, "where": table.note, "grouping": grouping}
                keys["method"] = row.method
                for (definition, epsilon), cell in row.cells.items():
                    rule = {"definition": definition, "epsilon": epsilon}
                    rows.append(
                        {**keys, **rule, "statistic": "average_bias", "group": "", "value": cell.value,
                         "pairs_beyond_chance": cell.shown, "pairs": cell.pairs}
                    )  # fmt: skip
                for group, values in row.demographic.items():
                    rows += [
                        {**keys, "definition": definition, "epsilon": epsilon, "statistic": "demographic_bias",
                         "group": group, "value": value}
                        for (definition, epsilon), value in values.items()
                    ]  # fmt: skip
    return pd.DataFrame(rows)
