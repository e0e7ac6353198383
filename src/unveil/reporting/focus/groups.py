"""Figures 5 to 7 of FairDeFace: where a recognizer looks, by group, on originals against protected pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from unveil.core.face_regions import REGIONS
from unveil.reporting import wording
from unveil.reporting.figures import SIZE, WIDTH
from unveil.reporting.number import Number, amount, percent
from unveil.reporting.palette import COLOURS, GRID, INK
from unveil.reporting.results import ORIGINAL, Results
from unveil.reporting.writer import Shown, Writer, slug

_DRAWN: Mapping[str, str] = {
    "strongest_region_rate": "Strongest region",
    "five_strongest_region_rate": "Among the five strongest",
    "region_focus": "Mean focus",
}
_LONGEST = 22  # letters of a group's name below a column


@dataclass(frozen=True, slots=True)
class Favourite:
    """The region that is most often the strongest, with the share of faces; of one method and group."""

    region: str
    number: Number


@dataclass(frozen=True, slots=True)
class FocusByGroup:
    """The finest grouping: ``favourites`` method -> group -> region; ``figures`` method -> one per metric."""

    grouping: str
    groups: Sequence[str]
    favourites: Mapping[str, Mapping[str, Favourite]]
    figures: Mapping[str, Sequence[Shown]]


def group_frame(results: Results, dataset: str, component: str) -> pd.DataFrame:
    """All by group: ``dataset, method, metric, grouping, group, region, value, low, high, n, people``."""
    rows = results.select("measures", dataset=dataset, component=component)
    rows = rows[rows["metric"].isin(_DRAWN) & (rows["grouping"] != "") & rows["value"].notna()]
    names = {"facet": "region", "ci_low": "low", "ci_high": "high", "n_identities": "people"}
    kept = ["dataset", "method", "metric", "grouping", "group", "region", "value", "low", "high", "n", "people"]
    return rows.rename(columns=names)[kept].reset_index(drop=True)


def by_group(results: Results, dataset: str, component: str, key: str, writer: Writer) -> FocusByGroup | None:
    """The finest grouping of a dataset; None without one."""
    everything = group_frame(results, dataset, component)
    groupings = [name for name in results.groupings(dataset) if name in set(everything["grouping"])]
    if not groupings:
        return None
    frame = everything[everything["grouping"] == groupings[-1]]
    groups = sorted(frame["group"].unique())
    methods = [method for method in results.methods(dataset) if method in set(frame["method"])]
    figures = {
        method: [
            _shown(frame, metric, method, groups, f"{key}_{position}", writer)
            for metric in _DRAWN
            if metric in set(frame["metric"])
        ]
        for position, method in enumerate(methods)
        if method != ORIGINAL
    }
    return FocusByGroup(groupings[-1], groups, {m: _favourites(frame, m) for m in methods}, figures)


def _favourites(frame: pd.DataFrame, method: str) -> dict[str, Favourite]:
    mine = frame[(frame["method"] == method) & (frame["metric"] == "strongest_region_rate")]
    first = mine.loc[mine.groupby("group")["value"].idxmax()]
    return {
        row["group"]: Favourite(row["region"], Number(row["value"], row["low"], row["high"], row["n"]))
        for row in first.to_dict("records")
    }


def _shown(
    frame: pd.DataFrame, metric: str, method: str, groups: Sequence[str], key: str, writer: Writer
) -> Shown:
    rows = frame[(frame["metric"] == metric) & frame["method"].isin([ORIGINAL, method])]
    words = amount if metric == "region_focus" else percent
    ends = []
    for name, mine in rows.groupby("method", sort=False):
        row = mine.loc[mine["value"].idxmax()]
        ends.append(f"{name} at most {words(row['value'])} ({row['region']}, {row['group']})")
    most = float(rows["value"].max())
    text = f"{_DRAWN[metric]} by group, originals against {method}: {'; '.join(ends)}."
    title = f"{_DRAWN[metric]} (full colour: {words(most)})"
    slim = rows[["method", "group", "region", "value", "low", "high", "n"]].round(6)
    figure = heat_map(rows, method, groups, most)
    return writer.figure(f"{key}_{slug(metric.removesuffix('_rate'))}", title, text, figure, slim)


def heat_map(frame: pd.DataFrame, method: str, groups: Sequence[str], most: float) -> Figure:
    """Regions down and groups across, of the originals and of one method.

    Args:
        frame: rows of one metric of :func:`group_frame`.
        method: the panel beside the originals.
        groups: columns of a panel.
        most: value of the full colour.
    """
    figure = Figure(figsize=(WIDTH, 4.3), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name in zip(panels, (ORIGINAL, method), strict=True):
        mine = frame[frame["method"] == name]
        table = mine.pivot_table(index="region", columns="group", values="value")
        _panel(axes, table.reindex(index=list(REGIONS), columns=list(groups)).to_numpy(), groups, most)
        title = wording.shortened(name, _LONGEST)
        axes.set_title(title, fontsize=SIZE, color=INK)
    panels[0].set_yticks(range(len(REGIONS)), list(REGIONS))
    return figure


def _panel(axes: Axes, values: NDArray[np.float64], groups: Sequence[str], most: float) -> None:
    """Depth is opacity, so that the map reads on light and on dark pages."""
    colours = np.empty((*values.shape, 4))
    colours[..., :3] = to_rgb(COLOURS[1])
    colours[..., 3] = np.nan_to_num(values / most if most > 0 else values)
    axes.imshow(colours, aspect="auto", interpolation="none")
    axes.set_xticks(range(len(groups)), [wording.shortened(group, _LONGEST) for group in groups], rotation=90)
    axes.tick_params(colors=INK, labelsize=SIZE - 1.5, length=0, pad=3)
    for side in axes.spines.values():
        side.set_color(GRID)
