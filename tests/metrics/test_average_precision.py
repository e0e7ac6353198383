from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from unveil.core.fingerprint import rng
from unveil.metrics.average_precision import (
    AUROC,
    AVERAGE_PRECISION,
    AVERAGE_PRECISION_ABOVE_CHANCE,
    RELATIVE_DROP,
    average_precision,
    average_precision_above_chance,
)
from unveil.metrics.grouping import disaggregate

scored = st.lists(st.tuples(st.integers(-5, 5), st.booleans(), st.integers(0, 3)), min_size=2, max_size=40).filter(
    lambda rows: {m for _, m, w in rows if w} == {True, False}
)


def arrays(rows: list[tuple[int, bool, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    score, positive, weights = zip(*rows, strict=True)
    return np.array(score, float), np.array(positive), np.array(weights, float)


@given(scored)
@settings(max_examples=80, deadline=None)
def test_it_is_scikit_learns_with_ties_and_weights(rows: list[tuple[int, bool, int]]) -> None:
    score, positive, weights = arrays(rows)
    assert average_precision(score, positive, weights) == pytest.approx(
        average_precision_score(positive, score, sample_weight=weights)
    )
    if 0 < positive.sum() < len(positive):
        assert average_precision(score, positive) == pytest.approx(average_precision_score(positive, score))


@given(scored)
def test_bounds_repetition_and_monotone_transforms(rows: list[tuple[int, bool, int]]) -> None:
    score, positive, weights = arrays(rows)
    value = average_precision(score, positive, weights)
    repeated = np.random.default_rng(0).permutation(np.repeat(np.arange(len(rows)), weights.astype(int)))
    assert 0 < value <= 1
    assert average_precision(score[repeated], positive[repeated]) == pytest.approx(value)
    assert average_precision(np.exp(score / 2) - 7, positive, weights) == pytest.approx(value)
    above = average_precision_above_chance(score, positive, weights)
    prevalence = np.average(positive, weights=weights)
    assert above <= 1
    assert above * (1 - prevalence) + prevalence == pytest.approx(value)


def test_known_values() -> None:
    assert average_precision([3, 2, 1, 0], [True, True, False, False]) == 1
    assert average_precision([1, 1, 1, 1], [True, False, False, False]) == 0.25
    assert average_precision_above_chance([1, 1, 1, 1], [True, True, True, False]) == 0
    assert average_precision_above_chance([0, 1], [True, False]) == pytest.approx(0)
    assert average_precision_above_chance([0, 1, 2], [True, True, False]) < 0


@pytest.mark.parametrize("positive", [[], [True, True], [False, False]])
def test_one_class_cannot_be_ranked(positive: list[bool]) -> None:
    score = np.linspace(0, 1, len(positive))
    assert math.isnan(average_precision(score, positive))
    assert math.isnan(average_precision_above_chance(score, positive))


def labelled(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """One label in pictures of 30 people; protection makes the classifier's scores worse."""
    draw = np.random.default_rng(seed)
    positive = draw.random(n) < 0.4
    original = draw.normal(positive * 2.0, 1).astype(np.float32)
    return pd.DataFrame(
        {
            "status": "ok",
            "identity": "",
            "sample_id": [f"{i:03}.jpg" for i in range(n)],
            "label": "face",
            "positive": positive,
            "score": (0.3 * original + draw.normal(size=n)).astype(np.float32),
            "score_original": original,
            "gender": np.where(np.arange(n) % 2, "Female", "Male"),
        }
    )


def test_metrics_of_a_label_leave_out_what_was_not_protected() -> None:
    frame = labelled()
    frame.loc[:19, "status"] = "not_protected"
    frame.loc[20:29, "status"] = "error"
    frame["score"] = frame["score"].where(frame["status"] != "error")
    frame["positive"] = frame["positive"].astype(object).where(frame["status"] != "error", None)
    seen = frame[30:]
    positive = seen["positive"].astype(bool)
    protected = average_precision_score(positive, seen["score"])
    original = average_precision_score(positive, seen["score_original"])
    prevalence = positive.mean()
    expected = {
        AVERAGE_PRECISION: protected,
        AVERAGE_PRECISION_ABOVE_CHANCE: (protected - prevalence) / (1 - prevalence),
        AUROC: roc_auc_score(positive, seen["score"]),
        RELATIVE_DROP: 1 - protected / original,
    }
    for metric, value in expected.items():
        result = disaggregate(metric, frame, "gender", rng=rng(1))
        assert result.overall.value == pytest.approx(value) == pytest.approx(metric.value(frame))
        assert (result.overall.n, result.overall.n_identities, result.overall.n_excluded) == (270, 270, 30)
        assert result.overall.ci_low < value < result.overall.ci_high
        assert result.overall.note == ""
        assert sum(group.n for group in result.groups) == 270


def test_a_label_of_one_class_has_no_value_and_says_why() -> None:
    for metric in (AVERAGE_PRECISION, AVERAGE_PRECISION_ABOVE_CHANCE, AUROC, RELATIVE_DROP):
        estimate = disaggregate(metric, labelled().assign(positive=True), "", rng=rng(0)).overall
        assert math.isnan(estimate.value)
        assert math.isnan(estimate.ci_low)
        assert "one class" in estimate.note


def test_the_drop_is_of_the_same_pictures_in_every_replicate() -> None:
    frame = labelled()
    same = disaggregate(RELATIVE_DROP, frame.assign(score=frame["score_original"]), "", rng=rng(0)).overall
    assert same.value == 0
    assert "every replicate is the same" in same.note
    # Nearly the same scores: each AP varies between replicates far more than their ratio does.
    close = frame.assign(score=frame["score_original"] + np.float32(0.01) * frame["score"])
    drop = disaggregate(RELATIVE_DROP, close, "", rng=rng(0)).overall
    precision = disaggregate(AVERAGE_PRECISION, close, "", rng=rng(0)).overall
    assert drop.ci_high - drop.ci_low < 0.2 * (precision.ci_high - precision.ci_low)


def test_a_perfect_classifier_of_few_pictures_is_not_certain() -> None:
    frame = labelled(12).assign(score=lambda f: f["positive"].astype(float))
    estimate = disaggregate(AVERAGE_PRECISION, frame, "", rng=rng(0)).overall
    assert estimate.value == estimate.ci_high == 1
    assert estimate.ci_low == pytest.approx(0.025 ** (1 / 12))
