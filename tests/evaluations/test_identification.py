from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from unveil.evaluations.identification import Identification
from unveil.metrics.outcomes import Accounting, decide_by_identity

from .small import Context, Templates, people, template

GROUPS = {"a": "f", "b": "f", "c": "f", "d": "m", "e": "m", "lone": "x"}
SAMPLES = people({"a": 5, "b": 4, "c": 3, "d": 5, "e": 4, "lone": 3}, GROUPS)
IDS = list(SAMPLES.index)
ALL = ("group_unknown", "group_known", "group_unknown_poisoned", "group_known_poisoned")


def planned(threat_model: str, seed: int = 0) -> pd.DataFrame:
    return Identification().units(SAMPLES, threat_model, [], np.random.default_rng(seed))


def attack(threat_model: str, original: Templates, protected: Templates, **more: str) -> pd.DataFrame:
    context = Context(SAMPLES, original, protected, **more)  # type: ignore[arg-type]
    return Identification().observe(planned(threat_model), threat_model, context).set_index("unit_id")


def by_hand(
    units: pd.DataFrame, probes: Templates, enrolled: list[Templates], distance: str
) -> tuple[dict[str, str], dict[str, int]]:
    """Names by sklearn's own classifier, and ranks by looking at everybody."""
    gallery = units[units["side"] == "gallery"]
    vectors = np.vstack([version.vectors(gallery["sample_id"].tolist()) for version in enrolled])
    labels = np.array(gallery["true_identity"].tolist() * len(enrolled))
    probe = units[units["side"] == "probe"]
    seen = probes.vectors(probe["sample_id"].tolist())
    named = SVC(kernel="linear", decision_function_shape="ovo").fit(vectors, labels).predict(seen)
    apart = cdist(seen, vectors, distance)
    ranks = {}
    for row, (unit, truth) in enumerate(zip(probe["unit_id"], probe["true_identity"], strict=True)):
        best = {who: min(apart[row, labels == who]) for who in set(labels)}
        ranks[unit] = 1 + sum(best[who] < best[truth] for who in best)
    return dict(zip(probe["unit_id"], named, strict=True)), ranks


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
@pytest.mark.parametrize("noise", [0.1, 3.0])
def test_names_and_ranks_are_those_found_by_hand(distance: Literal["cosine", "euclidean"], noise: float) -> None:
    original, protected = template(SAMPLES, noise=0.2), template(SAMPLES, noise=noise)
    wrong: list[str] = []
    for threat_model, probes, enrolled in (
        ("group_unknown", protected, [protected, original]),
        ("group_unknown_poisoned", original, [protected]),
    ):
        observed = attack(threat_model, original, protected, distance=distance)
        named, ranks = by_hand(planned(threat_model), probes, enrolled, distance)
        asked = observed[observed["side"] == "probe"]
        assert (asked["status"] == "ok").all() and (asked["gallery_size"] == 6).all()
        assert asked["predicted_identity"].to_dict() == named
        assert asked["rank"].astype(int).to_dict() == ranks
        wrong += [unit for unit in named if SAMPLES["identity"][unit] != named[unit]]
        wrong += [unit for unit in ranks if ranks[unit] > 1]
    assert bool(wrong) == (noise > 1), "one case is easy and one is hard"


@pytest.mark.parametrize("threat_model", ["group_known", "group_known_poisoned"])
def test_a_known_group_keeps_the_attack_inside(threat_model: str) -> None:
    original, protected = template(SAMPLES, noise=0.5), template(SAMPLES, noise=2.0)
    observed = attack(threat_model, original, protected)
    asked = observed[(observed["side"] == "probe") & (observed["status"] == "ok")]
    group = {who: GROUPS[who] for who in GROUPS}
    assert (asked["predicted_identity"].map(group) == asked["true_identity"].map(group)).all()
    assert asked.groupby(asked["true_identity"].map(group))["gallery_size"].unique().str[0].to_dict() == {
        "f": 3,
        "m": 2,
    }
    for name in ("f", "m"):
        units = planned(threat_model)
        units = units[units["enclosure"] == name]
        poisoned = "poisoned" in threat_model
        probes, enrolled = (original, [protected]) if poisoned else (protected, [protected, original])
        named, ranks = by_hand(units, probes, enrolled, "cosine")
        assert asked.loc[list(named), "predicted_identity"].to_dict() == named
        assert asked.loc[list(ranks), "rank"].astype(int).to_dict() == ranks


