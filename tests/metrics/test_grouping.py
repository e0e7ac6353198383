from __future__ import annotations

import math
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.errors import DataError
from unveil.core.fingerprint import rng
from unveil.metrics import rates
from unveil.metrics.bootstrap import people, resample_rate, resample_weighted
from unveil.metrics.grouping import TOO_SHORT, Disaggregation, disaggregate, groups_of
from unveil.metrics.outcomes import decide_by_threshold
from unveil.metrics.ranking import AUC

RATE = rates.RECOGNITION_RATE


def attempts(outcomes: list[str], identity: list[str], **columns: object) -> pd.DataFrame:
    return pd.DataFrame({"outcome": outcomes, "identity": identity, "status": "ok", **columns})


def simulated(seed: int, *, m: int = 30, images: int = 10, p: float = 0.7, icc: float = 0.3) -> pd.DataFrame:
    """Photos of m people who differ in how easily they are recognised."""
    draw = np.random.default_rng(seed)
    scale = (1 - icc) / icc
    hits = draw.random((m, images)) < draw.beta(p * scale, (1 - p) * scale, m)[:, None]
    outcome = np.where(hits.ravel(), "recognised", "not_recognised")
    return attempts(list(outcome), [str(i) for i in np.repeat(np.arange(m), images)], gender="Female")


def measure(frame: pd.DataFrame, grouping: str = "gender", seed: int = 0) -> Disaggregation:
    return disaggregate(RATE, frame, grouping, rng=rng(seed))


def test_groups_join_values_in_the_order_of_the_grouping() -> None:
    frame = pd.DataFrame(
        {"gender": ["Female", "Male", None, ""], "race": ["Black", "East Asian", "White", "White"]}
    )
    assert groups_of(frame, "race+gender").tolist() == ["Black Female", "East Asian Male", None, None]
    assert groups_of(frame, "gender").tolist() == ["Female", "Male", None, None]
    with pytest.raises(DataError, match="no attribute 'age'"):
        groups_of(frame, "gender+age")


def test_counts_and_values_by_group(verification: pd.DataFrame) -> None:
    frame = verification.assign(outcome=decide_by_threshold(verification, 0.3))
    frame.loc[frame.index[:7], "race"] = None
    result = disaggregate(RATE, frame, "race+gender", rng=rng(1))
    assert [g.group for g in result.groups] == ["Black Female", "Black Male", "White Female", "White Male"]
    assert result.n_ungrouped == 7
    assert result.overall.value == RATE.value(frame)
    for estimate in result.groups:
        race, gender = estimate.group.split()
        rows = frame[(frame["race"] == race) & (frame["gender"] == gender) & frame["mated"]]
        compared = rows[rows["outcome"].isin(["recognised", "not_recognised"])]
        assert estimate.value == (compared["outcome"] == "recognised").mean()
        assert estimate.n == len(compared)
        assert estimate.n_identities == compared["identity"].nunique()
        assert estimate.n_excluded == len(rows) - len(compared)
        assert estimate.ci_low <= estimate.value <= estimate.ci_high
        assert result.replicates[estimate.group].shape == (1000,)
    assert disaggregate(RATE, frame, "", rng=rng(1)).groups == ()


def test_the_same_stream_gives_the_same_interval() -> None:
    frame = simulated(1)
    assert measure(frame, seed=3).overall == measure(frame, seed=3).overall
    assert measure(frame, seed=3).overall != measure(frame, seed=4).overall


def test_one_person_has_no_interval() -> None:
    estimate = measure(attempts(["recognised", "not_recognised"], ["a", "a"], gender="Male")).overall
    assert estimate.value == 0.5
    assert math.isnan(estimate.ci_low)
    assert math.isnan(estimate.ci_high)
    assert "one person" in estimate.note


@pytest.mark.parametrize(("persons", "note"), [(2, TOO_SHORT), (4, TOO_SHORT), (5, ""), (24, "")])
def test_an_interval_of_few_persons_says_that_it_is_too_short(persons: int, note: str) -> None:
    outcome = ["recognised", *["not_recognised"] * (persons - 1)]
    frame = attempts(outcome, [str(person) for person in range(persons)], gender="Female")
    (female,) = measure(frame).groups
    assert female.ci_low < female.value < female.ci_high or female.value in (female.ci_low, female.ci_high)
    assert female.note == note


