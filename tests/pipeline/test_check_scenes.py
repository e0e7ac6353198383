from __future__ import annotations

import pytest

import unveil
from unveil.core.scenes import CLASSES


@pytest.fixture
def found(write_scenes, tmp_path):
    """Writes scenes, looks at them as ``unveil check`` does, and gives (rule, subject) -> finding."""

    def check(**options):
        folder = write_scenes(tmp_path / "scenes", **options)
        params = {"root": str(folder), "labels": "labels.csv", "label_names": ["age", "face", "gender", "race"]}
        _, findings = unveil.api.check("coco", params=params)
        return {(finding.rule, finding.subject): finding for finding in findings}

    return check


def test_labels_classes_and_empty_pictures(found):
    findings = found()
    never = findings["label_never_positive", "race"]
    assert never.severity == "warning" and "6 pictures" in never.message and "cMAP" in never.message
    assert findings["nobody", "dataset"].message == "5 of 18 pictures show nobody"
    missing = {subject for rule, subject in findings if rule == "class_missing"}
    assert missing < set(CLASSES) and "person" not in missing
    assert not any(finding.severity == "error" for finding in findings.values())
    assert not any(rule in ("no_identity", "small_group") for rule, _ in findings)  # of faces


def test_a_broken_annotation_is_an_error_that_names_its_picture(found):
    def outside(data):
        next(a for a in data["annotations"] if a["image_id"] == 4)["bbox"] = [900, 900, 5, 5]

    finding = found(edit=outside)["bad_annotation", "images/04.png"]
    assert finding.severity == "error" and "900" in finding.message


def test_bundled_scenes_have_nothing_wrong():
    counts, findings = unveil.api.check("sample-scenes", params={"limit": 5})
    assert counts["photos"] == counts["readable"] == 15
    assert not [finding for finding in findings if finding.severity == "error"]
    assert not [finding for finding in findings if finding.rule == "empty_split"]


def test_a_split_that_is_empty(labelled_folder):
    for picture in (labelled_folder / "val2017").iterdir():
        picture.write_bytes(b"no picture")
    _, findings = unveil.api.check("hr_vispr", params={"root": str(labelled_folder)})
    (empty,) = [finding for finding in findings if finding.rule == "empty_split"]
    assert empty.subject == "validation"
