"""cMAP: the mean of the average precision over the privacy labels, the framework's one number for privacy.

A label that is always or never positive among the looked-at pictures has no average precision. It is left out
of the mean; its rows are counted as excluded, and the note of the estimate names it. A label that loses one
class in a bootstrap replicate only is left out of the mean of that replicate.

=====================  ====================================================================
metric                 mean over labels of
=====================  ====================================================================
``cmap``               AP on pictures that were protected
``cmap_above_chance``  (AP - prevalence) / (1 - prevalence) on them
``cmap_exposed``       AP on all pictures; what could not be protected shows its original
``cmap_drop``          AP on them and on their originals: 1 - the ratio of both means
=====================  ====================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.metrics.average_precision import (
    FRAMEWORK,
    Scored,
    has_scores,
    precision_above_chance_of,
    precision_of,
    presorted,
)
from unveil.metrics.kind import Columns, flags, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.statistic import Measure, Statistic, reader, words


def both_classes(columns: Columns) -> tuple[NDArray[np.bool_], str]:
    """Rows of labels that are there in some pictures and not in others, and a note on the other labels."""
    labels, label = np.unique(columns["label"].astype(str), return_inverse=True)
    count = np.bincount(label, minlength=len(labels))
    there = np.bincount(label, weights=columns["positive"], minlength=len(labels))
    complete = (there > 0) & (there < count)
    left_out = ", ".join(labels[~complete])
    note = f"{np.count_nonzero(~complete)} of {len(labels)} labels left out, one class only: {left_out}"
    return complete[label], note if left_out else ""


def mean_over_labels(measure: Scored, columns: Columns, score: str) -> Measure:
    """The mean of a measure over the labels that have one; NaN when none has.

    Args:
        measure: of the curve of one label.
        columns: ``label``, ``positive`` and the scores.
        score: name of the column of scores.
    """
    labels, label = np.unique(columns["label"].astype(str), return_inverse=True)
    by_label = [presorted(measure, columns, score, np.flatnonzero(label == i)) for i in range(len(labels))]
    return lambda weights: _mean([of(weights) for of in by_label])


def _mean(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    by_label = np.array(values)
    known = ~np.isnan(by_label)
    total, count = np.where(known, by_label, 0.0).sum(axis=0), known.sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _drop(columns: Columns) -> Measure:
    protected = mean_over_labels(precision_of, columns, "score")
    original = mean_over_labels(precision_of, columns, "score_original")
    return lambda weights: 1 - protected(weights) / original(weights)


def _cmap(
    name: str,
    title: str,
    prepare: Callable[[Columns], Measure],
    *scores: str,
    statuses: tuple[str, ...] = ("ok",),
    higher_is_better: bool = False,
    proportion: bool = True,
    source: str = f"{FRAMEWORK}, privacy metric",
) -> Statistic:
    reads = ("label", "positive", *scores)
    return Statistic(
        MetricMeta(name, 1, title, reads, higher_is_better, "share", Source(source)),
        reader(label=words, positive=flags, **dict.fromkeys(scores, numbers)),
        has_scores(with_status(*statuses), *scores),
        prepare,
        "no label with both classes",
        keep=both_classes,
        at_once=True,
        proportion=proportion,
    )


CMAP = _cmap("cmap", "cMAP", lambda columns: mean_over_labels(precision_of, columns, "score"), "score")
"""Lower is more private. Pictures that the method gave no result for are excluded, and counted."""

CMAP_ABOVE_CHANCE = _cmap(
    "cmap_above_chance",
    "cMAP above chance",
    lambda columns: mean_over_labels(precision_above_chance_of, columns, "score"),
    "score",
    proportion=False,
    source="docs/definitions.md, always-positive labels",
)
"""0 for a classifier that learned nothing, whatever the frequencies of the labels."""

CMAP_EXPOSED = _cmap(
    "cmap_exposed",
    "cMAP (all pictures)",
    lambda columns: mean_over_labels(precision_of, columns, "score"),
    "score",
    statuses=("ok", "not_protected"),
    source="docs/definitions.md, accounting of outcomes",
)
"""What the people of the data set really face: a picture that was not protected counts as it is."""

CMAP_DROP = _cmap(
    "cmap_drop",
    "Relative drop of cMAP",
    _drop,
    "score",
    "score_original",
    higher_is_better=True,
    proportion=False,
    source=f"{FRAMEWORK}, Table 2",
)
"""1 - cMAP on protected / cMAP on original pictures, over the same labels and pictures, drawn together."""
