"""Which cells of whole scenes there are, and what their identity depends on."""

from __future__ import annotations

import pytest

import unveil
from unveil.core.errors import ConfigError


def cells(planned):
    """Everything but the id -> id."""
    return {(*c.cell.keys().values(),)[1:]: c.cell.id for c in planned.cells}


def changed(one, two):
    """Evaluations of which some cell has another id."""
    before, after = cells(one), cells(two)
    return {key[2] for key in before.keys() & after.keys() if before[key] != after[key]}


THROUGHPUT = {"use": "throughput", "params": {"sizes": [[96, 72]]}}
EVERYTHING = ["privacy", "utility", "robustness", "intelligibility", THROUGHPUT]
NAMES = {"privacy", "utility", "robustness", "intelligibility", "throughput"}


def test_models_that_learn_are_met_under_two_protocols_and_others_under_one(scene_config):
    planned = unveil.plan(scene_config(evaluations=EVERYTHING))
    assert planned.skipped == []
    found = {(c.cell.evaluation, c.cell.threat_model) for c in planned.cells if c.cell.method == "original"}
    both = {"trained_on_originals", "trained_on_protected"}
    learnt = {(evaluation, protocol) for evaluation in ("privacy", "utility") for protocol in both}
    assert found == learnt | {(name, "") for name in ("robustness", "intelligibility", "throughput")}
    assert len({c.cell.id for c in planned.cells}) == len(planned.cells) == 14


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"seed": 8}, NAMES),
        ({"models": {"classifier": {"use": "small", "params": {"epochs": 2}}}}, {"privacy"}),
        ({"models": {"object_detector": {"use": "small", "params": {"epochs": 2}}}}, {"utility", "robustness"}),
        ({"models": {"reference_detector": {"use": "yolox_nano", "params": {"threshold": 0.9}}}}, set()),
        ({"engine": {"shard_size": 3}, "practicality": {"normalisation": "anchors"}}, set()),
    ],
)
def test_what_changes_an_answer_changes_the_cell_and_nothing_else_does(scene_config, settings, expected):
    plain = unveil.plan(scene_config(evaluations=EVERYTHING))
    assert changed(plain, unveil.plan(scene_config(evaluations=EVERYTHING, **settings))) == expected


@pytest.mark.parametrize(
    ("name", "params", "expected"),
    [
        ("robustness", {"iou_thresholds": [0.9], "ssim_thresholds": [0.1, 0.2]}, set()),  # of what is stored
        ("utility", {"iou": 0.6}, {"utility"}),  # decides what is stored
        ("throughput", {"sizes": [[96, 72]], "frames": 3}, {"throughput"}),
    ],
)
def test_parameters_of_evaluations(scene_config, name, params, expected):
    plain = unveil.plan(scene_config(evaluations=EVERYTHING))
    rest = [e for e in EVERYTHING if e not in (name, THROUGHPUT)] + [THROUGHPUT] * (name != "throughput")
    other = unveil.plan(scene_config(evaluations=[*rest, {"use": name, "params": params}]))
    assert changed(plain, other) == expected


def test_annotations_and_the_vocabulary_are_part_of_the_dataset(scene_config, write_scenes, tmp_path):
    def move(data):
        data["annotations"][0]["bbox"][0] += 1

    plain = scene_config(evaluations=EVERYTHING)
    moved = scene_config(write_scenes(tmp_path / "moved", edit=move), evaluations=EVERYTHING)
    same = scene_config(write_scenes(tmp_path / "same"), evaluations=EVERYTHING)
    (dataset,) = plain.model_dump()["datasets"]
    params = {**dataset["params"], "label_names": ["gender", "face", "age"]}
    fewer = scene_config(evaluations=EVERYTHING, datasets=[{**dataset, "params": params}])
    limited = scene_config(
        evaluations=EVERYTHING, datasets=[{**dataset, "params": {**dataset["params"], "limit": 4}}]
    )
    first = unveil.plan(plain)
    for other in (moved, fewer, limited):
        assert changed(first, unveil.plan(other)) == NAMES
    assert changed(first, unveil.plan(same)) == set()


def test_the_segmenter_is_part_of_the_methods_that_ask_for_people(scene_config, shared_weights, monkeypatch):
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    methods = ["mask.person", "pixelation"]

    def planned(**models):
        return unveil.plan(scene_config(methods=methods, evaluations=["intelligibility"], models=models))

    def ids(plan):
        return {c.cell.method: c.cell.id for c in plan.cells}

    annotated, boxes = ids(planned()), ids(planned(segmenter="box"))
    strict = {"use": "yolox_nano", "params": {"threshold": 0.9}}
    surer = ids(planned(segmenter="box", reference_detector=strict))
    assert len({plan["mask.person"] for plan in (annotated, boxes, surer)}) == 3
    assert annotated["pixelation"] == boxes["pixelation"] == surer["pixelation"]


# --- a dataset without boxes ---


@pytest.fixture
def boxless(labelled_folder, scene_config):
    dataset = {"use": "hr_vispr", "name": "hr", "params": {"root": str(labelled_folder)}}
    return lambda **settings: scene_config(**{"datasets": [dataset], "methods": ["pixelation"], **settings})


