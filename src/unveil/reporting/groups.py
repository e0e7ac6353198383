"""Figures of measures by demographic group."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unveil.reporting import figures, number, wording
from unveil.reporting.compared import Compared, group_frame
from unveil.reporting.results import Results
from unveil.reporting.writer import Shown, Writer, slug


def group_figures(
    results: Results, dataset: str, measures: Sequence[Compared], key: str, writer: Writer
) -> dict[str, list[Shown]]:
    """Grouping -> one figure per measure that has values there; written as ``KEY_GROUPING_MEASURE``."""
    shown: dict[str, list[Shown]] = {}
    for grouping in results.groupings(dataset):
        frames = [group_frame(results, dataset, measure, grouping) for measure in measures]
        groups = sorted({group for frame in frames for group in frame["group"]})
        for measure, frame in zip(measures, frames, strict=True):
            if frame.empty:
                continue
            name = f"{key}_{slug(grouping)}_{slug(measure.title)}"
            ends = _extremes(frame, measure.share)
            text = f"{measure.title} of each method by {wording.grouping(grouping)}: {ends}."
            figure = figures.by_group(frame, groups, share=measure.share)
            shown.setdefault(grouping, []).append(writer.figure(name, measure.title, text, figure, frame))
    return shown


def _extremes(rows: pd.DataFrame, share: bool) -> str:
    shown = number.percent if share else number.amount
    low, high = rows.loc[rows["value"].idxmin()], rows.loc[rows["value"].idxmax()]
    ends = (f"{shown(end['value'])} ({end['method']}, {end['group']})" for end in (low, high))
    return " to ".join(ends)
