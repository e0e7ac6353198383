"""How well similarities tell mated from non-mated pairs: the quality of a recognizer.

Every function takes ``similarity`` (n,), ``mated`` bool (n,) and optional non-negative ``weights`` (n,), as
the bootstrap needs them, and accepts a pair when its similarity is at or above a threshold. Without both
kinds of pairs there is nothing to tell apart: the value is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from unveil.core.protocols import Source
from unveil.metrics.bootstrap import resample_weighted
from unveil.metrics.kind import Columns, Sampled, no_draws
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers

Floats = NDArray[np.float64]


class Roc(NamedTuple):
    """Points of the ROC curve, from rejecting everything to accepting everything.

    Attributes:
        fpr: false positive rate, rising from 0 to 1.
        tpr: true positive rate, rising from 0 to 1.
        threshold: falling from infinity through every distinct similarity.
        accepted_mated: weight of accepted mated pairs.
        accepted_non_mated: weight of accepted non-mated pairs.
    """

    fpr: Floats
    tpr: Floats
    threshold: Floats
    accepted_mated: Floats
    accepted_non_mated: Floats

    @property
    def complete(self) -> bool:
        """Whether there are pairs of both kinds."""
        return bool(self.accepted_mated[-1] > 0 and self.accepted_non_mated[-1] > 0)


def roc(similarity: ArrayLike, mated: ArrayLike, weights: ArrayLike | None = None) -> Roc:
    """One point per distinct similarity; tied pairs are accepted together."""
    scores = np.asarray(similarity, dtype=np.float64)
    same = np.asarray(mated, dtype=np.bool_)
    weight = np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=np.float64)
    order = np.argsort(-scores, kind="stable")
    scores, same, weight = scores[order], same[order], weight[order]
    last = np.append(np.diff(scores) != 0, True)[: len(scores)]  # last pair of each run of ties
    hits = np.append(0.0, np.cumsum(weight * same)[last])
    alarms = np.append(0.0, np.cumsum(weight * ~same)[last])
    return Roc(_share(alarms), _share(hits), np.append(np.inf, scores[last]), hits, alarms)


def _share(cumulated: Floats) -> Floats:
    total = float(cumulated[-1])
    share: Floats = cumulated / (total if total > 0 else math.nan)
    return share


def auc(similarity: ArrayLike, mated: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Area under the ROC curve: a mated pair is more alike than a non-mated one, ties count half."""
    curve = roc(similarity, mated, weights)
    return min(float(np.trapezoid(curve.tpr, curve.fpr)), 1.0) if curve.complete else math.nan


def f1_at(similarity: ArrayLike, mated: ArrayLike, threshold: float, weights: ArrayLike | None = None) -> float:
    """F1 of the decision at a threshold: 2 TP / (2 TP + FP + FN)."""
    same = np.asarray(mated, dtype=np.bool_)
    weight = np.ones(len(same)) if weights is None else np.asarray(weights, dtype=np.float64)
    accepted = np.asarray(similarity, dtype=np.float64) >= threshold
    if not (weight[same].sum() and weight[~same].sum()):
        return math.nan
    hits = weight[accepted & same].sum()
    return float(2 * hits / (weight[accepted].sum() + weight[same].sum()))