def test_without_boxes_the_reference_detector_is_part_of_all_that_is_about_objects(
    boxless, shared_weights, monkeypatch
):
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    strict = {"reference_detector": {"use": "yolox_nano", "params": {"threshold": 0.9}}}
    first, second = (unveil.plan(boxless(evaluations=EVERYTHING, models=m)) for m in ({}, strict))
    assert first.skipped == []
    assert changed(first, second) == {"utility", "robustness"}  # whose detectors learn from these boxes
    alone = unveil.plan(boxless(evaluations=["robustness"]))
    assert changed(first, alone) == set() and len(alone.cells) == 2  # whatever else is evaluated


@pytest.fixture
def without_weights(monkeypatch, tmp_path):
    (tmp_path / "none").mkdir()
    for variable in ("UNVEIL_WEIGHTS", "UNVEIL_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))


def test_missing_weights_of_the_reference_matter_only_where_it_is_asked(without_weights, boxless, scene_config):
    planned = unveil.plan(boxless(evaluations=EVERYTHING))
    assert {c.cell.evaluation for c in planned.cells} == NAMES - {"utility", "robustness"}
    assert len(planned.skipped) == 2
    for line in planned.skipped:
        assert "the dataset has no boxes" in line and "unveil weights fetch yolox_nano.onnx" in line
    assert unveil.plan(scene_config(evaluations=EVERYTHING)).skipped == []
    (line,) = unveil.plan(scene_config(models={"segmenter": "grabcut"})).skipped
    assert line.startswith("mask.person: ") and "yolox_nano.onnx" in line


def test_a_detector_may_share_the_name_of_a_reference_that_nobody_asks(scene_config, shared_weights, monkeypatch):
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    strict = {"object_detector": {"use": "yolox_nano", "params": {"threshold": 0.9}}}
    planned = unveil.plan(scene_config(evaluations=["utility"], models=strict))
    assert {c.cell.threat_model for c in planned.cells} == {"pretrained"}
    with pytest.raises(ConfigError, match="'yolox_nano' stands there with different parameters"):
        unveil.plan(scene_config(evaluations=["utility"], models={**strict, "segmenter": "box"}))


# --- what cannot be done is said in a line ---


def test_methods_for_people_need_to_be_told_where_they_are(boxless):
    planned = unveil.plan(boxless(methods=["mask.person"], evaluations=["intelligibility"]))
    (line,) = planned.skipped
    assert line.startswith("mask.person on hr: ") and "models.segmenter" in line and "grabcut" in line
    assert {c.cell.method for c in planned.cells} == {"original"}


def test_faces_have_neither_labels_nor_splits(scene_config, without_weights):
    faces = {"use": "sample-faces", "params": {"limit": 4}}
    planned = unveil.plan(
        scene_config(datasets=[faces], methods=["pixelation"], evaluations=["privacy", "utility"])
    )
    assert planned.cells == []
    privacy, utility = planned.skipped
    assert privacy == "privacy on sample-faces: the dataset has no labels, splits"
    assert utility.startswith("utility on sample-faces: the dataset has no ") and "splits" in utility


def test_scenes_have_no_faces_to_recognise_by_name(scene_config):
    planned = unveil.plan(scene_config(evaluations=["identification"]))
    assert planned.cells == [] and planned.skipped == ["identification on drawn: the dataset has no identity"]


def test_a_protocol_that_does_not_suit_the_model_is_named(scene_config):
    evaluations = [{"use": "privacy", "threat_models": ["pretrained"]}]
    planned = unveil.plan(scene_config(evaluations=evaluations))
    assert planned.cells == []
    assert planned.skipped == ["privacy on drawn: pretrained cannot be carried out with small"]
    with pytest.raises(ConfigError, match="nothing can be computed: privacy on drawn: pretrained cannot"):
        unveil.run(scene_config(evaluations=evaluations))


def test_a_method_that_sees_the_whole_dataset_has_no_time_for_one_frame(small_config):
    methods = [{"use": "k_same_average", "params": {"k": 3}}, "mask"]
    planned = unveil.plan(small_config(methods=methods, evaluations=["throughput"]))
    assert {c.cell.method for c in planned.cells} == {"original", "mask"}
    (line,) = planned.skipped
    assert line.startswith("throughput on sample-faces: k_same_average looks at the whole dataset")


@pytest.mark.parametrize("role", ["classifier", "object_detector", "image_encoder"])
def test_an_evaluation_may_have_models_of_its_own(scene_config, role):
    evaluation = {"classifier": "privacy", "object_detector": "robustness", "image_encoder": "intelligibility"}[
        role
    ]
    own = {"use": "hog" if role == "image_encoder" else "small", "name": "own"}
    planned = unveil.plan(scene_config(evaluations=[{"use": evaluation, role: own}, "privacy", "robustness"][:1]))
    assert {c.cell.component for c in planned.cells} == {"own"}
    with pytest.raises(ConfigError, match=f"{role}:smal"):
        unveil.plan(scene_config(evaluations=[{"use": evaluation, role: "smal"}]))
