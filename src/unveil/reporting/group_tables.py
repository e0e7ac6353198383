"""Tables of one measure by demographic group: methods or models down, groups across."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from unveil.reporting import figures, number, wording
from unveil.reporting.number import Number
from unveil.reporting.results import Results
from unveil.reporting.writer import Shown, Writer


@dataclass(frozen=True, slots=True)
class GroupTable:
    """One measure, as Tables XI to XIV of FairDeFace, with intervals.

    Attributes:
        title: of the measure.
        row_head: what the rows are: ``Method`` or a kind of model.
        groupings: grouping -> its groups; empty where the dataset has none.
        rows: name -> (grouping, group) -> number; everybody under ``("", "")``.
        share: the numbers are shares.
    """

    title: str
    row_head: str
    groupings: Mapping[str, Sequence[str]]
    rows: Mapping[str, Mapping[tuple[str, str], Number]]
    share: bool = True

    @property
    def finest(self) -> str:
        """The grouping to draw; empty where there is none."""
        return list(self.groupings)[-1] if self.groupings else ""

    def frame(self) -> pd.DataFrame:
        """``measure, grouping, group, method, value, low, high, n, excluded`` of every known number."""
        rows = [
            {"measure": self.title, "grouping": grouping, "group": group, "method": name, "value": found.value,
             "low": found.low, "high": found.high, "n": found.n, "excluded": found.excluded}
            for name, cells in self.rows.items()
            for (grouping, group), found in cells.items()
            if found.known
        ]  # fmt: skip
        columns = ["measure", "grouping", "group", "method", "value", "low", "high", "n", "excluded"]
        return pd.DataFrame(rows, columns=columns)

    def figure(self, name: str, writer: Writer) -> Shown | None:
        """The finest grouping drawn; None without groups or values."""
        frame = self.frame()
        frame = frame[(frame["grouping"] == self.finest) & (frame["grouping"] != "")]
        if frame.empty:
            return None
        low, high = frame.loc[frame["value"].idxmin()], frame.loc[frame["value"].idxmax()]
        shown = number.percent if self.share else number.amount
        ends = (f"{shown(end['value'])} ({end['method']}, {end['group']})" for end in (low, high))
        text = f"{self.title} by {wording.grouping(self.finest)}: {' to '.join(ends)}."
        drawing = figures.by_group(frame, self.groupings[self.finest], share=self.share)
        return writer.figure(name, f"{self.title}, by {wording.grouping(self.finest)}", text, drawing, frame)


def group_table(
    results: Results,
    dataset: str,
    title: str,
    row_head: str,
    measured: Mapping[str, pd.DataFrame],
    *,
    share: bool = True,
) -> GroupTable:
    """Make a table.

    Args:
        results: of the run.
        dataset: label.
        title, row_head: of the table.
        measured: name of a row -> its rows of the measures table, of one metric, cell and facet.
        share: the numbers are shares.
    """
    numbers = {
        name: {(row["grouping"], row["group"]): Number.of(row, share=share) for row in rows.to_dict("records")}
        for name, rows in measured.items()
    }
    present = list(dict.fromkeys(place for cells in numbers.values() for place in cells))
    groupings = {
        grouping: sorted(group for where, group in present if where == grouping)
        for grouping in results.groupings(dataset)
    }
    divided = {grouping: groups for grouping, groups in groupings.items() if groups}
    return GroupTable(title, row_head, divided, numbers, share)


def groups_frame(dataset: str, tables: Iterable[tuple[str, GroupTable]]) -> pd.DataFrame:
    """Tables, each with its model, as one flat frame, for CSV: ``dataset, model`` and the columns of each."""
    frames = [table.frame().assign(dataset=dataset, model=model) for model, table in tables]
    if not frames:
        return pd.DataFrame()
    frame = pd.concat(frames, ignore_index=True)
    return frame[["dataset", "model", *frame.columns.drop(["dataset", "model"])]]