def test_a_group_with_one_person_has_nobody_to_be_told_from() -> None:
    both = template(SAMPLES)
    observed = attack("group_known", both, both)
    lone = observed[(observed["true_identity"] == "lone") & (observed["side"] == "probe")]
    assert len(lone) == 1
    assert lone[["status", "reason"]].to_numpy().tolist() == [["error", "one_identity_enrolled"]]
    assert (
        (lone["gallery_size"] == 1).all()
        and (lone["predicted_identity"] == "").all()
        and lone["rank"].isna().all()
    )


def test_a_person_without_an_enrolled_face_cannot_be_recognised_by_anybody() -> None:
    gallery = planned("group_unknown").query("side == 'gallery' and true_identity == 'a'")["sample_id"]
    lost = dict.fromkeys(gallery, "not_acquired")
    observed = attack("group_unknown", template(SAMPLES, status=lost), template(SAMPLES, status=lost))
    asked = observed[observed["side"] == "probe"]
    assert asked.loc[
        asked["true_identity"] == "a", ["status", "reason"]
    ].drop_duplicates().to_numpy().tolist() == [["error", "identity_not_enrolled"]]
    assert (asked.loc[asked["true_identity"] != "a", "status"] == "ok").all()
    assert (asked["gallery_size"] == 5).all()


def test_nobody_at_all_is_enrolled() -> None:
    none = template(SAMPLES, status=dict.fromkeys(IDS, "not_acquired"), width=1)
    for threat_model in ALL:
        observed = attack(threat_model, template(SAMPLES), none)
        assert len(observed) == len(IDS)
        asked = observed[observed["side"] == "probe"]
        # Under poisoning there is no face to learn from; else no probe shows one.
        lone = (asked["true_identity"] == "lone") & (threat_model == "group_known")
        assert (asked.loc[~lone, "status"] == "not_acquired").all()
        assert (asked.loc[lone, "status"] == "error").all()


def test_an_original_probe_without_a_face_is_no_merit_of_the_method() -> None:
    probe = (
        planned("group_unknown_poisoned").query("side == 'probe' and true_identity == 'a'")["sample_id"].iloc[0]
    )
    original = template(SAMPLES, status={probe: "not_acquired"})
    observed = attack("group_unknown_poisoned", original, template(SAMPLES))
    assert observed.loc[probe, ["status", "reason"]].tolist() == ["error", "no_face_in_probe"]
    observed = attack("group_unknown", template(SAMPLES), original)
    assert observed.loc[probe, "status"] == "not_acquired"


def test_who_hides_in_every_protected_photo_teaches_the_attacker_nothing() -> None:
    gallery = planned("group_unknown_poisoned").query("side == 'gallery' and true_identity == 'a'")["sample_id"]
    protected = template(SAMPLES, status=dict.fromkeys(gallery, "not_acquired"))
    observed = attack("group_unknown_poisoned", template(SAMPLES), protected)
    asked = observed[observed["side"] == "probe"]
    hidden = asked["true_identity"] == "a"
    assert set(asked.loc[hidden, "status"]) == {"not_acquired"}
    assert set(asked.loc[hidden, "reason"]) == {"identity_not_enrolled"}
    assert set(asked.loc[~hidden, "status"]) == {"ok"}


def test_poisoning_is_judged_by_original_probes() -> None:
    units = planned("group_unknown_poisoned")
    probes = units.query("side == 'probe'")["sample_id"].tolist()
    gallery = units.query("side == 'gallery'")["sample_id"].tolist()
    protected = template(SAMPLES, noise=0.3, status=dict.fromkeys(probes, "not_protected"))
    original = template(SAMPLES, noise=0.2, status=dict.fromkeys(gallery, "not_acquired"))
    observed = attack("group_unknown_poisoned", original, protected)
    asked = observed[observed["side"] == "probe"]
    assert (asked["status"] == "ok").all(), "neither protected probes nor original gallery photos are looked at"
    assert (observed.loc[observed["side"] == "gallery", "status"] == "ok").all()


