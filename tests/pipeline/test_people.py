from __future__ import annotations

import numpy as np

from unveil.core.scenes import PERSON
from unveil.core.types import Detections, Failure, Reason
from unveil.images import read_image


def found_in(made, *, blank=False):
    """Sample id -> people in its picture, or in a blank one of its size."""
    finder, samples = made.work("mask.person").protector.finder, made.dataset.samples
    images = [read_image(made.dataset.built.component.root / sample.id) for sample in samples]
    images = [np.zeros_like(image) for image in images] if blank else images
    return dict(zip((s.id for s in samples), finder.find(samples, images), strict=True))


def test_annotated_people_have_masks_and_keypoints_and_where_nobody_is_nobody_is_found(stage):
    made = stage()
    for sample_id, people in found_in(made).items():
        known = made.dataset.built.component.objects(sample_id).only(PERSON)
        assert isinstance(people, Detections) and len(people) == len(known)
        if len(people):
            assert np.array_equal(people.masks, known.masks)
            assert people.landmarks.shape == (len(people), 17, 2)
    assert not (made.artifacts.root / "people").exists()  # what the dataset says is not kept twice


def test_a_mask_of_another_size_is_the_failure_of_its_picture_alone(stage, write_scenes, tmp_path):
    def shrink(data):
        next(a for a in data["annotations"] if a["image_id"] == 0)["segmentation"] = {
            "size": [2, 2],
            "counts": [4],
        }

    made = stage(write_scenes(tmp_path / "shrunk", 6, edit=shrink))
    found = found_in(made)
    bad = found.pop("images/00.png")
    assert isinstance(bad, Failure) and bad.reason is Reason.BAD_ANNOTATION and "[2, 2]" in bad.detail
    assert not any(isinstance(people, Failure) for people in found.values())


def test_people_without_outlines_are_masked_by_their_box(stage, write_scenes, tmp_path):
    def boxes_only(data):
        for annotation in data["annotations"]:
            del annotation["segmentation"]

    made = stage(write_scenes(tmp_path / "boxes", 6, edit=boxes_only))
    assert "masks" not in made.dataset.built.component.meta.has
    people = found_in(made)["images/00.png"]
    left, top, right, bottom = np.rint(people.boxes[0]).astype(int)
    assert people.masks[0, top:bottom, left:right].all() and people.masks[0].sum() == (right - left) * (
        bottom - top
    )


def test_nobody_found_is_a_failure_unless_the_labels_say_that_nobody_is_there(
    stage, labelled_folder, monkeypatch, shared_weights
):
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    dataset = {"use": "hr_vispr", "params": {"root": str(labelled_folder)}}
    made = stage(datasets=[dataset], models={"segmenter": "box"}, evaluations=["intelligibility"])
    found = found_in(made)
    for split in ("train", "val", "test"):
        nobody = found[f"{split}2017/safe.jpg"]
        assert isinstance(nobody, Detections) and not len(nobody)
        failure = found[f"{split}2017/face.jpg"]
        assert isinstance(failure, Failure) and failure.reason is Reason.NO_PERSON and "64x48" in failure.detail
    rows = made.execution.store.read("protections").set_index("sample_id")["status"]
    assert rows["test2017/face.jpg"] == "failed" and rows["test2017/safe.jpg"] == "ok"


def test_a_picture_that_is_said_to_show_nobody_no_more_is_looked_at_anew(
    stage, labelled_folder, monkeypatch, shared_weights
):
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    dataset = {"use": "hr_vispr", "params": {"root": str(labelled_folder)}}
    settings = {"datasets": [dataset], "models": {"segmenter": "box"}, "evaluations": ["intelligibility"]}

    def status():
        work = stage(**settings).work("mask.person")
        rows = work.store.read("protections", work.parts[0]).set_index("sample_id")
        return rows.loc["test2017/safe.jpg", "status"]

    assert status() == "ok"
    file = labelled_folder / "18_class_pkl_labels_with_safe" / "test2017_labels.json"
    file.write_text(file.read_text().replace("[0", "[1"))
    assert status() == "failed"


def test_what_a_segmenter_found_is_kept(stage, monkeypatch, shared_weights):
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    dataset = {"use": "sample-scenes", "params": {"limit": 3}}
    made = stage(datasets=[dataset], models={"segmenter": "grabcut"}, evaluations=["intelligibility"])
    first = found_in(made)
    assert any(isinstance(people, Detections) and len(people) for people in first.values())
    for sample_id, people in found_in(made, blank=True).items():  # the pictures are not looked at again
        before = first[sample_id]
        if isinstance(people, Failure):
            assert people == before
            continue
        assert np.array_equal(people.masks, before.masks) if len(people) else not len(before)
        assert np.array_equal(people.boxes, before.boxes) and np.array_equal(people.scores, before.scores)
