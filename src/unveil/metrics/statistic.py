"""A number of rows that need not be a share: average precision, F1, a median.

A statistic is prepared once per set of rows (sorted, split by label) and then measured under many weights, as
the bootstrap needs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.metrics.bootstrap import resample_blocks, resample_weighted
from unveil.metrics.kind import Columns, Mask, Sampled, Weights, everyone, no_draws
from unveil.metrics.meta import MetricMeta

Measure = Callable[[Weights | None], Any]
"""Weights (n,) of the prepared rows (None: each counts once) -> value; NaN when it cannot be measured."""

Keep = Callable[[Columns], tuple[NDArray[np.bool_], str]]
"""Columns -> rows that can take part, and what is left out (``""``: nothing)."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A measure of weighted rows.

    Attributes:
        meta: name, direction, source.
        reads: frame -> what is read of each row, arrays (n,).
        denominator: rows that are looked at.
        prepare: columns -> measure of their rows.
        undefined: why there is no value when there are rows, for a person.
        population: rows that the metric is about at all.
        keep: leaves out rows that cannot take part, such as labels of one class; they count as excluded.
        at_once: whether the measure takes the weights of several replicates (r, n) at once.
        proportion, by_row: see :class:`unveil.metrics.kind.Metric`.
    """

    meta: MetricMeta
    reads: Callable[[pd.DataFrame], Columns]
    denominator: Mask
    prepare: Callable[[Columns], Measure]
    undefined: str
    population: Mask = everyone
    keep: Keep | None = None
    at_once: bool = False
    proportion: bool = True
    by_row: bool = False

    replicates: ClassVar[int] = 200

    def columns(self, frame: pd.DataFrame) -> Columns:
        """What is read of each row."""
        return self.reads(frame)

    def compute(self, columns: Columns, weights: Weights | None = None) -> float:
        """The value of rows, NaN when it cannot be measured.

        Args:
            columns: arrays (n,).
            weights: how much each row counts (n,); a whole number counts as that many copies of the row.
        """
        if self.keep is not None:
            kept, _ = self.keep(columns)
            columns = {name: column[kept] for name, column in columns.items()}
            weights = None if weights is None else weights[kept]
        return float(self.prepare(columns)(weights))

    def value(self, frame: pd.DataFrame) -> float:
        """The value of a frame, NaN when it cannot be measured."""
        return self.compute(self.columns(frame[self.denominator(frame)]))

    def assess(
        self, columns: Columns, person: NDArray[np.int64], rng: np.random.Generator, replicates: int
    ) -> Sampled:
        """Value and bootstrap (:meth:`unveil.metrics.kind.Metric.assess`).

        Rows that ``keep`` leaves out are the same in every replicate; those of a replicate in which
        something else cannot be measured follow the measure's own rule.
        """
        kept, note = None, ""
        if self.keep is not None:
            kept, note = self.keep(columns)
            columns = {name: column[kept] for name, column in columns.items()}
            person = np.unique(person[kept], return_inverse=True)[1].astype(np.int64)
        measure = self.prepare(columns)
        value = float(measure(None))
        if math.isnan(value):
            return Sampled(value, no_draws(replicates), note or (self.undefined if len(person) else ""), kept)
        resample = resample_blocks if self.at_once else resample_weighted
        return Sampled(value, resample(measure, person, rng, replicates), note, kept)


def reader(**columns: Callable[[pd.DataFrame, str], NDArray[Any]]) -> Callable[[pd.DataFrame], Columns]:
    """A function that reads some columns, each in its own way.

    >>> frame = pd.DataFrame({"label": ["age", None], "score": [0.5, 0.1]})
    >>> {name: list(column) for name, column in reader(label=words)(frame).items()}
    {'label': ['age', '']}
    """

    def read(frame: pd.DataFrame) -> Mapping[str, NDArray[Any]]:
        return {name: how(frame, name) for name, how in columns.items()}

    return read


def words(frame: pd.DataFrame, column: str) -> NDArray[Any]:
    """A column of words, object (n,); ``""`` where it has no value."""
    series = frame[column].astype(object)
    return series.where(series.notna(), "").to_numpy(dtype=object)
