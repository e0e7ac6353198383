"""Who is compared with whom: pair plans and gallery/probe splits. Seeded, and without a look at pixels.

Every function takes the samples frame (indexed by sample id, with ``identity`` and one column per
attribute) and returns a frame of ids. What cannot be planned is a line in ``frame.attrs["notes"]``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unveil.core.types import Pair


def same_photo(samples: pd.DataFrame) -> pd.DataFrame:
    """Mated pairs of M1: the protected photo against the very photo it was made from."""
    ids = samples.index.to_numpy()
    return _pairs(ids, ids, mated=True)


def other_photo(samples: pd.DataFrame, count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Mated pairs of M2: each photo against up to ``count`` other photos of the same person.

    The photos of a person stand in a random circle and each is paired with the next ``count``: every
    photo is a probe equally often, and equally often a reference.
    """
    left: list[str] = []
    right: list[str] = []
    alone = 0
    for _, ids in _by_identity(samples):
        if len(ids) < 2:
            alone += 1
            continue
        circle = rng.permutation(ids)
        for step in range(1, min(count, len(ids) - 1) + 1):
            left.extend(circle)
            right.extend(np.roll(circle, -step))
    frame = _pairs(left, right, mated=True)
    if alone:
        frame.attrs["notes"] = [f"{alone} identities have one photo, so no other photo to compare it with"]
    return frame


def strangers(samples: pd.DataFrame, count: int, groups: pd.Series, rng: np.random.Generator) -> pd.DataFrame:
    """Non-mated pairs: each photo against ``count`` photos of other people of the same group.

    Inside the group, because telling a woman from a man is easier than telling two women apart
    (FairDeFace, section on recognizer selection). Photos of unknown people are left out: nobody knows that
    they show somebody else.
    """
    left: list[str] = []
    right: list[str] = []
    notes = []
    known = samples["identity"] != ""
    if not known.all():
        notes.append(f"{(~known).sum()} photos show unknown people, so they cannot be paired with strangers")
    for group, members in samples[known].groupby(groups[known], sort=True):
        identities = members["identity"].to_numpy()
        if len(set(identities)) < 2:
            notes.append(f"group {group or 'all'!r} has one identity, so no strangers to compare it with")
            continue
        order = np.argsort(identities, kind="stable")
        ids, identities = members.index.to_numpy()[order], identities[order]
        _, start, size = np.unique(identities, return_index=True, return_counts=True)
        own_start, own_size = np.repeat(start, size), np.repeat(size, size)
        for _ in range(count):
            draw = rng.integers(0, len(ids) - own_size)  # uniform over the photos of everybody else
            left.extend(ids)
            right.extend(ids[np.where(draw < own_start, draw, draw + own_size)])
    frame = _pairs(left, right, mated=False)
    frame = frame.drop_duplicates(["sample_id", "other_sample_id"], ignore_index=True)
    frame.attrs["notes"] = notes
    return frame


def prescribed(samples: pd.DataFrame, pairs: Sequence[Pair]) -> pd.DataFrame:
    """The dataset's own pairs, with their folds; pairs with an unreadable photo are noted."""
    frame = _pairs([p.left for p in pairs], [p.right for p in pairs], mated=[p.mated for p in pairs])
    frame["fold"] = np.asarray([p.fold for p in pairs], dtype=np.int32)
    known = frame["sample_id"].isin(samples.index) & frame["other_sample_id"].isin(samples.index)
    kept = frame[known].reset_index(drop=True)
    if not known.all():
        kept.attrs["notes"] = [f"{(~known).sum()} prescribed pairs name photos that are not in this run"]
    return kept


def split_identities(samples: pd.DataFrame, train_fraction: float, rng: np.random.Generator) -> pd.Series:
    """``gallery`` or ``probe`` for each photo of everybody with at least two, and a note on the others.

    The share of gallery photos is ``train_fraction``, rounded, but at least one photo stands on each side.
    """
    sides: dict[str, str] = {}
    alone = 0
    for _, ids in _by_identity(samples):
        if len(ids) < 2:
            alone += 1
            continue
        enrolled = min(max(round(train_fraction * len(ids)), 1), len(ids) - 1)
        for position, sample_id in enumerate(rng.permutation(ids)):
            sides[sample_id] = "gallery" if position < enrolled else "probe"
    split = pd.Series(sides, dtype=object, name="side")
    if alone:
        split.attrs["notes"] = [f"{alone} identities have one photo, so none to enrol beside the probe"]
    return split


def _by_identity(samples: pd.DataFrame) -> list[tuple[str, np.ndarray]]:
    known = samples[samples["identity"] != ""]
    return [(str(name), part.index.to_numpy()) for name, part in known.groupby("identity", sort=True)]


def _pairs(left: Sequence[str], right: Sequence[str], *, mated: bool | Sequence[bool]) -> pd.DataFrame:
    frame = pd.DataFrame({"sample_id": list(left), "other_sample_id": list(right)}, dtype=object)
    frame["mated"] = np.asarray(mated, dtype=bool) if not isinstance(mated, bool) else mated
    frame["fold"] = np.int32(-1)
    return frame
