from __future__ import annotations

import itertools
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial import distance as scipy_distance

from unveil.core.similarity import similarity_of
from unveil.core.types import Outcome, Pair
from unveil.evaluations.verification import Verification
from unveil.metrics.outcomes import account, decide_by_threshold

from .small import Context, people, template

GROUPS = {"a": "f", "b": "f", "c": "m", "d": "m"}
SAMPLES = people({"a": 4, "b": 3, "c": 2, "d": 1}, GROUPS)
IDS = list(SAMPLES.index)
finite = st.floats(-100, 100, width=32)


def planned(threat_model: str = "other_photo", **parameters: int) -> pd.DataFrame:
    return Verification(**parameters).units(SAMPLES, threat_model, [], np.random.default_rng(3))  # type: ignore[arg-type]


# --- similarity ---


@settings(deadline=None)
@given(hnp.arrays(np.float32, (2, 5, 7), elements=finite))
def test_similarities_are_those_of_scipy(vectors: np.ndarray) -> None:
    left, right = vectors
    apart = [scipy_distance.euclidean(a, b) for a, b in zip(left, right, strict=True)]
    assert np.allclose(similarity_of(left, right, "euclidean"), -np.array(apart), rtol=1e-4, atol=1e-4)
    some = (np.linalg.norm(left, axis=1) > 1e-3) & (np.linalg.norm(right, axis=1) > 1e-3)
    wanted = [1 - scipy_distance.cosine(a, b) for a, b in zip(left[some], right[some], strict=True)]
    assert np.allclose(similarity_of(left[some], right[some], "cosine"), wanted, rtol=1e-4, atol=1e-4)


def test_nothing_is_alike_to_a_vector_of_zeros() -> None:
    assert similarity_of(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32), "cosine").tolist() == [0.0]


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
def test_observed_similarities(distance: Literal["cosine", "euclidean"]) -> None:
    original, protected = template(SAMPLES, noise=0.1), template(SAMPLES, noise=0.6)
    observed = Verification().observe(planned(), "other_photo", Context(SAMPLES, original, protected, distance))
    assert (observed["status"] == "ok").all() and (observed["reason"] == "").all()
    for row in observed.itertuples():
        a, b = protected.vectors([row.sample_id])[0], original.vectors([row.other_sample_id])[0]
        wanted = 1 - scipy_distance.cosine(a, b) if distance == "cosine" else -scipy_distance.euclidean(a, b)
        assert row.similarity == pytest.approx(wanted, abs=1e-5)
    assert observed["similarity"].dtype == np.float32


def test_many_pairs_are_compared_in_pieces() -> None:
    samples = people({f"p{i}": 60 for i in range(20)})
    both = template(samples, noise=0.2)
    units = Verification(pairs_per_photo=12, strangers_per_photo=1).units(
        samples, "other_photo", [], np.random.default_rng(0)
    )
    assert len(units) > 8192
    observed = Verification().observe(units, "other_photo", Context(samples, both, both))
    wanted = similarity_of(both.vectors(units["sample_id"]), both.vectors(units["other_sample_id"]), "cosine")
    assert np.allclose(observed["similarity"], wanted)


# --- units ---


def test_units_of_both_threat_models() -> None:
    for threat_model in ("same_photo", "other_photo"):
        units = planned(threat_model, pairs_per_photo=2, strangers_per_photo=1)
        assert units["unit_id"].is_unique
        assert (units["unit_id"] == units["sample_id"] + " ~ " + units["other_sample_id"]).all()
        mated = units[units["mated"]]
        alike = SAMPLES["identity"].loc[units["sample_id"]].to_numpy() == (
            SAMPLES["identity"].loc[units["other_sample_id"]].to_numpy()
        )
        assert (alike == units["mated"]).all()
        assert ((mated["sample_id"] == mated["other_sample_id"]) == (threat_model == "same_photo")).all()
    assert planned("other_photo").attrs["notes"] == [
        "1 identities have one photo, so no other photo to compare it with"
    ]