def test_a_gallery_photo_that_was_not_protected_stands_there_as_it_was() -> None:
    """Otherwise a poisoning method that fails on most photos would starve the attacker, and look strong."""
    units = planned("group_unknown_poisoned")
    gallery = units.query("side == 'gallery'")["sample_id"].tolist()
    failed = gallery[::2]
    original, garbage = (
        template(SAMPLES, noise=0.1),
        template(SAMPLES, noise=9.0, status=dict.fromkeys(failed, "not_protected")),
    )
    observed = attack("group_unknown_poisoned", original, garbage)
    mixed = Templates(
        dict.fromkeys(IDS, "ok"), {i: (original if i in failed else garbage).vectors([i])[0] for i in gallery}
        | {i: original.vectors([i])[0] for i in IDS if i not in gallery}
    )  # fmt: skip
    named, _ = by_hand(units, original, [mixed], "cosine")
    asked = observed[observed["side"] == "probe"]
    assert asked["predicted_identity"].to_dict() == named
    assert set(observed.index[observed["status"] == "not_protected"]) == set(failed), "and is accounted for"


def test_unprotected_photos_are_enrolled_once() -> None:
    both = template(SAMPLES, noise=3.5)
    observed = attack("group_unknown", both, both, method="original")
    named, ranks = by_hand(planned("group_unknown"), both, [both], "cosine")
    twice, _ = by_hand(planned("group_unknown"), both, [both, both], "cosine")
    asked = observed[observed["side"] == "probe"]
    assert asked["predicted_identity"].to_dict() == named and asked["rank"].astype(int).to_dict() == ranks
    assert named != twice, "twice would be another attack: every mistake would cost double"


@settings(deadline=None, max_examples=40)
@given(st.data(), st.sampled_from(ALL))
def test_rows_are_never_lost_and_always_accounted_for(data: st.DataObject, threat_model: str) -> None:
    states = st.sampled_from(("ok", "ok", "ok", "not_acquired", "not_protected", "error"))
    status = {i: data.draw(states) for i in IDS}
    originals = {i: data.draw(st.sampled_from(("ok", "ok", "not_acquired"))) for i in IDS}
    observed = attack(threat_model, template(SAMPLES, status=originals), template(SAMPLES, status=status))
    assert sorted(observed.index) == sorted(planned(threat_model)["unit_id"])
    asked = observed[observed["side"] == "probe"]
    accounting = Accounting.of(decide_by_identity(asked))
    assert accounting.n() == len(asked)
    if "poisoned" not in threat_model:
        # A probe that the method failed on is exposed, whether or not somebody is enrolled.
        assert accounting.not_protected == sum(status[i] == "not_protected" for i in asked["sample_id"])
    answered = asked["status"] == "ok"
    assert (asked["predicted_identity"].ne("") == answered).all() and (asked["rank"].notna() == answered).all()
    assert (asked.loc[answered, "rank"] >= 1).all()
    assert (asked.loc[answered, "rank"] <= asked.loc[answered, "gallery_size"]).all()


def test_the_split_is_the_same_for_every_method_and_differs_by_seed() -> None:
    assert planned("group_known", 1).equals(planned("group_known", 1))
    assert not planned("group_known", 1)["side"].equals(planned("group_known", 2)["side"])
    assert planned("group_known")["enclosure"].nunique() == 3 and set(planned("group_unknown")["enclosure"]) == {
        ""
    }


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, float("nan"), float("inf")])
def test_the_share_of_training_photos(fraction: float) -> None:
    with pytest.raises(ValueError, match="train_fraction must lie between 0 and 1"):
        Identification(train_fraction=fraction)


@pytest.mark.parametrize("ranks", [(), (0,), (1.5,), ("1",), (True,), (1, float("nan")), (2, 2)])
def test_ranks_are_whole_numbers(ranks: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="ranks must be a list of whole numbers from 1"):
        Identification(ranks=ranks)  # type: ignore[arg-type]
    assert Identification(ranks=[3]).operating_points == ("svm", "rank_3")
