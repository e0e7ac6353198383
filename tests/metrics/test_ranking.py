from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_recall_curve, roc_auc_score, roc_curve

from unveil.metrics.ranking import (
    AUC,
    auc,
    best_f1,
    equal_error_rate,
    f1_at,
    fold_accuracy,
    roc,
    tpr_at_fpr,
)

scored = st.lists(st.tuples(st.integers(-5, 5), st.booleans(), st.integers(0, 3)), min_size=2, max_size=40).filter(
    lambda rows: {m for _, m, w in rows if w} == {True, False}
)


@given(scored)
@settings(max_examples=40, deadline=None)
def test_auc_f1_and_roc_agree_with_sklearn_with_ties_and_weights(rows: list[tuple[int, bool, int]]) -> None:
    similarity, mated, weights = (np.array(column) for column in zip(*rows, strict=True))
    assert auc(similarity, mated, weights) == pytest.approx(
        roc_auc_score(mated, similarity, sample_weight=weights)
    )
    assert auc(similarity, mated, weights) == pytest.approx(
        auc(*(c[weights > 0] for c in (similarity, mated, weights)))
    )
    similarity, mated, weights = (c[weights > 0] for c in (similarity, mated, weights))
    fpr, tpr, thresholds = roc_curve(mated, similarity, sample_weight=weights, drop_intermediate=False)
    ours = roc(similarity, mated, weights)
    assert ours.fpr == pytest.approx(fpr)
    assert ours.tpr == pytest.approx(tpr)
    assert ours.threshold.tolist() == thresholds.tolist()
    expected = max(f1_score(mated, similarity >= t, sample_weight=weights) for t in thresholds[1:])
    assert best_f1(similarity, mated, weights) == pytest.approx(expected)
    assert f1_at(similarity, mated, 1, weights) == pytest.approx(
        f1_score(mated, similarity >= 1, sample_weight=weights, zero_division=0)
    )


@given(scored)
def test_whole_weights_are_repetitions_and_order_does_not_matter(rows: list[tuple[int, bool, int]]) -> None:
    similarity, mated, weights = (np.array(column) for column in zip(*rows, strict=True))
    shuffled = np.random.default_rng(0).permutation(np.repeat(np.arange(len(rows)), weights))
    for measure in (auc, best_f1, equal_error_rate):
        weighted = measure(similarity, mated, weights)
        assert weighted == pytest.approx(measure(similarity[shuffled], mated[shuffled]))
        assert 0 <= weighted <= 1
        assert measure(similarity * 3.0 + 1, mated, weights) == pytest.approx(weighted)


def test_tpr_at_fpr_is_the_best_real_threshold_and_never_interpolates() -> None:
    similarity = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    mated = [True, False, True, True, False, False]
    assert tpr_at_fpr(similarity, mated, fpr=0.32) == pytest.approx(1 / 3)
    assert tpr_at_fpr(similarity, mated, fpr=1 / 3) == 1
    assert tpr_at_fpr(similarity, mated, fpr=0) == pytest.approx(1 / 3)
    # A mated pair that is tied with a non-mated one cannot be accepted alone.
    assert tpr_at_fpr([0.9, 0.9], [True, False], fpr=0.5) == 0


def test_equal_error_rate_of_known_cases() -> None:
    assert equal_error_rate([0.9, 0.8, 0.2, 0.1], [True, True, False, False]) == 0
    assert equal_error_rate([0.5, 0.5], [True, False]) == 0.5
    assert equal_error_rate([0.9, 0.3, 0.6, 0.1], [True, True, False, False]) == 0.5
    assert equal_error_rate([0.1, 0.9], [True, False]) == 1


@pytest.mark.parametrize("mated", [[], [True, True], [False, False]])
def test_one_kind_of_pair_is_not_a_measurement(mated: list[bool]) -> None:
    similarity = np.linspace(0, 1, len(mated))
    for measure in (auc, best_f1, equal_error_rate):
        assert math.isnan(measure(similarity, mated))
    assert math.isnan(tpr_at_fpr(similarity, mated, fpr=0.1))
    assert math.isnan(f1_at(similarity, mated, 0.5))


def test_ten_folds_choose_the_threshold_without_looking() -> None:
    rng = np.random.default_rng(3)
    fold = np.repeat(np.arange(10), 60)
    mated = np.tile(np.repeat([True, False], 30), 10)
    similarity = rng.normal(np.where(mated, 1.0, 0.0), 0.3)
    result = fold_accuracy(similarity, mated, fold)
    by_hand = []
    for number in range(10):
        train = fold != number
        best = max(
            sorted(set(similarity[train]), reverse=True),
            key=lambda t: np.mean((similarity[train] >= t) == mated[train]),
        )
        by_hand.append(np.mean((similarity[~train] >= best) == mated[~train]))
    assert result.mean == pytest.approx(np.mean(by_hand))
    assert result.standard_error == pytest.approx(np.std(by_hand, ddof=1) / np.sqrt(10))
    with pytest.raises(ValueError, match="two folds"):
        fold_accuracy(similarity, mated, np.zeros(600))


def test_rows_that_were_not_compared_are_left_out(verification: pd.DataFrame) -> None:
    compared = verification[verification["status"] == "ok"]
    assert AUC.value(verification) == pytest.approx(roc_auc_score(compared["mated"], compared["similarity"]))


def test_real_distances_of_deepface_agree_with_sklearn(shared_data: Path) -> None:
    with (shared_data / "reference" / "deepface" / "face-recognition-pivot.csv").open() as file:
        rows = list(csv.DictReader(file))
    mated = np.array([row["decision"] == "Yes" for row in rows])
    for model in ("VGG-Face", "Facenet", "OpenFace", "DeepFace"):
        similarity = 1 - np.array([float(row[f"{model}_cosine"]) for row in rows])
        assert auc(similarity, mated) == pytest.approx(roc_auc_score(mated, similarity))
        precision, recall, _ = precision_recall_curve(mated, similarity)
        expected = np.nanmax(2 * precision * recall / np.maximum(precision + recall, 1e-12))
        assert best_f1(similarity, mated) == pytest.approx(expected)
    # These photos are easy for Facenet and hard for OpenFace.
    quality = {
        model: auc(1 - np.array([float(row[f"{model}_cosine"]) for row in rows]), mated)
        for model in ("Facenet", "OpenFace")
    }
    assert quality["Facenet"] > 0.95 > quality["OpenFace"]
