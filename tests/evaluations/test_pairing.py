from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.types import Pair
from unveil.evaluations import pairing

from .small import people

seeds = st.integers(0, 2**32 - 1)
names = st.sampled_from([f"p{i}" for i in range(8)] + [""])
crowds = st.dictionaries(names, st.integers(1, 7), min_size=1, max_size=8)
GROUPS = {f"p{i}": "ab"[i % 2] for i in range(8)}


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def who(samples: pd.DataFrame, ids: pd.Series) -> list[str]:
    return samples["identity"].loc[ids].tolist()


@settings(deadline=None)
@given(crowds)
def test_same_photo_compares_every_photo_with_itself(crowd: dict[str, int]) -> None:
    samples = people(crowd)
    pairs = pairing.same_photo(samples)
    assert pairs["sample_id"].tolist() == pairs["other_sample_id"].tolist() == samples.index.tolist()
    assert pairs["mated"].all() and (pairs["fold"] == -1).all()


@settings(deadline=None)
@given(crowds, st.integers(1, 9), seeds)
def test_other_photo_uses_every_photo_equally_often(crowd: dict[str, int], count: int, seed: int) -> None:
    samples = people(crowd)
    pairs = pairing.other_photo(samples, count, rng(seed))
    assert pairs["mated"].all()
    assert (pairs["sample_id"] != pairs["other_sample_id"]).all()
    assert who(samples, pairs["sample_id"]) == who(samples, pairs["other_sample_id"])
    assert "" not in who(samples, pairs["sample_id"])
    assert not pairs.duplicated(["sample_id", "other_sample_id"]).any()
    probes, references = Counter(pairs["sample_id"]), Counter(pairs["other_sample_id"])
    for sample_id, identity in samples["identity"].items():
        wanted = min(count, crowd[identity] - 1) if identity else 0
        assert probes[sample_id] == references[sample_id] == wanted
    alone = sum(1 for name, photos in crowd.items() if name and photos == 1)
    assert bool(pairs.attrs.get("notes")) == bool(alone)
    assert all(note.startswith(f"{alone} identities have one photo") for note in pairs.attrs.get("notes", []))


@settings(deadline=None)
@given(crowds, st.integers(1, 5), seeds)
def test_strangers_are_others_of_the_same_group(crowd: dict[str, int], count: int, seed: int) -> None:
    samples = people(crowd, GROUPS)
    pairs = pairing.strangers(samples, count, samples["demographic_group"], rng(seed))
    left, right = (samples.loc[pairs[side]] for side in ("sample_id", "other_sample_id"))
    assert not pairs["mated"].any()
    assert (left["identity"].to_numpy() != right["identity"].to_numpy()).all()
    assert (left["demographic_group"].to_numpy() == right["demographic_group"].to_numpy()).all()
    assert not {*left["identity"], *right["identity"]} & {""}, "nobody knows who an unknown person is not"
    assert not pairs.duplicated(["sample_id", "other_sample_id"]).any()
    assert pairs.index.tolist() == list(range(len(pairs)))
    used = Counter(pairs["sample_id"])
    for sample_id, row in samples.iterrows():
        others = {
            name for name in crowd if name and name != row["identity"] and GROUPS[name] == row["demographic_group"]
        }
        assert (1 <= used[str(sample_id)] <= count) == bool(row["identity"] and others)


@settings(deadline=None)
@given(crowds, seeds)
def test_what_cannot_be_paired_is_noted(crowd: dict[str, int], seed: int) -> None:
    samples = people(crowd, GROUPS)
    notes = pairing.strangers(samples, 1, samples["demographic_group"], rng(seed)).attrs["notes"]
    known = Counter(GROUPS[name] for name in crowd if name)
    alone = sorted(f"group {group!r} has one identity" for group, n in known.items() if n == 1)
    assert sorted(note.partition(", so")[0] for note in notes if note.startswith("group")) == alone
    unknown = [note for note in notes if "unknown" in note]
    assert unknown == (
        [f"{crowd['']} photos show unknown people, so they cannot be paired with strangers"] if "" in crowd else []
    )


def test_strangers_are_drawn_from_all_photos_of_everybody_else() -> None:
    samples = people({"p0": 1, "p2": 3, "p4": 6}, GROUPS)
    drawn: Counter[str] = Counter()
    for seed in range(400):
        pairs = pairing.strangers(samples, 1, samples["demographic_group"], rng(seed))
        drawn.update(pairs.loc[pairs["sample_id"] == "p0/0.jpg", "other_sample_id"])
    assert set(drawn) == {i for i in samples.index if not i.startswith("p0/")}
    assert min(drawn.values()) > 400 / 9 * 0.5 and max(drawn.values()) < 400 / 9 * 1.6


@settings(deadline=None)
@given(crowds, st.floats(0.01, 0.99), seeds)
def test_splits_have_both_sides_and_no_photo_twice(crowd: dict[str, int], fraction: float, seed: int) -> None:
    samples = people(crowd)
    split = pairing.split_identities(samples, fraction, rng(seed))
    assert split.index.is_unique and set(split) <= {"gallery", "probe"}
    for name, photos in crowd.items():
        mine = split[[i for i in split.index if samples["identity"][i] == name]]
        if not name or photos < 2:
            assert mine.empty
            continue
        enrolled = int((mine == "gallery").sum())
        assert len(mine) == photos and 1 <= enrolled <= photos - 1
        assert abs(enrolled - fraction * photos) <= 1 or enrolled in (1, photos - 1)


@settings(deadline=None)
@given(crowds, seeds)
def test_plans_depend_on_the_seed_alone(crowd: dict[str, int], seed: int) -> None:
    samples = people(crowd, GROUPS)
    groups = samples["demographic_group"]
    assert pairing.other_photo(samples, 2, rng(seed)).equals(pairing.other_photo(samples, 2, rng(seed)))
    assert pairing.strangers(samples, 2, groups, rng(seed)).equals(
        pairing.strangers(samples, 2, groups, rng(seed))
    )
    assert pairing.split_identities(samples, 0.5, rng(seed)).equals(
        pairing.split_identities(samples, 0.5, rng(seed))
    )


def test_other_seeds_give_other_plans() -> None:
    samples = people({"p0": 6, "p2": 6}, GROUPS)
    plans = {tuple(pairing.other_photo(samples, 1, rng(seed))["other_sample_id"]) for seed in range(10)}
    splits = {tuple(pairing.split_identities(samples, 0.5, rng(seed)).sort_index()) for seed in range(10)}
    assert len(plans) > 5 and len(splits) > 5


def test_prescribed_pairs_keep_their_fold_and_lose_unreadable_photos() -> None:
    samples = people({"a": 2, "b": 1})
    wanted = [
        Pair("a/0.jpg", "a/1.jpg", True, 0),
        Pair("a/0.jpg", "b/0.jpg", False, 1),
        Pair("a/0.jpg", "b/9.jpg", False, 1),
        Pair("gone.jpg", "b/0.jpg", False, 2),
    ]
    pairs = pairing.prescribed(samples, wanted)
    assert pairs[["sample_id", "other_sample_id", "mated", "fold"]].to_numpy().tolist() == [
        ["a/0.jpg", "a/1.jpg", True, 0],
        ["a/0.jpg", "b/0.jpg", False, 1],
    ]
    assert pairs.attrs["notes"] == ["2 prescribed pairs name photos that are not in this run"]
    assert "notes" not in pairing.prescribed(samples, wanted[:2]).attrs
