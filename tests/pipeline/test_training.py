from __future__ import annotations

import json

import pytest

from unveil.core.errors import DataError
from unveil.core.fingerprint import bytes_hash
from unveil.pipeline.pictures import Pictures


@pytest.fixture
def made(stage):
    return stage(evaluations=["privacy", "utility"])


def of(made, role):
    return made.plan.components.model(role, getattr(made.plan.config.models, role)[0])


def files(made, suffix):
    return sorted((made.artifacts.root / "weights").rglob(f"*{suffix}"))


def test_weights_are_made_once_and_say_how_they_came_about(made):
    pictures, classifier = made.work("original").pictures(), of(made, "classifier")
    training = made.training()
    model, key = training.model(classifier, pictures, "original")
    assert model.labels == ("age", "face", "gender", "race")
    ((weights,), (note,)) = files(made, ".safetensors"), files(made, ".json")
    facts = json.loads(note.read_text())
    assert facts == training.provenance[key]
    assert facts["sha256"] == bytes_hash(weights.read_bytes())
    assert (facts["version"], facts["dataset"], facts["seed"]) == ("original", "drawn", 7)
    assert facts["pictures"] == {"train": 6, "validation": 6} and facts["fingerprint"] == classifier.fingerprint
    before = weights.stat().st_mtime_ns
    later = made.training()
    assert later.model(classifier, pictures, "original")[1] == key
    assert weights.stat().st_mtime_ns == before
    assert later.provenance == training.provenance


@pytest.mark.parametrize("lost", [".json", ".safetensors"])
def test_what_a_kill_left_halfway_is_made_again_to_the_same_bytes(made, lost):
    pictures, detector = made.work("original").pictures(), of(made, "object_detector")
    made.training().model(detector, pictures, "original")
    (weights,) = files(made, ".safetensors")
    before = weights.read_bytes()
    (path,) = files(made, lost)
    path.unlink()
    made.training().model(detector, pictures, "original")
    assert weights.read_bytes() == before and len(files(made, ".json")) == 1


def test_what_is_learnt_from_is_part_of_the_key(made, stage, write_scenes, scene_folder, tmp_path):
    def key(other, method="original"):
        return other.training().model(of(other, "classifier"), other.work(method).pictures(), method)[1]

    def move(data):
        data["annotations"][0]["bbox"][0] += 1

    first = key(made)
    dataset = made.plan.config.model_dump()["datasets"][0]
    fewer = {**dataset, "params": {**dataset["params"], "label_names": ["gender", "face", "age"]}}
    others = {
        "version": key(made, "mask.person"),
        "seed": key(stage(seed=8)),
        "vocabulary": key(stage(datasets=[fewer])),
        "annotations": key(stage(write_scenes(tmp_path / "moved", edit=move))),
        "parameters": key(stage(models={"classifier": {"use": "small", "params": {"epochs": 2, "channels": 4}}})),
    }
    assert len({first, *others.values()}) == 6
    assert key(stage(methods=["blur.gaussian.person"], evaluations=["privacy", "intelligibility"])) == first


def test_a_version_without_a_protected_training_picture_teaches_nothing(made):
    originals = made.work("original").pictures()
    blank = {s.id: "" if s.split == "train" else originals.keys[s.id] for s in made.dataset.samples}
    training = made.training()
    rule = r"small cannot learn from drawn · nothing: no training picture is protected"
    with pytest.raises(DataError, match=rule):
        training.model(of(made, "classifier"), Pictures(originals.samples, blank, originals.load), "nothing")
    assert not files(made, ".safetensors") and not training.provenance


def test_models_used_again_stay_in_memory_and_the_others_do_not(made):
    training, classifier = made.training(), of(made, "classifier")
    originals = made.work("original").pictures()
    (first, key) = training.model(classifier, originals, "original")
    for left_out in made.dataset.samples[:5]:
        keys = {**originals.keys, left_out.id: ""}
        if left_out.split == "train":
            training.model(classifier, Pictures(originals.samples, keys, originals.load), left_out.id)
        again, _ = training.model(classifier, originals, "original")
        assert again is first
    for left_out in [sample for sample in made.dataset.samples if sample.split == "train"]:
        keys = {**originals.keys, left_out.id: ""}
        training.model(classifier, Pictures(originals.samples, keys, originals.load), left_out.id)
    again, same_key = training.model(classifier, originals, "original")
    assert again is not first and same_key == key  # loaded anew, not trained anew
