"""Figures of people in scenes: functions of a table, without computation beyond reshaping."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from unveil.metrics.practicality import Weights
from unveil.reporting.figures import SIZE, WIDTH, blank, legend, plain
from unveil.reporting.labels import Box, place_labels
from unveil.reporting.palette import ACCENT, GRID, INK, style
from unveil.reporting.results import ORIGINAL
from unveil.reporting.scenes.simplex_map import CORNERS, flat, regions


def plane(frame: pd.DataFrame, front: Sequence[str]) -> Figure:
    """1 − cMAP over person F1: the upper right corner is best. The area of a circle is practicality.

    Args:
        frame: of :func:`unveil.reporting.scenes.frames.plane_frame`.
        front: methods that no other one beats, joined by a line.
    """
    figure, axes = blank(4.4)
    shown = frame.assign(privacy=1 - frame["cmap"])
    _limits(axes, shown)
    for row in shown.to_dict("records"):
        original = row["method"] == ORIGINAL
        colour = INK if original or row["method"] not in front else ACCENT
        axes.errorbar(row["person_f1"], row["privacy"], xerr=_bar(row, "person_f1", 1), yerr=_bar(row, "cmap", -1),
                      fmt="none", ecolor=colour, elinewidth=0.8, alpha=0.55)  # fmt: skip
        known = not math.isnan(row["practicality"])
        area = 46 if original or not known else 20 + 240 * row["practicality"]
        axes.scatter(row["person_f1"], row["privacy"], s=area, marker="D" if original else "o",
                     facecolor=colour if known else "none", edgecolor=colour, linewidth=1.1,
                     alpha=0.6 if known else 1, zorder=3)  # fmt: skip
    best = shown[shown["method"].isin(front)].sort_values("person_f1")
    axes.plot(best["person_f1"], best["privacy"], color=ACCENT, linewidth=1.2, linestyle="--", zorder=2)
    _chance(axes, shown["chance"].dropna())
    spots = shown.groupby([shown["person_f1"].round(3), shown["privacy"].round(3)], sort=False)
    named = spots.agg(x=("person_f1", "first"), y=("privacy", "first"), name=("method", "\n".join))
    x, y, names = named["x"].to_numpy(), named["y"].to_numpy(), list(named["name"])
    place_labels(axes, x, y, names, _crosses(shown), size=SIZE - 1.5, colour=INK)
    for axis, title in ((axes.xaxis, "Person F1: useful →"), (axes.yaxis, "1 − cMAP: private →")):
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        axis.set_label_text(title, fontsize=SIZE, color=INK)
    return figure


def _limits(axes: Axes, shown: pd.DataFrame) -> None:
    """Room for the points and their intervals, never outside of what a share can be by more than a margin."""
    chance = 1 - shown["chance"].dropna()
    up = pd.concat([shown["privacy"], 1 - shown["cmap_low"], 1 - shown["cmap_high"], chance]).dropna()
    across = pd.concat([shown["person_f1"], shown["person_f1_low"], shown["person_f1_high"]]).dropna()
    for values, set_limits in ((across, axes.set_xlim), (up, axes.set_ylim)):
        low, high = float(values.min()), float(values.max())
        margin = max(0.04, 0.12 * (high - low))
        set_limits(max(-0.07, low - margin), min(1.07, high + margin))


def _bar(row: Mapping[str, float], name: str, direction: int) -> np.ndarray | None:
    low, high = row[name] - row[f"{name}_low"], row[f"{name}_high"] - row[name]
    if math.isnan(low + high):
        return None
    return np.maximum([[low], [high]][::direction], 0)


def _crosses(shown: pd.DataFrame) -> list[Box]:
    """The boxes that the intervals cover."""
    boxes: list[Box] = []
    for row in shown.to_dict("records"):
        x, y = row["person_f1"], row["privacy"]
        spans = (
            (row["person_f1_low"], y, row["person_f1_high"], y),
            (x, 1 - row["cmap_high"], x, 1 - row["cmap_low"]),
        )
        boxes += [box for box in spans if all(map(math.isfinite, box))]
    return boxes


def _chance(axes: Axes, chance: pd.Series) -> None:
    if chance.empty:
        return
    level = 1 - float(chance.mean())
    axes.axhline(level, color=INK, linewidth=0.8, linestyle=":")
    axes.annotate("blind guessing", (axes.get_xlim()[0], level), xytext=(3, 3), textcoords="offset points",
                  fontsize=SIZE - 2, color=INK)  # fmt: skip


def robustness(frame: pd.DataFrame, methods: Sequence[str]) -> Figure:
    """Similar matches over the SSIM threshold, one panel per IoU threshold.

    Args:
        frame: of one detector, see :func:`unveil.reporting.scenes.frames.robustness_frames`.
        methods: all methods, in the order of their colours.
    """
    overlaps = sorted(frame["iou"].unique())
    figure = Figure(figsize=(WIDTH, 2.9 + 0.2 * -(-frame["method"].nunique() // 2)), layout="constrained")
    looks = style([method for method in methods if method != ORIGINAL])
    panels = figure.subplots(1, len(overlaps), sharey=True, squeeze=False)[0]
    for axes, overlap in zip(panels, overlaps, strict=True):
        plain(axes)
        for method, rows in frame[frame["iou"] == overlap].groupby("method", sort=False):
            colour, mark, line = looks.get(str(method), (INK, "D", "-"))
            axes.plot(rows["ssim"], rows["value"], color=colour, marker=mark, linestyle=line, markersize=4,
                      linewidth=1.3, label=method)  # fmt: skip
        axes.set_title(f"IoU ≥ {overlap:g}", fontsize=SIZE, color=INK)
        axes.set_xticks(sorted(frame["ssim"].unique()))
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    panels[0].set_ylabel("Persons still similar", fontsize=SIZE, color=INK)
    panels[len(panels) // 2].set_xlabel("SSIM at least", fontsize=SIZE, color=INK)
    legend(figure, panels[0], columns=2)
    return figure


def simplex(parts: Mapping[str, Sequence[float]], methods: Sequence[str], weights: Weights) -> Figure:
    """Who comes first under which weights: a triangle whose corners are all weight on one part.

    Args:
        parts: method -> robustness, intelligibility, throughput, each from 0 to 1.
        methods: all methods, in the order of their colours.
        weights: of the run, marked by a cross.
    """
    figure = Figure(figsize=(WIDTH, 3.7 + 0.2 * -(-len(parts) // 2)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-0.12, 1.12)
    axes.set_ylim(-0.09, 0.95)
    looks = style([method for method in methods if method != ORIGINAL])
    for method, corners in regions(parts).items():
        x, y = flat(corners).T
        axes.fill(x, y, facecolor=looks[method][0], edgecolor=GRID, linewidth=0.8, alpha=0.85, label=method)
    for (x, y), name in zip(flat(np.eye(3)), CORNERS, strict=True):
        axes.annotate(name, (x, y), xytext=(0, 6 if y > 0 else -14), textcoords="offset points",
                      ha="center", fontsize=SIZE, color=INK)  # fmt: skip
    axes.plot(*flat(np.array([weights]))[0], marker="P", color=INK, markersize=9, markeredgecolor=GRID,
              linestyle="none", label="weights of this run")  # fmt: skip
    legend(figure, axes, columns=2)
    return figure
