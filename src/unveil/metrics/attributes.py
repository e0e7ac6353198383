"""What is still told of a face: age, gender, head pose, expression. Each attribute is measured for itself.

A row is a picture and an attribute, of the evaluation ``attributes``.

=============================  =========================================================================
metric                         value
=============================  =========================================================================
``attribute_preserving_rate``  mean agreement of what is told of the protected and of the original face
``attribute_accuracy``         mean agreement of what is told of the protected face with the truth
``attribute_exposure``         told rightly, or not protected / all photos whose truth is known (words)
=============================  =========================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.metrics.kind import Columns, Mask, Weights, everyone, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.rates import Rate
from unveil.metrics.statistic import Measure, Statistic, reader

_FACET = "attribute"
_ACCOUNTING = Source("docs/definitions.md, accounting of outcomes")


def _meta(
    name: str, title: str, reads: tuple[str, ...], *, higher_is_better: bool, source: Source = _ACCOUNTING
) -> MetricMeta:
    return MetricMeta(name, 2, title, (_FACET, *reads), higher_is_better, "share", source, facet=_FACET)


def _mean(columns: Columns) -> Measure:
    """Weighted mean of the only column."""
    (values,) = columns.values()

    def mean(weights: Weights | None) -> Any:
        if weights is None:
            return values.mean() if len(values) else np.nan
        total = weights.sum(axis=-1)
        # A replicate of nobody has no mean.
        return np.divide(weights @ values, total, out=np.full_like(total, np.nan), where=total > 0)

    return mean


def _compared(frame: pd.DataFrame) -> NDArray[np.bool_]:
    return with_status("ok")(frame) & ~np.isnan(numbers(frame, "preserved"))


def _judged(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Also where the original told nothing (an ``error``): what the protected face tells needs no reference."""
    return with_status("ok", "error")(frame) & ~np.isnan(numbers(frame, "correct"))


def _mean_of(meta: MetricMeta, column: str, denominator: Mask, population: Mask = everyone) -> Statistic:
    return Statistic(
        meta,
        reader(**{column: numbers}),
        denominator,
        _mean,
        "nothing to average",
        population=population,
        at_once=True,
    )


def _with_truth(frame: pd.DataFrame) -> NDArray[np.bool_]:
    return (frame["true_value"].fillna("") != "").to_numpy(dtype=np.bool_)


def _words_with_truth(frame: pd.DataFrame) -> NDArray[np.bool_]:
    return _with_truth(frame) & (frame["kind"] == "categorical").to_numpy(dtype=np.bool_)


def _exposed(frame: pd.DataFrame) -> NDArray[np.bool_]:
    rightly = _judged(frame) & (numbers(frame, "correct") == 1)
    return rightly | with_status("not_protected")(frame)


def _faced(frame: pd.DataFrame) -> NDArray[np.bool_]:
    said = _judged(frame) | with_status("ok", "not_acquired", "not_protected")(frame)
    return _words_with_truth(frame) & said


ATTRIBUTE_PRESERVING_RATE = _mean_of(
    _meta(
        "attribute_preserving_rate",
        "Attribute preserved",
        ("preserved",),
        higher_is_better=True,
        source=Source("FairDeFace, attribute preserving rate: Tables VIII and XI to XIV"),
    ),
    "preserved",
    _compared,
)
"""Mean of ``preserved`` over the faces found in both versions: of words the share that stayed the same, of numbers
1 - mean(abs(a - b) / max(a, b)), of head poses the mean cosine, in [-1, 1] (the comparison of groups takes a
negative one as 0). As published, it is read as utility: a picture that still shows the same age and expression is
still of use. For a person who wants to hide the attribute it is the other way round; ``attribute_exposure`` is for
them."""

ATTRIBUTE_ACCURACY = _mean_of(
    _meta("attribute_accuracy", "Attribute told rightly", ("true_value", "correct"), higher_is_better=False),
    "correct",
    _judged,
    _with_truth,
)
"""Mean of ``correct`` over the faces found, where the dataset knows the truth: what the estimator can still tell
of the person. Of the unprotected photos it is the estimator's own quality, without which its preserving rate means
little: an estimator that always says the same preserves everything."""

ATTRIBUTE_EXPOSURE = Rate(
    _meta("attribute_exposure", "Attribute exposed", ("kind", "true_value", "correct"), higher_is_better=False),
    numerator=_exposed,
    denominator=_faced,
    population=_words_with_truth,
)
"""Told rightly, or left unprotected / all photos whose truth is known: what a person in the data set really faces.
For words alone; a number is never simply right. A face that is not found exposes nothing, as in
``exposure_rate``."""
