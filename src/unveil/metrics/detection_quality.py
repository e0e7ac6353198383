"""Utility: how well objects are still found in protected pictures.

A row is a true object, with the detection that was matched to it if any, or a detection that matched none.
With the detector's own threshold (column ``accepted``)

    TP = true and accepted    FN = true and not accepted    FP = not true and accepted,

and without a threshold the average precision of the detections by score. Only pictures that were protected
count; objects of the others are reported as excluded. A class without a true object has no value: it was not
missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from unveil.core.protocols import Source
from unveil.core.scenes import PERSON
from unveil.metrics.average_precision import FRAMEWORK
from unveil.metrics.kind import Columns, Mask, Weights, everyone, flags, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.ranking import roc
from unveil.metrics.statistic import Measure, Statistic, reader, words


def detection_average_precision(truth: ArrayLike, score: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Average precision of detections: the area under the precision-recall curve.

    Precision is made monotone (at each recall, the highest precision at that recall or above) and the area is
    taken at every distinct score: the all-point interpolation of PASCAL VOC from 2010 on, which COCO samples
    at 101 recalls. Detections of equal score are counted together.

    Args:
        truth: bool (n,): the row is a true object.
        score: (n,): of the detection; NaN for a true object without one.
        weights: non-negative (n,).

    Returns:
        In [0, 1]: a true object that was never detected lowers the highest recall. NaN without true objects.

    >>> round(detection_average_precision([True, False, True, True], [0.9, 0.8, 0.7, float("nan")]), 4)
    0.5556
    """
    true = np.asarray(truth, dtype=np.bool_)
    scores = np.asarray(score, dtype=np.float64)
    weight = np.ones(len(true)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(weight[true].sum())
    detected = ~np.isnan(scores) & (weight > 0)
    if not total:
        return math.nan
    curve = roc(scores[detected], true[detected], weight[detected])
    hits, alarms = curve.accepted_mated, curve.accepted_non_mated
    precision = hits[1:] / (hits[1:] + alarms[1:])
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return min(float((np.diff(hits) * envelope).sum() / total), 1.0)


def counts(columns: Columns, weights: Weights | None) -> tuple[float, float, float]:
    """Weights of true positives, false positives and false negatives."""
    true, accepted = columns["truth"], columns["accepted"]
    weight = np.ones(len(true)) if weights is None else weights
    return (
        float(weight[true & accepted].sum()),
        float(weight[~true & accepted].sum()),
        float(weight[true & ~accepted].sum()),
    )


def precision(tp: float, fp: float, fn: float) -> float:
    """TP / (TP + FP); NaN without true objects or without detections."""
    return tp / (tp + fp) if tp + fn and tp + fp else math.nan


def recall(tp: float, fp: float, fn: float) -> float:
    """TP / (TP + FN); NaN without true objects."""
    return tp / (tp + fn) if tp + fn else math.nan


def f1(tp: float, fp: float, fn: float) -> float:
    """2 TP / (2 TP + FP + FN); NaN without true objects, 0 when none of them is found."""
    return 2 * tp / (2 * tp + fp + fn) if tp + fn else math.nan


def _counted(measure: Callable[[float, float, float], float]) -> Callable[[Columns], Measure]:
    return lambda columns: lambda weights: measure(*counts(columns, weights))


def _area(columns: Columns) -> Measure:
    return lambda weights: detection_average_precision(columns["truth"], columns["score"], weights)


_DETECTED = with_status("ok", "not_acquired")  # an object that was missed is looked at, whatever it is called


def _counting(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """True objects and accepted detections; a detection that nobody accepts counts nowhere."""
    return flags(frame, "truth") | flags(frame, "accepted")


def _people(frame: pd.DataFrame) -> NDArray[np.bool_]:
    return _counting(frame) & (words(frame, "label") == PERSON)


def _of_objects(
    name: str,
    title: str,
    prepare: Callable[[Columns], Measure],
    third: str,
    undefined: str = "no true object of this class",
    *,
    faceted: bool = True,
    population: Mask = _counting,
) -> Statistic:
    meta = MetricMeta(
        name,
        1,
        title,
        ("label", "truth", third),
        True,
        "share",
        Source(f"{FRAMEWORK}, utility metrics"),
        facet="label" if faceted else "",
        by_group=not faceted,
    )
    read = reader(truth=flags, **{third: numbers if third == "score" else flags})
    return Statistic(
        meta, read, lambda frame: population(frame) & _DETECTED(frame), prepare, undefined, population
    )


OBJECT_PRECISION = _of_objects(
    "object_precision",
    "Precision",
    _counted(precision),
    "accepted",
    "no true object of this class, or none detected",
)
"""Share of the detections of a class that are right."""

OBJECT_RECALL = _of_objects("object_recall", "Recall", _counted(recall), "accepted")
"""Share of the objects of a class that are found."""

OBJECT_F1 = _of_objects("object_f1", "F1", _counted(f1), "accepted")
"""Harmonic mean of precision and recall of a class."""

OBJECT_AVERAGE_PRECISION = _of_objects(
    "object_average_precision", "AP of detections", _area, "score", population=everyone
)
"""The area under the precision-recall curve of a class, which the framework calls AUC."""

PERSON_F1 = _of_objects(
    "person_f1",
    "F1 of persons",
    _counted(f1),
    "accepted",
    "no true person",
    faceted=False,
    population=_people,
)
"""The headline of utility: people are still counted, though not recognised."""
