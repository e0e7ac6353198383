"""Throughput: how many frames a method protects per second.

A row is a timed repeat, after warm-up and alone on the device. The framework's equation divides N frames by
the time between the first and the last time stamp, in which only N - 1 frames were made; here frames and
seconds belong together.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.metrics.average_precision import FRAMEWORK
from unveil.metrics.kind import Columns, Weights, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.statistic import Measure, Statistic


def _speed(frame: pd.DataFrame) -> NDArray[np.float64]:
    seconds = numbers(frame, "seconds")
    return numbers(frame, "frames") / np.where(seconds > 0, seconds, np.nan)


def _timed(frame: pd.DataFrame) -> NDArray[np.bool_]:
    return with_status("ok")(frame) & ~np.isnan(_speed(frame))


def _median(columns: Columns) -> Measure:
    speed = columns["speed"]

    def of(weights: Weights | None) -> float:
        drawn = speed if weights is None else np.repeat(speed, weights.astype(np.int64))
        return float(np.median(drawn)) if len(drawn) else float("nan")

    return of


FRAMES_PER_SECOND = Statistic(
    MetricMeta(
        "frames_per_second",
        1,
        "Frames per second",
        ("size", "frames", "seconds"),
        True,
        "frames/s",
        Source(f"{FRAMEWORK}, Eq. 1, corrected"),
        facet="size",
        by_group=False,
    ),
    reads=lambda frame: {"speed": _speed(frame)},
    denominator=_timed,
    prepare=_median,
    undefined="nothing was timed",
    proportion=False,
    by_row=True,
)
"""Median over the repeats. The interval is of this machine on this day: repeats are drawn, not persons."""
