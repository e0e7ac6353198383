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

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from unveil.core.protocols import Source
from unveil.metrics.kind import Columns, Mask, Weights, flags, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.ranking import auc, roc
from unveil.metrics.statistic import Measure, Statistic, reader

FRAMEWORK = "Abdulaziz et al., Evaluation of Human Visual Privacy Protection, ICCV Workshops (2025)"

Scored = Callable[[ArrayLike, ArrayLike, ArrayLike | None], float]
"""Of (scores, positives, weights)."""


def average_precision(score: ArrayLike, positive: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Average precision, in [0, 1]; NaN without both classes.

    Args:
        score: (n,), higher where the label is more likely.
        positive: bool (n,).
        weights: non-negative (n,).

    >>> round(average_precision([0.9, 0.8, 0.1], [True, False, True]), 4)
    0.8333
    """
    curve = roc(score, positive, weights)
    if not curve.complete:
        return math.nan
    hits, found = curve.accepted_mated, curve.accepted_mated + curve.accepted_non_mated
    rises = np.diff(hits) > 0  # where nothing is found yet there is no precision, and none is needed
    gain = np.diff(hits)[rises] * (hits[1:] / np.where(found[1:] > 0, found[1:], 1.0))[rises]
    return min(float(gain.sum() / hits[-1]), 1.0)


def average_precision_above_chance(
    score: ArrayLike, positive: ArrayLike, weights: ArrayLike | None = None
) -> float:
    """(AP - prevalence) / (1 - prevalence): 0 for a blind score, 1 for a perfect one, negative for worse."""
    there = np.asarray(positive, dtype=np.bool_)
    precision = average_precision(score, there, weights)
    if math.isnan(precision):
        return math.nan
    prevalence = float(np.average(there, weights=None if weights is None else np.asarray(weights)))
    return (precision - prevalence) / (1 - prevalence)


def presorted(measure: Scored, columns: Columns, score: str, rows: NDArray[np.intp] | None = None) -> Measure:
    """A measure of rows that are sorted once: sorting them again under other weights is cheap.

    Args:
        measure: of scores, positives and weights.
        columns: ``positive`` and the scores.
        score: name of the column of scores.
        rows: which rows; by default all.
    """
    rows = np.arange(len(columns[score])) if rows is None else rows
    order = rows[np.argsort(-columns[score][rows], kind="stable")]
    scores, positive = columns[score][order], columns["positive"][order]

    def of(weights: Weights | None) -> float:
        return measure(scores, positive, None if weights is None else weights[order])

    return of


def has_scores(statuses: Mask, *columns: str) -> Mask:
    """Rows of some status that have all these scores."""

    def mask(frame: pd.DataFrame) -> NDArray[np.bool_]:
        known = statuses(frame)
        for column in columns:
            known = known & ~np.isnan(numbers(frame, column))
        return known

    return mask


def _relative_drop(columns: Columns) -> Measure:
    protected = presorted(average_precision, columns, "score")
    original = presorted(average_precision, columns, "score_original")
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
        proportion=proportion,
    )


AVERAGE_PRECISION = _of_label(
    "average_precision",
    "AP",
    lambda columns: presorted(average_precision, columns, "score"),
    "score",
    higher_is_better=False,
    source=f"{FRAMEWORK}, privacy metric",
)
"""How well the classifier still finds a label in protected pictures."""

AVERAGE_PRECISION_ABOVE_CHANCE = _of_label(
    "average_precision_above_chance",
    "AP above chance",
    lambda columns: presorted(average_precision_above_chance, columns, "score"),
    "score",
    higher_is_better=False,
    source="docs/definitions.md, always-positive labels",
    proportion=False,
)
"""The same, with what the frequency of the label gives away for free taken off."""

AUROC = _of_label(
    "auroc",
    "AUROC",
    lambda columns: presorted(auc, columns, "score"),
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
