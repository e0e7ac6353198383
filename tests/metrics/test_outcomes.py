from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.types import Outcome
from unveil.metrics.outcomes import (
    STATUSES,
    Accounting,
    account,
    decide_by_identity,
    decide_by_rank,
    decide_by_threshold,
)

counts = st.integers(0, 50)
accountings = st.builds(Accounting, counts, counts, counts, counts, counts)


def test_similarity_equal_to_the_threshold_is_recognised_and_other_statuses_stay() -> None:
    frame = pd.DataFrame(
        {
            "status": ["ok", "ok", "ok", "not_acquired", "not_protected", "error"],
            "similarity": [0.5, np.nextafter(0.5, 0), np.nan, np.nan, np.nan, np.nan],
        },
        index=list("abcdef"),
    )
    outcome = decide_by_threshold(frame, 0.5)
    assert list(outcome) == [
        "recognised", "not_recognised", "error", "not_acquired", "not_protected", "error",
    ]  # fmt: skip
    assert list(outcome.index) == list("abcdef")
    assert outcome.name == "outcome"


def test_rows_without_a_threshold_are_errors_whatever_their_status() -> None:
    frame = pd.DataFrame({"status": ["ok", "ok", "not_acquired", "ok"], "similarity": [0.9, 0.9, np.nan, 0.9]})
    group = pd.Series(["Female", "Male", "Male", None], dtype=object)
    outcome = decide_by_threshold(frame, {"Female": 0.5, "Male": float("nan")}, group)
    assert list(outcome) == ["recognised", "error", "error", "error"]
    assert set(decide_by_threshold(frame, float("nan"))) == {"error"}


def test_each_group_has_its_own_threshold() -> None:
    frame = pd.DataFrame({"status": ["ok", "ok"], "similarity": [0.4, 0.4]})
    group = pd.Series(["Female", "Male"])
    assert list(decide_by_threshold(frame, {"Female": 0.3, "Male": 0.5}, group)) == [
        "recognised",
        "not_recognised",
    ]
    with pytest.raises(ValueError, match="group=None"):
        decide_by_threshold(frame, {"Female": 0.3})


def test_unknown_status_is_named() -> None:
    with pytest.raises(ValueError, match="'fine'"):
        decide_by_threshold(pd.DataFrame({"status": ["fine"], "similarity": [0.1]}), 0.5)


def test_identification_by_name_and_by_rank() -> None:
    frame = pd.DataFrame(
        {
            "status": ["ok", "ok", "ok", "not_acquired"],
            "true_identity": ["ann", "ann", "ann", "ann"],
            "predicted_identity": ["ann", "bob", None, None],
            "rank": pd.array([1, 3, None, None], dtype="Int64"),
        }
    )
    assert list(decide_by_identity(frame)) == ["recognised", "not_recognised", "error", "not_acquired"]
    assert list(decide_by_rank(frame, 1)) == ["recognised", "not_recognised", "error", "not_acquired"]
    assert list(decide_by_rank(frame, 3)) == ["recognised", "recognised", "error", "not_acquired"]
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        decide_by_rank(frame, 0)


@pytest.mark.parametrize("n", [0, 1])
def test_tiny_frames(n: int) -> None:
    frame = pd.DataFrame({"status": ["ok"] * n, "similarity": [0.7] * n, "rank": [1.0] * n})
    assert list(decide_by_threshold(frame, 0.5)) == ["recognised"] * n
    assert list(decide_by_rank(frame, 1)) == ["recognised"] * n


@given(st.lists(st.tuples(st.sampled_from(STATUSES), st.floats(-1, 1) | st.just(np.nan)), max_size=60))
def test_outcomes_of_a_frame_sum_to_its_rows(rows: list[tuple[str, float]]) -> None:
    frame = pd.DataFrame(rows, columns=["status", "similarity"]).astype({"similarity": float})
    outcome = decide_by_threshold(frame, 0.2)
    accounting = Accounting.of(outcome)
    assert accounting.n() == len(frame)
    assert accounting.not_acquired == (frame["status"] == "not_acquired").sum()


@given(accountings)
def test_accounting_identities(a: Accounting) -> None:
    compared, attempted = a.recognised + a.not_recognised, a.recognised + a.not_recognised + a.not_acquired
    if compared:
        assert a.osr_conditional == a.not_recognised / compared
        assert a.recognition_rate == pytest.approx(1 - a.osr_conditional)
        assert a.osr_overall >= a.osr_conditional  # a face not found is never a recognition
        if not a.not_acquired:
            assert a.osr_overall == a.osr_conditional
        if not a.not_protected:
            assert a.exposure == pytest.approx(1 - a.osr_overall)
        assert a.exposure >= 1 - a.osr_overall - 1e-12  # leaving photos unprotected never helps
    else:
        assert np.isnan(a.osr_conditional)
    assert np.isnan(a.osr_overall) == (attempted == 0)
    assert np.isnan(a.exposure) == (attempted + a.not_protected == 0)


def test_pixelation_stands_on_the_photos_in_which_a_face_was_found() -> None:
    # FairDeFace, Table III: 93 % of the 46 % of photos with a face.
    a = Accounting(recognised=322, not_recognised=4278, not_acquired=5400)
    assert a.osr_conditional == pytest.approx(0.93)
    assert a.osr_overall == pytest.approx(0.9678)


def test_the_floor_is_the_accounting_of_strangers() -> None:
    outcome = ["recognised", "not_recognised", "not_recognised", "not_acquired"]
    frame = pd.DataFrame({"outcome": outcome, "mated": [True, True, False, False]})
    attack, floor = account(frame)
    assert (attack.osr_conditional, floor.osr_conditional) == (0.5, 1.0)
    assert account(frame[["outcome"]]) == (Accounting(1, 2, 1), Accounting())


def test_unknown_outcomes_are_refused() -> None:
    with pytest.raises(ValueError, match="'won'"):
        Accounting.of(pd.Series([Outcome.ERROR.value, "won"]))


def test_a_hundred_thousand_rows_take_no_time() -> None:
    n = 100_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"status": rng.choice(STATUSES, n), "similarity": rng.random(n)})
    group = pd.Series(rng.choice(["Female", "Male"], n))
    start = time.perf_counter()
    decide_by_threshold(frame, {"Female": 0.5, "Male": 0.4}, group)
    assert time.perf_counter() - start < 2