def best_f1(similarity: ArrayLike, mated: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The highest F1 that any threshold reaches."""
    curve = roc(similarity, mated, weights)
    return float(f1_curve(curve).max()) if curve.complete else math.nan


def f1_curve(curve: Roc) -> Floats:
    """F1 at every point of a ROC curve."""
    hits, alarms = curve.accepted_mated, curve.accepted_non_mated
    f1: Floats = 2 * hits / (hits + alarms + hits[-1])
    return f1


def equal_error_rate(similarity: ArrayLike, mated: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Where false positive and false negative rate are equal, on the straight line between ROC points."""
    curve = roc(similarity, mated, weights)
    if not curve.complete:
        return math.nan
    excess = curve.fpr - (1 - curve.tpr)  # rises from -1 to 1
    after = int(np.argmax(excess >= 0))
    before = after - 1
    step = -excess[before] / (excess[after] - excess[before])
    return float(curve.fpr[before] + step * (curve.fpr[after] - curve.fpr[before]))


def tpr_at_fpr(similarity: ArrayLike, mated: ArrayLike, weights: ArrayLike | None = None, *, fpr: float) -> float:
    """The highest true positive rate of a threshold whose false positive rate is at most ``fpr``.

    No interpolation: the value belongs to a threshold that somebody could set.
    """
    curve = roc(similarity, mated, weights)
    if not curve.complete:
        return math.nan
    return float(curve.tpr[curve.fpr <= fpr + 1e-12].max())


class Accuracy(NamedTuple):
    """Accuracy over folds: mean, and standard error of the mean (NaN for one fold)."""

    mean: float
    standard_error: float


def fold_accuracy(similarity: ArrayLike, mated: ArrayLike, fold: ArrayLike) -> Accuracy:
    """The protocol of LFW: the threshold is chosen on all other folds, accuracy is taken on this one.

    Of equally accurate thresholds the strictest is taken; it is an observed similarity of the other folds.

    Args:
        similarity, mated: (n,).
        fold: number of the fold of each pair (n,); any number of folds from two on.

    Source: Huang et al., Labeled Faces in the Wild, technical report 07-49 (2007).

    Raises:
        ValueError: for fewer than two folds.
    """
    scores = np.asarray(similarity, dtype=np.float64)
    same = np.asarray(mated, dtype=np.bool_)
    folds = np.asarray(fold)
    numbered = np.unique(folds)
    if len(numbered) < 2:
        raise ValueError(f"fold: at least two folds are needed, got {len(numbered)}")
    accuracies = []
    for number in numbered:
        test = folds == number
        curve = roc(scores[~test], same[~test])
        right = curve.accepted_mated + curve.accepted_non_mated[-1] - curve.accepted_non_mated
        threshold = curve.threshold[np.argmax(right)]
        accuracies.append(np.mean((scores[test] >= threshold) == same[test]))
    spread = np.std(accuracies, ddof=1) / math.sqrt(len(accuracies))
    return Accuracy(float(np.mean(accuracies)), float(spread))


@dataclass(frozen=True, slots=True)
class Ranking:
    """A measure of a recognizer's quality over the compared pairs of a verification frame.

    Attributes:
        meta: name, direction, source. A recognizer is the attacker, so its success is not *better*.
        compute: (similarity, mated, weights) -> value in [0, 1].
    """

    meta: MetricMeta
    compute: Callable[[ArrayLike, ArrayLike, ArrayLike | None], float]

    replicates: ClassVar[int] = 200
    proportion: ClassVar[bool] = True
    by_row: ClassVar[bool] = False

    def denominator(self, frame: pd.DataFrame) -> NDArray[np.bool_]:
        """Pairs that were compared."""
        ok: NDArray[np.bool_] = (frame["status"] == "ok").to_numpy(dtype=np.bool_)
        return ok & ~np.isnan(numbers(frame, "similarity"))

    def population(self, frame: pd.DataFrame) -> NDArray[np.bool_]:
        """All pairs."""
        return np.ones(len(frame), dtype=np.bool_)

    def columns(self, frame: pd.DataFrame) -> Columns:
        """Similarity, and whether the pair is mated."""
        return {
            "similarity": numbers(frame, "similarity"),
            "mated": frame["mated"].to_numpy(dtype=np.bool_),
        }

    def value(self, frame: pd.DataFrame) -> float:
        """The measure; NaN when one kind of pair is missing."""
        rows = self.columns(frame[self.denominator(frame)])
        return self.compute(rows["similarity"], rows["mated"], None)

    def assess(
        self, columns: Columns, person: NDArray[np.int64], rng: np.random.Generator, replicates: int
    ) -> Sampled:
        """Measure and bootstrap (:meth:`unveil.metrics.kind.Metric.assess`)."""
        similarity, mated = columns["similarity"], columns["mated"]
        value = self.compute(similarity, mated, None)
        if math.isnan(value):
            note = "one kind of pair is missing" if len(mated) else ""
            return Sampled(value, no_draws(replicates), note)
        order = np.argsort(-similarity, kind="stable")  # sorting sorted pairs again is cheap
        similarity, mated = similarity[order], mated[order]
        draws = resample_weighted(
            lambda weights: self.compute(similarity, mated, weights), person[order], rng, replicates
        )
        return Sampled(value, draws)


def _ranking(name: str, title: str, compute: Callable[..., float], *, higher_is_better: bool) -> Ranking:
    source = Source("FairDeFace, Tables IV and VII (choice of the recognizer)")
    return Ranking(MetricMeta(name, 1, title, ("similarity", "mated"), higher_is_better, "share", source), compute)


AUC = _ranking("auc", "AUC", auc, higher_is_better=False)
BEST_F1 = _ranking("best_f1", "F1 at its best threshold", best_f1, higher_is_better=False)
EQUAL_ERROR_RATE = _ranking("equal_error_rate", "EER", equal_error_rate, higher_is_better=True)
TPR_AT_FPR_10 = _ranking("tpr_at_fpr.10", "TPR at FPR 0.1", partial(tpr_at_fpr, fpr=0.1), higher_is_better=False)
TPR_AT_FPR_05 = _ranking("tpr_at_fpr.05", "TPR at FPR 0.05", partial(tpr_at_fpr, fpr=0.05), higher_is_better=False)
TPR_AT_FPR_01 = _ranking("tpr_at_fpr.01", "TPR at FPR 0.01", partial(tpr_at_fpr, fpr=0.01), higher_is_better=False)
