from __future__ import annotations

from pathlib import Path

import pytest

import unveil
from unveil.core.errors import ConfigError

from ..models.graphs import random_network


def test_the_unprotected_photos_are_always_there_and_first(small_config):
    planned = unveil.plan(small_config(methods=["mask", "original"]))
    assert [use.label for use in planned.config.methods] == ["original", "mask"]
    threats = {(c.cell.method, c.cell.threat_model) for c in planned.cells if c.cell.evaluation == "verification"}
    # A photo against itself says nothing, and thresholds need the other photos.
    assert threats == {("original", "other_photo"), ("mask", "same_photo"), ("mask", "other_photo")}


def test_an_evaluation_may_have_its_own_detectors(small_config):
    evaluations = [{"use": "detection", "detector": ["mtcnn", "opencv"]}, "verification"]
    planned = unveil.plan(small_config(evaluations=evaluations))
    found = {(c.cell.evaluation, c.cell.component) for c in planned.cells}
    assert found == {("detection", "mtcnn"), ("detection", "opencv"), ("verification", "mtcnn/dlib")}


def test_a_plan_is_stable_and_every_cell_has_its_own_id(small_config):
    first, second = (unveil.plan(small_config()) for _ in range(2))
    ids = [planned.cell.id for planned in first.cells]
    assert ids == [planned.cell.id for planned in second.cells]
    assert len(set(ids)) == len(ids)
    other_seed = unveil.plan(small_config(seed=8))
    assert not set(ids) & {planned.cell.id for planned in other_seed.cells}
    elsewhere = unveil.plan(small_config(output="other", engine={"shard_size": 3}, errors={"budget": 0.5}))
    assert ids == [planned.cell.id for planned in elsewhere.cells]


def test_groupings_are_the_datasets_own_and_their_product(small_config):
    assert unveil.plan(small_config()).datasets[0].groupings == ("gender", "tone", "gender+tone")
    chosen = small_config(fairness={"groupings": ["tone"]})
    assert unveil.plan(chosen).datasets[0].groupings == ("tone",)


def test_a_dataset_that_is_not_there(small_config):
    with pytest.raises(unveil.core.errors.DataError, match="nowhere"):
        unveil.plan(small_config(datasets=[{"use": "bfw", "params": {"root": "nowhere"}}]))


@pytest.mark.parametrize("threat", ["same_foto", "M1"])
def test_threat_models_have_readable_names(small_config, threat):
    evaluations = [{"use": "verification", "threat_models": [threat]}]
    with pytest.raises(ConfigError, match=f"{threat}.*same_photo, other_photo"):
        unveil.plan(small_config(evaluations=evaluations))


def test_what_suits_no_model_is_said_in_a_whole_sentence(small_config, shared_weights, monkeypatch, tmp_path):
    """The focus needs gradients, which a graph does not give; and it has no threat model to be named."""
    pytest.importorskip("mediapipe", reason="needs the extra landmarks")
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    graph: Path = random_network(tmp_path / "random.onnx", 8)
    recognizer = {"use": "onnx", "params": {"path": str(graph)}}
    planned = unveil.plan(small_config(evaluations=["focus"], models={"recognizer": recognizer}))
    line = "focus on sample-faces: it cannot be carried out with mtcnn/onnx/face_landmarker"
    assert planned.skipped == [line] and planned.cells == []
