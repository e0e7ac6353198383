from __future__ import annotations

import pandas as pd
import pytest

from unveil.core.types import Failure, Reason
from unveil.evaluations.pictures import BATCH, fate, of_test_split, sights
from unveil.evaluations.training import suits

from .scenes import MISSING, Album, Learner, numbered


def split(*names: str) -> pd.DataFrame:
    return pd.DataFrame({"split": names}, index=[f"{n}.png" for n in range(len(names))])


def test_units_are_the_pictures_of_the_test_split() -> None:
    units = of_test_split(split("train", "test", "", "validation", "test"))
    assert units["unit_id"].tolist() == units["sample_id"].tolist() == ["1.png", "4.png"]
    assert of_test_split(split("", ""))["sample_id"].tolist() == ["0.png", "1.png"]


def test_a_split_dataset_without_a_test_split_has_no_units_and_says_so() -> None:
    units = of_test_split(split("train", "train"))
    assert units.empty
    assert units.attrs["notes"] == ["the dataset is split, but no picture belongs to the split 'test'"]


def test_what_has_become_of_each_picture() -> None:
    broken = Failure(Reason.UNDECODABLE, "not a picture")
    original = {"a": numbered(1), "b": numbered(2), "c": broken, "d": numbered(4), "e": broken}
    protected = {"a": numbered(9), "b": MISSING, "c": numbered(9), "d": broken, "e": MISSING}
    (seen,) = sights(Album(original, protected), list("abcde"))
    assert [sight.status for sight in seen] == ["ok", "not_protected", "error", "error", "error"]
    assert [sight.reason for sight in seen] == ["", "missing", "undecodable", "undecodable", "undecodable"]
    shown = [None if sight.shown is None else int(sight.shown[0, 0, 0]) for sight in seen]
    assert shown == [9, 2, None, None, None]
    assert seen[3].original is not None and seen[3].protected is None
    assert fate(numbered(1)) == ("ok", "")
    for reason in set(Reason) - {Reason.MISSING}:
        assert fate(Failure(reason, "there is a file, but no picture")) == ("error", str(reason))


def test_few_pictures_are_in_memory_at_once_and_those_of_the_original_are_read_once() -> None:
    pictures = {f"{n}.png": numbered(n) for n in range(2 * BATCH + 3)}
    for method, reads in (("mine", 2), ("original", 1)):
        album = Album(pictures, pictures, method=method)
        seen = [sight for batch in sights(album, list(pictures)) for sight in batch]
        assert [sight.sample_id for sight in seen] == list(pictures)
        assert album.asked == [size for size in (BATCH, BATCH, 3) for _ in range(reads)]


@pytest.mark.parametrize("threat_model", ["trained_on_originals", "trained_on_protected", "pretrained"])
def test_who_learns_is_trained_and_who_does_not_is_pretrained(threat_model: str) -> None:
    assert suits(threat_model, object()) == (threat_model == "pretrained")
    assert suits(threat_model, Learner()) == (threat_model != "pretrained")
