from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.fingerprint import rng
from unveil.metrics.detection_quality import (
    OBJECT_AVERAGE_PRECISION,
    OBJECT_F1,
    OBJECT_PRECISION,
    OBJECT_RECALL,
    PERSON_F1,
    detection_average_precision,
)
from unveil.metrics.grouping import disaggregate

NAN = math.nan
# label, truth, score, accepted: two persons found, one missed, one seen too faintly, one imagined; a lost bus.
ROWS = [
    ("person", True, 0.9, True),
    ("person", True, 0.8, True),
    ("person", True, NAN, False),
    ("person", True, 0.2, False),
    ("person", False, 0.85, True),
    ("bus", True, NAN, False),
    ("car", False, 0.7, True),
    ("car", False, 0.1, False),
]


@pytest.fixture
def boxes() -> pd.DataFrame:
    frame = pd.DataFrame(ROWS, columns=["label", "truth", "score", "accepted"])
    return frame.assign(status="ok", identity="", sample_id=[str(i // 2) for i in range(len(ROWS))])


def of(frame: pd.DataFrame, label: str) -> pd.DataFrame:
    return frame[frame["label"] == label]


def test_persons_are_counted(boxes: pd.DataFrame) -> None:
    people = of(boxes, "person")
    assert OBJECT_PRECISION.value(people) == pytest.approx(2 / 3)
    assert OBJECT_RECALL.value(people) == pytest.approx(2 / 4)
    assert OBJECT_F1.value(people) == pytest.approx(4 / (4 + 1 + 2))
    assert PERSON_F1.value(boxes) == OBJECT_F1.value(people)
    # Precision 1, 2/3, 3/4 at recalls 1/4, 2/4, 3/4; the envelope lifts the second to 3/4.
    assert OBJECT_AVERAGE_PRECISION.value(people) == pytest.approx((1 + 3 / 4 + 3 / 4) / 4)


def test_an_object_that_is_never_found_is_a_zero(boxes: pd.DataFrame) -> None:
    lost = of(boxes, "bus")
    assert OBJECT_RECALL.value(lost) == 0
    assert OBJECT_F1.value(lost) == 0
    assert OBJECT_AVERAGE_PRECISION.value(lost) == 0
    estimate = disaggregate(OBJECT_PRECISION, lost, "", rng=rng(0)).overall
    assert math.isnan(estimate.value)
    assert "none detected" in estimate.note


def test_a_class_that_is_not_there_has_no_value(boxes: pd.DataFrame) -> None:
    for metric in (OBJECT_PRECISION, OBJECT_RECALL, OBJECT_F1, OBJECT_AVERAGE_PRECISION):
        estimate = disaggregate(metric, of(boxes, "car"), "", rng=rng(0)).overall
        assert math.isnan(estimate.value)
        assert math.isnan(estimate.ci_low)
        assert "no true object" in estimate.note
    nobody = disaggregate(PERSON_F1, of(boxes, "car"), "", rng=rng(0)).overall
    assert (nobody.note, nobody.n) == ("nothing to measure", 0)
    imagined = disaggregate(PERSON_F1, boxes.assign(truth=False), "", rng=rng(0)).overall
    assert math.isnan(imagined.value)
    assert imagined.note == "no true person"


def test_pictures_that_were_not_protected_are_excluded_and_other_classes_do_not_matter(
    boxes: pd.DataFrame,
) -> None:
    boxes.loc[0, "status"] = "not_protected"
    boxes.loc[1, "status"] = "error"
    estimate = disaggregate(PERSON_F1, boxes, "", rng=rng(0)).overall
    assert estimate.value == pytest.approx(0)
    assert (estimate.n, estimate.n_excluded) == (3, 2)
    boxes.loc[2, "status"] = "not_acquired"  # a missed person stays a missed person
    assert disaggregate(PERSON_F1, boxes, "", rng=rng(0)).overall.n == 3


def test_values_by_group_have_intervals() -> None:
    draw = np.random.default_rng(0)
    n = 400
    truth = draw.random(n) < 0.8
    score = np.where(draw.random(n) < 0.8, draw.random(n), np.where(truth, NAN, 0.3))
    frame = pd.DataFrame(
        {
            "status": "ok",
            "identity": "",
            "sample_id": draw.integers(60, size=n).astype(str),
            "label": "person",
            "truth": truth,
            "score": score.astype(np.float32),
            "accepted": score >= 0.25,
        }
    )
    frame["gender"] = np.where(frame["sample_id"].astype(int) % 2, "Female", "Male")
    for metric in (PERSON_F1, OBJECT_AVERAGE_PRECISION):
        result = disaggregate(metric, frame, "gender", rng=rng(0))
        for estimate in (result.overall, *result.groups):
            assert 0 < estimate.ci_low < estimate.value < estimate.ci_high < 1
        assert result.overall.n_identities == frame["sample_id"].nunique()  # pictures


detections = st.lists(
    st.tuples(st.booleans(), st.one_of(st.none(), st.integers(0, 6)), st.integers(0, 3)), min_size=1, max_size=30
)


@given(detections)
def test_average_precision_of_detections(rows: list[tuple[bool, int | None, int]]) -> None:
    truth = np.array([t for t, _, _ in rows])
    score = np.array([NAN if s is None and t else float(s or 0) for t, s, _ in rows])
    weights = np.array([w for _, _, w in rows], float)
    value = detection_average_precision(truth, score, weights)
    if not weights[truth].sum():
        assert math.isnan(value)
        return
    found = weights[truth & ~np.isnan(score)].sum() / weights[truth].sum()
    assert 0 <= value <= found <= 1
    times = np.repeat(np.arange(len(rows)), weights.astype(int))
    assert detection_average_precision(truth[times], score[times]) == pytest.approx(value)
    assert detection_average_precision(truth, np.exp(score) + 3, weights) == pytest.approx(value)
    right = np.where(truth, score, NAN)  # without false alarms only the missed ones cost
    assert detection_average_precision(truth, right, weights) == pytest.approx(found)


def test_faceted_metrics_are_not_compared_by_group() -> None:
    for metric in (OBJECT_PRECISION, OBJECT_RECALL, OBJECT_F1, OBJECT_AVERAGE_PRECISION):
        assert (metric.meta.facet, metric.meta.by_group) == ("label", False)
    assert (PERSON_F1.meta.facet, PERSON_F1.meta.by_group) == ("", True)
