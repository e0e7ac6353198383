"""Average precision: how well a score finds what is there, and the privacy metrics of one label.

Average precision is the mean of the precision over the positives, in descending order of score:
AP = sum_k (R_k - R_(k-1)) P_k over the distinct scores, tied rows together, without interpolation. It is the
definition of scikit-learn's ``average_precision_score``, weights included. Without both classes it is NaN.

AP cannot fall below the prevalence of a label by more than bad luck, so a label that is almost always there
looks exposed under any method. *AP above chance*, (AP - prevalence) / (1 - prevalence), is 0 for a score that
knows nothing and 1 for a perfect one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from unveil.core.protocols import Source
from unveil.metrics.kind import Columns, Mask, Weights, flags, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.statistic import Measure, Statistic, reader

FRAMEWORK = "Abdulaziz et al., Evaluation of Human Visual Privacy Protection, ICCV Workshops (2025)"


class Curve(NamedTuple):
    """What is found from each distinct score on, the highest first; under several weights at once (..., scores).

    Attributes:
        hits: weight of the positives found.
        found: weight of everything found.
    """

    hits: NDArray[np.float64]
    found: NDArray[np.float64]

    @property
    def positives(self) -> NDArray[np.float64]:
        """Weight of all positives (...,); NaN without both classes."""
        ends = np.zeros((2, *self.hits.shape[:-1]))
        if self.hits.shape[-1]:
            ends[:] = self.hits[..., -1], self.found[..., -1]
        hits, found = ends
        return np.where((hits > 0) & (hits < found), hits, math.nan)


Scored = Callable[[Curve], NDArray[np.float64]]
"""A measure of how well scores find positives: NaN without both classes."""


def ranked(score: ArrayLike, positive: ArrayLike) -> Callable[[Weights | None], Curve]:
    """The curve of scores that are sorted once, under any weights; tied rows are found together.

    Args:
        score: (n,), higher where the label is more likely.
        positive: bool (n,).
    """
    scores = np.asarray(score, dtype=np.float64)
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True)[: len(scores)])  # of each run of ties
    there = np.asarray(positive, dtype=np.float64)[order]

    def curve(weights: Weights | None) -> Curve:
        weight = np.ones(len(order)) if weights is None else weights[..., order]
        return Curve((weight * there).cumsum(axis=-1)[..., last], weight.cumsum(axis=-1)[..., last])

    return curve


def average_precision(score: ArrayLike, positive: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Average precision, in [0, 1]; NaN without both classes.

    Args:
        score: (n,), higher where the label is more likely.
        positive: bool (n,).
        weights: non-negative (n,).

    >>> round(average_precision([0.9, 0.8, 0.1], [True, False, True]), 4)
    0.8333
    """
    return float(precision_of(ranked(score, positive)(_floats(weights))))


def average_precision_above_chance(
    score: ArrayLike, positive: ArrayLike, weights: ArrayLike | None = None
) -> float:
    """(AP - prevalence) / (1 - prevalence): 0 for a blind score, 1 for a perfect one, negative for worse."""
    return float(precision_above_chance_of(ranked(score, positive)(_floats(weights))))


def _floats(weights: ArrayLike | None) -> Weights | None:
    return None if weights is None else np.asarray(weights, dtype=np.float64)


def precision_of(curve: Curve) -> NDArray[np.float64]:
    """Average precision of a curve."""
    gain = np.diff(curve.hits, prepend=0.0)
    # Where nothing is found yet there is no precision, and none is needed.
    precision = np.divide(curve.hits, curve.found, out=np.zeros_like(gain), where=curve.found > 0)
    return np.minimum((gain * precision).sum(axis=-1) / curve.positives, 1.0)


def precision_above_chance_of(curve: Curve) -> NDArray[np.float64]:
    """AP above chance of a curve."""
    prevalence = curve.positives / curve.found.max(axis=-1, initial=0.0)
    return (precision_of(curve) - prevalence) / (1 - prevalence)


def area_under_roc(curve: Curve) -> NDArray[np.float64]:
    """AUROC of a curve, ties count half."""
    rise, run = np.diff(curve.hits, prepend=0.0), np.diff(curve.found - curve.hits, prepend=0.0)
    area = (run * (curve.hits - rise / 2)).sum(axis=-1)
    return np.minimum(area / (curve.positives * run.sum(axis=-1)), 1.0)


def presorted(measure: Scored, columns: Columns, score: str, rows: NDArray[np.intp] | None = None) -> Measure:
    """A measure of rows that are sorted once: sorting them again under other weights is cheap.

    Args:
        measure: of a curve.
        columns: ``positive`` and the scores.
        score: name of the column of scores.
        rows: which rows; by default all.
    """
    chosen = np.arange(len(columns[score])) if rows is None else rows
    curve = ranked(columns[score][chosen], columns["positive"][chosen])
    return lambda weights: measure(curve(None if weights is None else weights[..., chosen]))


def has_scores(statuses: Mask, *columns: str) -> Mask:
    """Rows of some status that have all these scores."""

    def mask(frame: pd.DataFrame) -> NDArray[np.bool_]:
        known = statuses(frame)
        for column in columns:
            known = known & ~np.isnan(numbers(frame, column))
        return known

    return mask


def _relative_drop(columns: Columns) -> Measure:
    protected = presorted(precision_of, columns, "score")
    original = presorted(precision_of, columns, "score_original")
    return lambda weights: 1 - protected(weights) / original(weights)


def _of_label(
    name: str,
    title: str,
    prepare: Callable[[Columns], Measure],
    *scores: str,
    higher_is_better: bool,
    source: str,
    proportion: bool = True,
) -> Statistic:
    meta = MetricMeta(
        name,
        1,
        title,
        ("label", "positive", *scores),
        higher_is_better,
        "share",
        Source(source),
        facet="label",
        by_group=False,
    )
    read = reader(positive=flags, **dict.fromkeys(scores, numbers))
    return Statistic(
        meta,
        read,
        has_scores(with_status("ok"), *scores),
        prepare,
        "only one class: a label that is always or never there cannot be ranked",
        at_once=True,
        proportion=proportion,
    )


AVERAGE_PRECISION = _of_label(
    "average_precision",
    "AP",
    lambda columns: presorted(precision_of, columns, "score"),
    "score",
    higher_is_better=False,
    source=f"{FRAMEWORK}, privacy metric",
)
"""How well the classifier still finds a label in protected pictures."""

AVERAGE_PRECISION_ABOVE_CHANCE = _of_label(
    "average_precision_above_chance",
    "AP above chance",
    lambda columns: presorted(precision_above_chance_of, columns, "score"),
    "score",
    higher_is_better=False,
    source="docs/definitions.md, always-positive labels",
    proportion=False,
)
"""The same, with what the frequency of the label gives away for free taken off."""

AUROC = _of_label(
    "auroc",
    "AUROC",
    lambda columns: presorted(area_under_roc, columns, "score"),
    "score",
    higher_is_better=False,
    source="docs/definitions.md, always-positive labels",
)
"""A picture with the label scores higher than one without, ties count half: 0.5 for a blind classifier."""

RELATIVE_DROP = _of_label(
    "relative_drop",
    "Relative drop of AP",
    _relative_drop,
    "score",
    "score_original",
    higher_is_better=True,
    source=f"{FRAMEWORK}, Table 1",
    proportion=False,
)
"""1 - AP on protected / AP on original pictures, of the same pictures: negative where protection helped the
classifier. Both scores of a picture are drawn together, so the interval is that of the paired difference."""