def test_nothing_to_measure_is_nan() -> None:
    frame = attempts(["error", "error"], ["a", "b"], gender=["Male", "Female"])
    result = measure(frame)
    assert math.isnan(result.overall.value)
    assert (result.overall.n, result.overall.n_excluded) == (0, 2)
    assert result.overall.note == "nothing to measure"
    assert math.isnan(result.rates["Male"])


@pytest.mark.parametrize("outcome", ["recognised", "not_recognised"])
def test_agreement_of_few_people_is_not_certainty(outcome: str) -> None:
    frame = attempts([outcome] * 500, [str(i % 20) for i in range(500)], gender="Male")
    estimate = measure(frame).overall
    width = estimate.ci_high - estimate.ci_low
    assert width == pytest.approx(1 - 0.025 ** (1 / 20))  # of 20 people, not of 500 photos
    assert estimate.value in (estimate.ci_low, estimate.ci_high)
    assert "agree" in estimate.note


def test_people_of_unknown_identity_count_by_picture() -> None:
    frame = pd.DataFrame({"identity": ["a", "", "", None, "a"], "sample_id": ["1", "2", "2", "3", "4"]})
    assert people(frame).tolist() == [0, 1, 1, 2, 0]
    assert people(frame[["identity"]]).tolist() == [0, 1, 2, 3, 0]


def test_photos_of_one_person_do_not_narrow_the_interval() -> None:
    people_only = simulated(5, images=1, icc=0.999)
    copied = pd.concat([people_only] * 50)
    one, many = measure(people_only).overall, measure(copied).overall
    assert many.n == 50 * one.n
    assert (many.ci_high - many.ci_low) == pytest.approx(one.ci_high - one.ci_low, abs=0.05)


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_values_do_not_depend_on_the_order_of_rows(seed: int) -> None:
    frame = simulated(seed, m=8, images=3)
    mixed = frame.sample(frac=1, random_state=seed)
    a, b = measure(frame).overall, measure(mixed).overall
    assert (a.value, a.n, a.n_identities) == (b.value, b.n, b.n_identities)


def test_both_bootstraps_have_the_spread_of_theory() -> None:
    frame = simulated(2, m=200)
    hit = (frame["outcome"] == "recognised").to_numpy()
    person = people(frame)
    means = np.bincount(person, weights=hit) / np.bincount(person)
    theory = means.std() / np.sqrt(200)
    by_sums = resample_rate(hit, person, rng(0), 4000)
    by_weights = resample_weighted(lambda w: float(np.average(hit, weights=w)), person, rng(1), 4000)
    assert by_sums.std() == pytest.approx(theory, rel=0.06)
    assert by_weights.std() == pytest.approx(theory, rel=0.06)


@pytest.mark.parametrize("m", [8, 40])
def test_intervals_cover_the_truth(m: int) -> None:
    estimates = [
        disaggregate(RATE, simulated(seed, m=m), "", rng=rng(seed), replicates=400).overall for seed in range(250)
    ]
    covered = np.mean([e.ci_low <= 0.7 <= e.ci_high for e in estimates])
    assert covered > 0.88  # nominal 0.95; 4 standard errors of 250 simulations are 0.055


def test_ranking_measures_have_intervals_too(verification: pd.DataFrame) -> None:
    result = disaggregate(AUC, verification, "gender", rng=rng(0))
    assert result.overall.ci_low < result.overall.value < result.overall.ci_high
    assert result.replicates["Male"].shape == (200,)
    only_mated = verification.assign(mated=True)
    estimate = disaggregate(AUC, only_mated, "", rng=rng(0)).overall
    assert math.isnan(estimate.value)
    assert estimate.note == "one kind of pair is missing"


def test_the_random_streams_of_rates_and_rankings_are_kept(verification: pd.DataFrame) -> None:
    """Published intervals must come out again, to the last digit."""
    frame = verification.assign(outcome=decide_by_threshold(verification, 0.3))
    rate = disaggregate(RATE, frame, "race", rng=rng(3)).overall
    ranking = disaggregate(AUC, frame, "race", rng=rng(3)).overall
    assert (rate.ci_low, rate.ci_high) == pytest.approx((0.7558811592998307, 0.8899224025736295), abs=1e-12)
    assert (ranking.ci_low, ranking.ci_high) == pytest.approx((0.8862234842360796, 0.9491122666608228), abs=1e-12)


def test_a_hundred_thousand_rows_take_seconds() -> None:
    frame = simulated(0, m=2000, images=50).assign(gender=["Female", "Male"] * 50_000)
    start = time.perf_counter()
    measure(frame)
    assert time.perf_counter() - start < 5
