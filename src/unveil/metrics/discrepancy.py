"""The distance between the originals and their protected versions, as two sets of vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.errors import DataError
from unveil.metrics.bootstrap import resample_weighted
from unveil.metrics.kind import Columns, Mask, Sampled, Weights, everyone, no_draws
from unveil.metrics.meta import MetricMeta
from unveil.metrics.pairs import Rows

Prepare = Callable[[Rows, Rows], Callable[[Weights], float]]
"""Vectors of both versions, row for row of one picture -> distance under weights of the pictures."""

Remark = Callable[[Rows, Rows, float], str]
"""Vectors of both versions and their distance -> what a person should know of it; ``""``: nothing."""


def finite(rows: Rows) -> NDArray[np.bool_]:
    """Which vectors are numbers throughout."""
    return np.asarray(np.isfinite(rows).all(axis=1), np.bool_)


def no_remark(x: Rows, y: Rows, value: float) -> str:
    """There is nothing to say."""
    return ""


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """The distance between the originals and their protected versions, as sets.

    The bootstrap draws people, so a picture and its protected version are drawn together. An estimator from few
    pictures is biased, and drawing adds the same bias once more; replicates are moved back to the value by their
    mean excess, so that the interval is one for the value that is shown.

    Attributes:
        meta: name, direction, source.
        distance: of two sets of vectors; NaN when one has fewer than two.
        prepare: the same for the bootstrap, which needs it under many weights.
        usable: which vectors can take part; a picture needs both.
        remark: becomes the note of the value.
        least: value that no distance falls below.
        population: rows that it is about.
        most_drawn: up to this many pictures there is an interval: it needs all pairs in memory, and time.
        replicates: size of the bootstrap.
    """

    meta: MetricMeta
    distance: Callable[[Rows, Rows], float]
    prepare: Prepare
    usable: Callable[[Rows], NDArray[np.bool_]] = finite
    remark: Remark = no_remark
    least: float = -math.inf
    population: Mask = everyone
    most_drawn: int = 2000
    replicates: int = 200

    proportion: ClassVar[bool] = False
    by_row: ClassVar[bool] = False

    def denominator(self, frame: pd.DataFrame) -> NDArray[np.bool_]:
        """Pictures with an embedding of both versions."""
        ok = (frame["status"] == "ok").to_numpy(dtype=np.bool_)
        return ok & np.all([self.usable(vectors) for vectors in self.columns(frame).values()], axis=0)

    def columns(self, frame: pd.DataFrame) -> Columns:
        """Embeddings of both versions, float32 (n, d); NaN where there is none.

        Raises:
            DataError: when embeddings are not all of one dimension.
        """
        dimension = {len(v) for name in ("original", "protected") for v in frame[name] if _is_vector(v)}
        if len(dimension) > 1:
            raise DataError(f"embeddings must be of one dimension, got {sorted(dimension)}")
        size = max(dimension, default=1)
        return {name: _stacked(frame[name], size) for name in ("original", "protected")}

    def value(self, frame: pd.DataFrame) -> float:
        """The distance of a frame; NaN below two pictures."""
        rows = self.columns(frame[self.denominator(frame)])
        return self.distance(rows["original"], rows["protected"])

    def assess(
        self, columns: Columns, person: NDArray[np.int64], rng: np.random.Generator, replicates: int
    ) -> Sampled:
        """Distance and bootstrap (:meth:`unveil.metrics.kind.Metric.assess`)."""
        x, y = columns["original"], columns["protected"]
        value = self.distance(x, y)
        if math.isnan(value):
            return Sampled(value, no_draws(replicates), "fewer than 2 pictures" if len(x) else "")
        note = self.remark(x, y, value)
        if len(x) > self.most_drawn:
            why = f"more than {self.most_drawn} pictures: no interval"
            return Sampled(value, no_draws(replicates), "; ".join(filter(None, (note, why))))
        draws = resample_weighted(self.prepare(x, y), person, rng, replicates)
        return Sampled(value, np.maximum(draws - (np.nanmean(draws) - value), self.least), note)


def _is_vector(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray) and len(value) > 0


def _stacked(vectors: pd.Series[Any], size: int) -> NDArray[np.float32]:
    rows = np.full((len(vectors), size), np.nan, dtype=np.float32)
    for row, vector in zip(rows, vectors, strict=True):
        if _is_vector(vector):
            row[:] = vector
    return rows
