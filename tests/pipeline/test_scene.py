from __future__ import annotations

import numpy as np
import pytest

from unveil.core.types import Detections, Failure, Reason
from unveil.images import read_image


def ids(view, count=6):
    return list(view.samples.index[:count])


def test_both_versions_and_the_progress_of_the_last_one(stage):
    told = []
    view = stage().view("mask.person", "privacy", told.append)
    chosen = ids(view)
    before = list(view.images("original", chosen))
    assert told == []
    after = list(view.images("protected", chosen))
    assert told == [1] * len(chosen)
    assert view.method == "mask.person" and view.labels == ("age", "face", "gender", "race")
    for one, two, people in zip(before, after, view.people(chosen), strict=True):
        inside = people.masks.any(axis=0) if len(people) else np.zeros(one.shape[:2], np.bool_)
        assert np.array_equal(one[~inside], two[~inside])
        assert (one[inside] != two[inside]).any() or not inside.any()


def test_originals_tell_progress_too(stage):
    told = []
    view = stage().view("original", "privacy", told.append)
    list(view.images("original", ids(view)))
    assert sum(told) == 6


def test_models_that_learn_are_trained_on_the_version_and_named(stage):
    view = stage().view("mask.person", "privacy")
    one, two = view.model("classifier", "original"), view.model("classifier", "protected")
    view.model("classifier", "original")
    assert one is not two
    assert [facts["version"] for facts in view.trained] == ["original", "mask.person"]


def test_the_originals_trained_on_themselves_are_the_trained_on_originals(stage):
    view = stage().view("original", "privacy")
    assert view.model("classifier", "protected") is view.model("classifier", "original")
    assert len(view.trained) == 1


def test_a_model_that_does_not_learn_is_as_it_is(stage):
    view = stage(evaluations=["intelligibility"]).view("mask.person", "intelligibility")
    assert view.model("image_encoder").meta.name == "hog" and view.trained == []


def test_nobody_is_looked_for_by_a_method_that_protects_whole_pictures(stage):
    view = stage(methods=["pixelation"]).view("pixelation", "privacy")
    assert not view.finds_people
    assert [len(people) for people in view.people(ids(view))] == [0] * 6
    objects = view.objects(ids(view))
    assert sum(len(found) for found in objects) > 6 and objects[0].labels[0] == "person"


def test_timed_frames_are_protected_with_the_people_that_are_given(stage):
    view = stage().view("mask.person", "privacy")
    image = np.full((40, 60, 3), 200, np.uint8)
    mask = np.zeros((1, 40, 60), np.bool_)
    mask[0, 10:20, 30:50] = True
    people = Detections(np.array([[30, 10, 50, 20]], np.float32), np.ones(1, np.float32), None, ("person",), mask)
    (protected,) = view.protect([image], [people])
    assert np.array_equal((protected != 200).any(axis=2), mask[0])
    (same,) = view.protect([image], [Detections.empty()])
    assert np.array_equal(same, image)


def test_an_original_that_has_gone_is_a_failure_of_its_people(stage, write_scenes, tmp_path):
    made = stage(write_scenes(tmp_path / "gone", 6))
    view = made.view("mask.person", "privacy")
    (made.dataset.built.component.root / "images/00.png").unlink()
    first, second = view.people(["images/00.png", "images/01.png"])
    assert isinstance(first, Failure) and first.reason is Reason.UNDECODABLE
    assert len(second) == len(made.dataset.built.component.objects("images/01.png").only("person"))
    assert isinstance(read_image(made.dataset.built.component.root / "images/00.png"), Failure)


@pytest.mark.parametrize("key", [("a",), ("a", "b")])
def test_random_streams_depend_on_seed_and_key_alone(stage, key):
    one, two = stage().view("mask.person", "privacy"), stage(seed=8).view("mask.person", "privacy")
    assert one.rng(*key).integers(1 << 60) == one.rng(*key).integers(1 << 60) != two.rng(*key).integers(1 << 60)
