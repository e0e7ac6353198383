"""What counting, grouping and resampling need to know of a metric, whatever its kind.

There are shares of rows (:class:`unveil.metrics.rates.Rate`), measures of a recognizer
(:class:`unveil.metrics.ranking.Ranking`), other numbers of weighted rows
(:class:`unveil.metrics.statistic.Statistic`) and the distance of two sets of pictures
(:class:`unveil.metrics.discrepancy.Discrepancy`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.metrics.meta import MetricMeta

Columns = Mapping[str, NDArray[Any]]
"""Name -> what a metric reads of each row, arrays of the same first axis."""

Mask = Callable[[pd.DataFrame], NDArray[np.bool_]]
"""Chooses rows: frame of n rows -> bool array (n,)."""

Weights = NDArray[np.float64]
"""How much each row counts (n,); of a bootstrap, how often its person was drawn."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A value and its bootstrap.

    Attributes:
        value: NaN when it cannot be measured.
        draws: replicates of the value, float64 (replicates,); all NaN when there are none.
        note: why there is no value or no interval, or what was left out; ``""`` in the normal case.
        kept: rows that the value is of, bool; None for all that were given.
    """

    value: float
    draws: NDArray[np.float64]
    note: str = ""
    kept: NDArray[np.bool_] | None = None


class Metric(Protocol):
    """A metric of any kind.

    Attributes:
        meta: name, direction, source.
        replicates: size of its bootstrap, unless another is asked for.
        proportion: whether it lies in [0, 1] and agreement of all persons proves as little as it does for
            a share: the interval is then the binomial one on their number.
        by_row: whether each row is drawn by itself, not with the other rows of its person.
    """

    @property
    def meta(self) -> MetricMeta: ...  # noqa: D102 - see the class
    @property
    def replicates(self) -> int: ...  # noqa: D102
    @property
    def proportion(self) -> bool: ...  # noqa: D102
    @property
    def by_row(self) -> bool: ...  # noqa: D102

    @property
    def population(self) -> Mask:
        """Rows that the metric is about at all."""

    @property
    def denominator(self) -> Mask:
        """Rows that it looks at; the others of the population are reported as excluded."""

    def columns(self, frame: pd.DataFrame) -> Columns:
        """What it reads of every row of a frame."""

    def value(self, frame: pd.DataFrame) -> float:
        """The value of a frame; NaN when it cannot be measured."""

    def assess(
        self, columns: Columns, person: NDArray[np.int64], rng: np.random.Generator, replicates: int
    ) -> Sampled:
        """Value and bootstrap of rows of the denominator.

        Args:
            columns: of these rows.
            person: of each row, numbered from 0 without gaps (n,).
            rng: source of the bootstrap; nothing is drawn when there is no value.
            replicates: how many.
        """


def everyone(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """All rows."""
    return np.ones(len(frame), dtype=np.bool_)


def with_status(*values: str) -> Mask:
    """Rows whose ``status`` is one of these."""
    return lambda frame: frame["status"].isin(values).to_numpy(dtype=np.bool_)


def flags(frame: pd.DataFrame, column: str) -> NDArray[np.bool_]:
    """A column of true and false as bool; what is missing is not true."""
    return frame[column].eq(True).to_numpy(dtype=np.bool_, na_value=False)


def no_draws(replicates: int) -> NDArray[np.float64]:
    """Replicates of something that has none."""
    return np.full(replicates, np.nan)
