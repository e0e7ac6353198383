"""Figures: functions of a table, without input, output or computation beyond reshaping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter, ScalarFormatter

from unveil.reporting.labels import Box, place_labels
from unveil.reporting.palette import ACCENT, GRID, INK, style
from unveil.reporting.results import ORIGINAL

WIDTH = 4.3
"""Inches. Narrow enough that text stays readable when a telephone shows the whole figure."""

SIZE = 10.0
"""Of text, in points."""


def plane(frame: pd.DataFrame) -> Figure:
    """Exposure against detection rate, one labelled point per method; the lower right corner is best.

    Args:
        frame: of :func:`unveil.reporting.tables.plane_frame`.
    """
    figure, axes = blank(4.2)
    axes.set_xlim(-0.06, 1.06)
    axes.set_ylim(-0.07, 1.13)
    x, y = frame["detection"].to_numpy(), frame["exposure"].to_numpy()
    for position, row in frame.iterrows():
        plain = row["method"] == ORIGINAL
        colour = INK if plain else ACCENT
        axes.errorbar(
            x[position],
            y[position],
            xerr=_bars(row, "detection"),
            yerr=_bars(row, "exposure"),
            fmt="D" if plain else "o",
            color=colour,
            markerfacecolor="none" if plain else colour,
            markersize=5.5,
            elinewidth=1,
            capsize=0,
        )
    spots = frame.groupby([frame["detection"].round(2), frame["exposure"].round(2)], sort=False)
    named = spots.agg(x=("detection", "first"), y=("exposure", "first"), name=("method", "\n".join))
    place_labels(
        axes, named["x"].to_numpy(), named["y"].to_numpy(), list(named["name"]), _crosses(frame),
        size=SIZE - 1.5, colour=INK,
    )  # fmt: skip
    _percent(axes.xaxis, "Detection rate: is there still a face?")
    _percent(axes.yaxis, "Exposure under the strongest attack")
    return figure


def by_group(frame: pd.DataFrame, groups: Sequence[str], *, share: bool = True) -> Figure:
    """One measure: methods below each other, one mark with interval per group.

    Args:
        frame: rows of one measure of :func:`unveil.reporting.tables.group_frame`.
        groups: all groups of the grouping, in the order of their colours.
        share: the values are shares, and shown in per cent.
    """
    methods = list(frame["method"].unique())
    step = 0.72 / max(1, len(groups))
    names = [_wrapped(method) for method in methods]
    row = max(0.30, 0.11 * len(groups), 0.18 * max(1 + name.count("\n") for name in names))
    figure, axes = blank(0.75 + row * len(methods) + 0.2 * -(-len(groups) // 2))
    looks = style(groups)
    for position, group in enumerate(groups):
        rows = frame[frame["group"] == group]
        place = [methods.index(m) + (position - (len(groups) - 1) / 2) * step for m in rows["method"]]
        colour, mark, _ = looks[group]
        axes.errorbar(
            rows["value"],
            place,
            xerr=_spans(rows),
            fmt=mark,
            color=colour,
            markersize=4,
            elinewidth=1.3,
            label=group,
        )
    axes.set_yticks(range(len(methods)), names)
    axes.set_ylim(len(methods) - 0.5, -0.5)
    for line in range(1, len(methods)):
        axes.axhline(line - 0.5, color=GRID, linewidth=0.6)
    axes.grid(visible=False, axis="y")
    _percent(axes.xaxis, "")
    if not share:
        axes.xaxis.set_major_formatter(ScalarFormatter())
    lowest = min(0.0, float(frame[["value", "low"]].min().min()))  # a drop may be a gain
    highest = max(1.0, 0.0 if share else float(frame[["value", "high"]].max().max()))
    if lowest < 0 or highest > 1:
        axes.xaxis.set_major_locator(MaxNLocator(6))
    margin = 0.03 * (highest - lowest)
    axes.set_xlim(lowest - margin, highest + margin)
    legend(figure, axes, columns=2)
    return figure


def cmc(frame: pd.DataFrame, methods: Sequence[str]) -> Figure:
    """Share of probes whose person is among the first k, per method.

    Args:
        frame: rows of one component and threat model of :func:`unveil.reporting.tables.cmc_frame`.
        methods: all methods, in the order of their colours.
    """
    figure, axes = blank(3.1 + 0.2 * -(-frame["method"].nunique() // 2))
    looks: Mapping[str, tuple[str, str, str]] = style([m for m in methods if m != ORIGINAL])
    for method, rows in frame.groupby("method", sort=False):
        colour, mark, line = looks.get(str(method), (INK, "D", "-"))
        axes.plot(rows["rank"], rows["found"], color=colour, linestyle=line, marker=mark, markersize=3.5,
                  linewidth=1.4, label=method)  # fmt: skip
        axes.fill_between(rows["rank"], rows["low"], rows["high"], color=colour, alpha=0.12, linewidth=0)
    axes.set_ylim(-0.03, 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("Rank k: length of the attacker's list")
    _percent(axes.yaxis, "Person is on the list")
    legend(figure, axes, columns=2)
    return figure


def blank(height: float) -> tuple[Figure, Axes]:
    """A figure of the common width with one pair of axes."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, plain(figure.add_subplot())


def plain(axes: Axes) -> Axes:
    """Axes in the common look."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GRID)
    axes.tick_params(colors=INK, labelsize=SIZE, length=0, pad=4)
    axes.grid(visible=True, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    return axes


def _wrapped(name: str, width: int = 24) -> str:
    """A long label on several lines, so that room is left for the axes."""
    return "\n".join(part for line in name.split("\n") for part in wrap(line, width))


def _percent(axis: Any, title: str) -> None:
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axis.set_label_text(title, fontsize=SIZE, color=INK)
    axis.set_ticks(np.linspace(0, 1, 6))


def legend(figure: Figure, axes: Axes, columns: int) -> None:
    """Name the marks of the axes below the figure."""
    handles, names = axes.get_legend_handles_labels()
    axes.xaxis.label.set(fontsize=SIZE, color=INK)
    axes.yaxis.label.set(fontsize=SIZE, color=INK)
    figure.legend(handles, names, loc="outside lower left", ncols=columns, frameon=False, fontsize=SIZE,
                  labelcolor=INK, handletextpad=0.4, columnspacing=1.6, borderpad=0.1)  # fmt: skip


def _bars(row: pd.Series, name: str) -> np.ndarray | None:
    low, high = row[name] - row[f"{name}_low"], row[f"{name}_high"] - row[name]
    return None if np.isnan(low + high) else np.maximum([[low], [high]], 0)


def _crosses(frame: pd.DataFrame) -> list[Box]:
    """The boxes that the interval bars of the plane cover."""
    flat = frame.dropna()
    across = zip(flat["detection_low"], flat["exposure"], flat["detection_high"], flat["exposure"], strict=True)
    upright = zip(flat["detection"], flat["exposure_low"], flat["detection"], flat["exposure_high"], strict=True)
    return [*across, *upright]


def _spans(rows: pd.DataFrame) -> np.ndarray:
    spans = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]])
    spans = np.nan_to_num(spans.astype(float))
    return np.where(spans > 0, spans, 0.0)
