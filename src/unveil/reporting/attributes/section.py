"""The part about attributes: what is still told of a face, whether it is true, and of whom more than of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting.attributes.tables import (
    ACCURACY,
    ATTRIBUTE_METRICS,
    EXPOSED,
    PRESERVED,
    AttributeTable,
    attribute_table,
    attributes_frame,
)
from unveil.reporting.bias import BiasTable, bias_frame, bias_table
from unveil.reporting.group_tables import GroupTable, group_table, groups_frame
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.wording import models
from unveil.reporting.writer import Shown, Writer, slug

_PARTS = ("eye", "mouth", "expression", "smil")
"""What is in the name of an attribute that is told by one part of the face, which a method may have covered."""


@dataclass(frozen=True, slots=True)
class AttributeGroups:
    """One attribute by one estimator, group by group.

    Attributes:
        component: detector and estimator; ``attribute``: as the estimator names it; ``heading``: the measure.
        table: its values; ``figure``: of the finest grouping, None without values.
        bias: in all groupings, None where none were compared.
    """

    component: str
    attribute: str
    heading: str
    table: GroupTable
    figure: Shown | None
    bias: BiasTable | None

    @property
    def shown_bias(self) -> BiasTable | None:
        """That of the finest grouping alone: an estimator may tell thirty attributes. The file has all."""
        rows = self.bias.sections.get(self.table.finest) if self.bias else None
        if self.bias is None or not rows:
            return None
        return BiasTable(self.bias.title, self.bias.note, {self.table.finest: rows})


@dataclass(frozen=True, slots=True)
class Attributes:
    """What was measured on attributes of one dataset.

    Attributes:
        preserved, accuracy, exposed: tables; None for what was not measured.
        shared: attribute -> the models that tell it, where there are several.
        guessed: attributes that an estimator also tells of a face whose part it does not see.
        groups: metric -> one entry per attribute and estimator; empty without groups.
    """

    preserved: AttributeTable | None
    accuracy: AttributeTable | None
    exposed: AttributeTable | None
    shared: Mapping[str, Sequence[str]]
    guessed: Sequence[str]
    groups: Mapping[str, Sequence[AttributeGroups]]


def attributes(results: Results, label: str, key: str, writer: Writer) -> Attributes | None:
    """Write the figures and tables of one dataset and return what its page shows; None without attributes."""
    tables = {metric: attribute_table(results, label, metric) for metric in ATTRIBUTE_METRICS}
    known = [table for table in tables.values() if table]
    if not known:
        return None
    groups = {metric: list(_groups(results, label, key, metric, writer)) for metric in ATTRIBUTE_METRICS}
    every = [entry for entries in groups.values() for entry in entries]
    writer.table(f"{key}_attributes", attributes_frame(label, known))
    by_group = ((entry.component, entry.table) for entry in every)
    writer.table(f"{key}_attribute_groups", groups_frame(label, by_group))
    writer.table(f"{key}_attribute_bias", bias_frame(label, [entry.bias for entry in every if entry.bias]))
    told: dict[str, list[str]] = {}
    for row in max(known, key=lambda table: len(table.rows)).rows:
        told.setdefault(row.attribute, []).append(row.component)
    return Attributes(
        tables[PRESERVED],
        tables[ACCURACY],
        tables[EXPOSED],
        {attribute: by for attribute, by in told.items() if len(by) > 1},
        [attribute for attribute in told if any(part in attribute for part in _PARTS)],
        {metric: entries for metric, entries in groups.items() if entries},
    )


def _groups(results: Results, label: str, key: str, metric: str, writer: Writer) -> Iterator[AttributeGroups]:
    if not results.groupings(label):
        return
    rows = results.select("measures", dataset=label, metric=metric)
    disparities = results.select("disparities", dataset=label, metric=metric)
    if metric == PRESERVED:
        rows, disparities = (frame[frame["method"] != ORIGINAL] for frame in (rows, disparities))
    judged = _compared(disparities)
    measured = rows.groupby(["component", "facet"], sort=False)
    for position, ((component, attribute), mine) in enumerate(measured, start=1):
        title = f"{ATTRIBUTE_METRICS[metric]}: {attribute}"
        share = not _is_angle(results, str(attribute), mine["cell_id"].iloc[0])
        by_method = {str(method): here for method, here in mine.groupby("method", sort=False)}
        table = group_table(results, label, title, "Method", by_method, share=share)
        gaps = bias_table(results, label, title, models(str(component)), judged.get((component, attribute), {}))
        name = f"{key}_{metric}_{position}_{slug(str(attribute))}"
        yield AttributeGroups(
            str(component),
            str(attribute),
            ATTRIBUTE_METRICS[metric],
            table,
            table.figure(name, writer),
            gaps if gaps.sections else None,
        )


def _compared(disparities: pd.DataFrame) -> dict[tuple[str, str], dict[str, dict[str, pd.DataFrame]]]:
    """(component, attribute) -> method -> grouping -> rows."""
    found: dict[tuple[str, str], dict[str, dict[str, pd.DataFrame]]] = {}
    keys = ["component", "facet", "method", "grouping"]
    for (component, facet, method, grouping), rows in disparities.groupby(keys, sort=False):
        found.setdefault((component, facet), {}).setdefault(method, {})[grouping] = rows
    return found


def _is_angle(results: Results, attribute: str, cell_id: str) -> bool:
    told = results.told
    return bool(
        ((told["cell_id"] == cell_id) & (told["attribute"] == attribute) & (told["kind"] == "angles")).any()
    )
