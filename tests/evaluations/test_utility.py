from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from unveil.core.types import Detections, Failure, Image, Reason
from unveil.evaluations.utility import ObjectDetection
from unveil.testing.scenes import Scenes, scene_samples

from .scenes import MISSING, Album, Known, Learner, boxed, numbered, observed

LEFT, RIGHT = (0.0, 0.0, 10.0, 20.0), (30.0, 0.0, 40.0, 20.0)
NEAR_LEFT = (0.0, 0.0, 10.0, 18.0)  # overlaps LEFT by 0.9
HALF_LEFT = (0.0, 0.0, 10.0, 10.0)  # overlaps LEFT by 0.5


def look(
    truth: Detections | Failure, found: Detections, image: Image | Failure | None = None, iou: float = 0.5
) -> pd.DataFrame:
    picture = numbered(1) if image is None else image
    detector = Known({1: found})
    models: Any = {("object_detector", "original"): detector, ("object_detector", "protected"): Known({})}
    album = Album({"a": numbered(1)}, {"a": picture}, models=models, truth={"a": truth})
    return observed(ObjectDetection(iou=iou), album, "trained_on_originals")


def test_matched_missed_and_invented() -> None:
    truth = boxed(("person", 1, LEFT), ("person", 1, RIGHT), ("car", 1, RIGHT))
    found = boxed(("person", 0.9, NEAR_LEFT), ("person", 0.8, LEFT), ("bus", 0.7, RIGHT), ("car", 0.3, RIGHT))
    rows = look(truth, found)
    assert rows["unit_id"].tolist() == [f"a#{n}" for n in range(5)]
    assert rows["label"].tolist() == ["person", "person", "car", "person", "bus"]
    assert rows["truth"].tolist() == [True, True, True, False, False]
    nan = float("nan")
    assert rows["score"].to_numpy() == pytest.approx([0.9, nan, 0.3, 0.8, 0.7], nan_ok=True)
    assert rows["iou"].to_numpy() == pytest.approx([0.9, nan, 1, nan, nan], nan_ok=True)
    assert rows["accepted"].tolist() == [True, False, False, True, True], "the car is found, but not surely enough"
    assert set(rows["status"]) == {"ok"}


def test_the_surer_detection_takes_the_object_whatever_order_they_come_in() -> None:
    truth = boxed(("person", 1, LEFT))
    rows = look(truth, boxed(("person", 0.6, LEFT), ("person", 0.8, NEAR_LEFT)))
    assert rows["score"].to_numpy() == pytest.approx([0.8, 0.6])
    assert rows["iou"].to_numpy()[0] == pytest.approx(0.9)


def test_a_detection_at_the_threshold_is_accepted() -> None:
    rows = look(boxed(("person", 1, LEFT), ("car", 1, RIGHT)), boxed(("person", 0.5, LEFT), ("car", 0.49, RIGHT)))
    assert rows["accepted"].tolist() == [True, False]


def test_the_least_overlap_is_a_parameter_and_counts_from_its_value_on() -> None:
    truth, found = boxed(("person", 1, LEFT)), boxed(("person", 0.9, HALF_LEFT))
    assert len(look(truth, found)) == 1
    assert look(truth, found, iou=0.51)["truth"].tolist() == [True, False]


def test_other_classes_are_none_of_our_business() -> None:
    rows = look(boxed(("dog", 1, LEFT)), boxed(("dog", 0.9, LEFT), ("cat", 0.9, RIGHT)))
    assert rows.empty and rows["accepted"].dtype == bool


def test_objects_of_a_picture_that_was_left_out_are_there_and_nobody_has_looked() -> None:
    rows = look(boxed(("person", 1, LEFT), ("car", 1, RIGHT)), boxed(), MISSING)
    assert rows["status"].tolist() == ["not_protected"] * 2 and rows["truth"].all()
    assert rows["score"].isna().all() and not rows["accepted"].any()
    assert look(boxed(), boxed(), MISSING).empty


@pytest.mark.parametrize("image", [None, MISSING])
def test_a_picture_of_unknown_truth_is_one_error(image: Failure | None) -> None:
    rows = look(Failure(Reason.BAD_ANNOTATION, "box outside"), boxed(("person", 0.9, LEFT)), image)
    facts = ["unit_id", "status", "reason", "label", "truth", "accepted"]
    assert rows[facts].to_numpy().tolist() == [["a#0", "error", "bad_annotation", "", False, False]]


def test_an_unreadable_protected_picture_is_one_error() -> None:
    rows = look(boxed(("person", 1, LEFT)), boxed(), Failure(Reason.UNDECODABLE, "damaged"))
    assert rows["status"].tolist() == ["error"] and rows["reason"].tolist() == ["undecodable"]


def test_boxes_in_a_picture_of_another_size_are_brought_back() -> None:
    truth = boxed(("person", 1, RIGHT))
    half = boxed(("person", 0.9, tuple(edge / 2 for edge in RIGHT)))  # type: ignore[arg-type]
    rows = look(truth, half, numbered(1, (20, 30)))
    assert rows["iou"].tolist() == [1.0]
    assert look(truth, half)["iou"].isna().all()


def test_the_protocol_decides_which_detector_looks() -> None:
    models: Any = {
        ("object_detector", "original"): Known({1: boxed(("person", 0.9, LEFT))}),
        ("object_detector", "protected"): Known({1: boxed(("person", 0.7, LEFT))}),
    }
    album = Album({"a": numbered(1)}, {"a": numbered(1)}, models=models, truth={"a": boxed(("person", 1, LEFT))})
    scores = {
        threat: observed(ObjectDetection(), album, threat)["score"].tolist()
        for threat in ObjectDetection.meta.threat_models
    }
    assert scores == {
        "trained_on_originals": [np.float32(0.9)],
        "trained_on_protected": [np.float32(0.7)],
        "pretrained": [np.float32(0.9)],
    }
    assert ObjectDetection().suits("trained_on_protected", {"object_detector": Learner()})
    assert not ObjectDetection().suits("trained_on_protected", {"object_detector": Known({})})


def test_on_originals_a_good_detector_finds_what_was_drawn() -> None:
    samples = scene_samples(60)
    rows = {
        method: observed(ObjectDetection(), Scenes(samples, ["ok"] * 60, method), "pretrained")
        for method in ("original", "veil")
    }
    original, veiled = rows["original"], rows["veil"]
    assert original["truth"].all() and (original["iou"] == 1).all()
    person = veiled["label"] == "person"
    assert (
        veiled.loc[person, "accepted"].mean()
        < 0.5
        < original.loc[original["label"] == "person", "accepted"].mean()
    )
    others = veiled["truth"] & ~person
    assert (veiled.loc[others, "iou"] == 1).all(), "the method leaves things alone"


@pytest.mark.parametrize("iou", [0, 1.1, float("nan"), True, "0.5"])
def test_a_wrong_overlap_is_refused(iou: Any) -> None:
    with pytest.raises(ValueError, match="iou must be"):
        ObjectDetection(iou=iou)