def test_prescribed_pairs_are_used_for_other_photos_only() -> None:
    pairs = [Pair(IDS[0], IDS[1], True, 4), Pair(IDS[0], IDS[5], False, 4)]
    stream = np.random.default_rng
    units = Verification().units(SAMPLES, "other_photo", pairs, stream(0))
    assert units["fold"].tolist() == [4, 4] and units["mated"].tolist() == [True, False]
    own = Verification(prescribed_pairs=False).units(SAMPLES, "other_photo", pairs, stream(0))
    same = Verification().units(SAMPLES, "same_photo", pairs, stream(0))
    assert (own["fold"] == -1).all() and (same["fold"] == -1).all() and len(same) > len(SAMPLES)


# --- statuses ---

STATES = ("ok", "not_acquired", "not_protected", "error")


@pytest.mark.parametrize(
    ("probe", "reference", "status", "reason"),
    [
        ("ok", "ok", "ok", ""),
        ("not_acquired", "ok", "not_acquired", "because"),
        ("not_protected", "ok", "not_protected", "because"),
        ("error", "ok", "error", "because"),
        ("ok", "not_acquired", "error", "no_face_in_reference"),
        ("ok", "error", "error", "reference_broken"),
        ("not_acquired", "not_acquired", "error", "no_face_in_reference"),
        # Exposed whatever it is compared with; both often fail for one reason, a face that is hard to find.
        ("not_protected", "not_acquired", "not_protected", "because"),
        ("not_protected", "error", "not_protected", "because"),
    ],
)
def test_every_status_ends_in_one_outcome(probe: str, reference: str, status: str, reason: str) -> None:
    protected = template(SAMPLES, status={IDS[0]: probe})
    original = template(SAMPLES, status={IDS[1]: reference})
    units = Verification().units(SAMPLES, "other_photo", [Pair(IDS[0], IDS[1], True)], np.random.default_rng(0))
    (row,) = Verification().observe(units, "other_photo", Context(SAMPLES, original, protected)).itertuples()
    assert (row.status, row.reason) == (status, reason)
    assert np.isnan(row.similarity) == (status != "ok")


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_rows_are_never_lost_and_always_accounted_for(data: st.DataObject) -> None:
    def states() -> dict[str, str]:
        return {i: data.draw(st.sampled_from(STATES)) for i in IDS}

    protected, original = states(), {i: s.replace("not_protected", "ok") for i, s in states().items()}
    units = planned("same_photo")
    context = Context(SAMPLES, template(SAMPLES, status=original), template(SAMPLES, status=protected))
    observed = Verification().observe(units, "same_photo", context)
    assert observed["unit_id"].tolist() == units["unit_id"].tolist()
    frame = observed.assign(outcome=decide_by_threshold(observed, 0.5))
    mated, floor = account(frame)
    assert mated.n() + floor.n() == len(units) and mated.n() == len(IDS)
    # Under same_photo every photo is one attempt, so exposure is over photos: none the method failed on is lost.
    assert mated.not_protected == sum(state == "not_protected" for state in protected.values())
    assert {o.value for o in Outcome} >= set(frame["outcome"])


def test_observing_leaves_the_units_alone() -> None:
    units = planned()
    before = units.copy()
    both = template(SAMPLES)
    Verification().observe(units.iloc[::-1], "other_photo", Context(SAMPLES, both, both))
    assert units.equals(before)


def test_nothing_to_compare() -> None:
    original, protected = template(SAMPLES), template(SAMPLES, status=dict.fromkeys(IDS, "not_acquired"), width=1)
    observed = Verification().observe(planned(), "other_photo", Context(SAMPLES, original, protected))
    assert observed["similarity"].isna().all() and (observed["status"] == "not_acquired").all()


# --- parameters ---


@pytest.mark.parametrize(
    ("name", "value"),
    list(
        itertools.product(("pairs_per_photo", "strangers_per_photo"), (0, -1, 1.5, float("nan"), True, "3", None))
    ),
)
def test_counts_are_whole_numbers(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number from 1, not"):
        Verification(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [(), [], "f1", "", [5], ["f1", "f1"]])
def test_thresholds_are_a_list(value: object) -> None:
    with pytest.raises(ValueError, match="thresholds must be a list of different policies"):
        Verification(thresholds=value)  # type: ignore[arg-type]
