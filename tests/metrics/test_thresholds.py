from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.metrics.grouping import groups_of
from unveil.metrics.outcomes import decide_by_threshold
from unveil.metrics.ranking import best_f1, f1_at, tpr_at_fpr
from unveil.metrics.thresholds import (
    PUBLISHED,
    Policy,
    Threshold,
    calibrate,
    parse_policy,
    similarity_of_distance,
    threshold_values,
)


def pairs(mated: list[float], non_mated: list[float]) -> pd.DataFrame:
    similarity = [*mated, *non_mated]
    return pd.DataFrame(
        {
            "status": "ok",
            "similarity": similarity,
            "mated": [True] * len(mated) + [False] * len(non_mated),
        }
    )


def only(policy: str, frame: pd.DataFrame, customary: float | None = None) -> Threshold:
    return calibrate(policy, frame, dataset="LFW", date="2026-01-02", customary=customary)[""]


@pytest.mark.parametrize("text", ["f1", "customary", "fmr=0.1", "fmr=0.001", "group_fmr=0.01", "fixed=-0.25"])
def test_policies_survive_their_text(text: str) -> None:
    assert str(parse_policy(text)) == text
    assert parse_policy(str(parse_policy(text))) == parse_policy(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("eer", "must be f1, fmr=<rate>"),
        ("", "must be f1"),
        ("fmr", "needs a number"),
        ("f1=0.2", "takes no number"),
        ("fmr=low", "needs a number after '=', got 'low'"),
        ("fmr=0", "above 0 and below 1, got 0.0"),
        ("group_fmr=1", "above 0 and below 1"),
        ("fixed=nan", "finite"),
    ],
)
def test_wrong_policies_name_the_rule(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_policy(text)


def test_a_policy_made_by_hand_keeps_the_rules() -> None:
    with pytest.raises(ValueError, match="needs a number"):
        Policy("fmr")


def test_f1_threshold_lies_between_the_pairs_it_separates() -> None:
    threshold = only("f1", pairs([0.9, 0.8, 0.7], [0.3, 0.2]))
    assert threshold.value == pytest.approx(0.5)
    assert (threshold.true_match_rate, threshold.false_match_rate) == (1, 0)
    assert (threshold.n_mated, threshold.n_non_mated) == (3, 2)
    assert threshold.fmr_ci_high == pytest.approx(1 - 0.025 ** (1 / 2))


scores = st.lists(st.integers(0, 30).map(lambda v: v / 30), min_size=1, max_size=60)


@given(scores, scores, st.sampled_from([0.1, 0.05, 0.3]))
def test_fmr_threshold_keeps_the_rate_and_accepts_all_it_can(
    mated: list[float], non_mated: list[float], rate: float
) -> None:
    frame = pairs(mated, non_mated)
    threshold = only(f"fmr={rate}", frame)
    if len(non_mated) * rate < 1:
        assert math.isnan(threshold.value)
        assert f"has {len(non_mated)}" in threshold.note
        assert set(decide_by_threshold(frame, threshold.value)) == {"error"}
        return
    assert threshold.false_match_rate <= rate + 1e-12
    assert threshold.fmr_ci_low <= threshold.false_match_rate <= threshold.fmr_ci_high
    assert threshold.true_match_rate == tpr_at_fpr(frame["similarity"], frame["mated"], fpr=rate)
    assert threshold.value not in non_mated or threshold.value == min(mated + non_mated)


@given(scores, scores)
def test_f1_threshold_reaches_the_best_f1(mated: list[float], non_mated: list[float]) -> None:
    frame = pairs(mated, non_mated)
    threshold = only("f1", frame)
    reached = f1_at(frame["similarity"], frame["mated"], threshold.value)
    assert reached == pytest.approx(best_f1(frame["similarity"], frame["mated"]))


def test_group_thresholds_are_calibrated_inside_and_small_groups_say_so() -> None:
    frame = pairs([0.9] * 20, list(np.linspace(0, 0.5, 100)) + list(np.linspace(0.4, 0.8, 100)) + [0.1] * 5)
    group = pd.Series(["a"] * 120 + ["b"] * 100 + ["c"] * 5, dtype=object)
    found = calibrate("group_fmr=0.01", frame, dataset="RFW", date="2026-01-02", group=group)
    assert found["b"].value > found["a"].value
    assert found["a"].false_match_rate == found["b"].false_match_rate == 0.01
    assert math.isnan(found["c"].value)
    assert "needs at least 100 non-mated pairs" in found["c"].note
    assert "has 5" in found["c"].note
    outcome = decide_by_threshold(frame, threshold_values(found), group)
    assert set(outcome[group == "c"]) == {"error"}
    assert "error" not in set(outcome[group != "c"])
    with pytest.raises(ValueError, match="group=None"):
        calibrate("group_fmr=0.01", frame, dataset="RFW", date="2026-01-02")


def test_given_thresholds_are_measured_too() -> None:
    frame = pairs([0.9, 0.6], [0.7, 0.1])
    fixed = only("fixed=0.65", frame)
    assert (fixed.value, fixed.true_match_rate, fixed.false_match_rate) == (0.65, 0.5, 0.5)
    assert only("customary", frame, customary=similarity_of_distance(0.5, "cosine")).value == 0.5
    assert similarity_of_distance(0.6, "euclidean") == -0.6
    with pytest.raises(ValueError, match="customary"):
        only("customary", frame)


def test_pairs_that_were_not_compared_do_not_count(verification: pd.DataFrame) -> None:
    threshold = only("f1", verification)
    ok = verification[verification["status"] == "ok"]
    assert threshold.n_mated == ok["mated"].sum()
    assert threshold.n_non_mated == (~ok["mated"]).sum()


def test_no_pairs_give_no_threshold_but_a_reason() -> None:
    threshold = only("f1", pairs([0.9], []))
    assert math.isnan(threshold.value)
    assert "has 1 and 0" in threshold.note


def test_json_holds_the_provenance_and_no_nan() -> None:
    record = json.loads(only("fmr=0.001", pairs([0.9], [0.1])).to_json())
    assert record["value"] is None
    assert record["dataset"] == "LFW"
    assert record["date"] == "2026-01-02"
    assert "1000 non-mated pairs" in record["note"]


def test_published_thresholds_name_their_place_and_contradict_for_arcface() -> None:
    arcface = {t.value for t in PUBLISHED if t.recognizer == "ArcFace"}
    assert arcface == {0.765, 0.75, 0.68}
    assert all(t.source for t in PUBLISHED)


def test_real_distances_of_deepface(shared_data: Path) -> None:
    with (shared_data / "reference" / "deepface" / "face-recognition-pivot.csv").open() as file:
        rows = list(csv.DictReader(file))
    frame = pd.DataFrame(
        {
            "status": "ok",
            "similarity": [1 - float(row["Facenet_cosine"]) for row in rows],
            "mated": [row["decision"] == "Yes" for row in rows],
            "kind": "all",
        }
    )
    threshold = only("f1", frame)
    distance = 1 - threshold.value
    # DeepFace's own thresholds for Facenet lie around here (0.40).
    assert 0.3 < distance < 0.5
    assert f1_at(frame["similarity"], frame["mated"], threshold.value) > 0.9
    assert set(calibrate("group_fmr=0.1", frame, dataset="d", date="x", group=groups_of(frame, "kind"))) == {"all"}
