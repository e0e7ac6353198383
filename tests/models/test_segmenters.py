"""Annotated, boxed and cut-out people."""

from __future__ import annotations

import time

import numpy as np
import pytest

from unveil.core.types import Detections, Failure, Image, Reason
from unveil.models.annotated import Annotated
from unveil.models.box_segmenter import BoxSegmenter
from unveil.models.grabcut import GrabCut
from unveil.testing import check_segmenter
from unveil.testing.toy_scenes import scene


def people(*boxes: tuple[float, ...], masks: np.ndarray | None = None) -> Detections:
    return Detections(
        np.array(boxes, np.float32), np.ones(len(boxes), np.float32), None, ("person",) * len(boxes), masks
    )


def large_scene(number: int) -> tuple[Image, Detections]:
    return scene(number, width=320, height=240)


def grey(height: int, width: int) -> Image:
    return np.full((height, width, 3), 128, np.uint8)


@pytest.mark.parametrize("segmenter", [Annotated(), BoxSegmenter(margin=0.1), GrabCut()])
def test_the_contract(segmenter: object) -> None:
    check_segmenter(segmenter)


def test_masks_of_the_dataset_are_taken_as_they_are() -> None:
    masks = np.zeros((2, 20, 30), bool)
    masks[0, 3:9, 4:8] = True
    (found,) = Annotated().segment([grey(20, 30)], [people((4, 3, 8, 9), (10, 5, 15.5, 9), masks=masks)])
    assert isinstance(found, Detections) and found.masks is not None
    assert np.array_equal(found.masks[0], masks[0])
    filled = np.argwhere(found.masks[1])  # an empty mask is none: the box is filled
    assert filled.min(axis=0).tolist() == [5, 10] and filled.max(axis=0).tolist() == [8, 15]


def test_masks_of_another_size_are_a_bad_annotation() -> None:
    (found,) = Annotated().segment([grey(20, 30)], [people((4, 3, 8, 9), masks=np.ones((1, 30, 20), bool))])
    assert isinstance(found, Failure) and found.reason is Reason.BAD_ANNOTATION
    assert "30x20" in found.detail and "20x30" in found.detail


def test_a_box_outside_is_a_bad_annotation_of_the_dataset_and_nobody_for_a_detector() -> None:
    outside = people((40, 3, 48, 9))
    (found,) = Annotated().segment([grey(20, 30)], [outside])
    assert isinstance(found, Failure) and found.reason is Reason.BAD_ANNOTATION and "30x20" in found.detail
    for segmenter in (BoxSegmenter(), GrabCut()):
        (found,) = segmenter.segment([grey(20, 30)], [outside])
        assert isinstance(found, Detections) and len(found) == 0


def test_boxes_are_enlarged_and_clipped() -> None:
    (found,) = BoxSegmenter(margin=0.5).segment([grey(20, 30)], [people((-4, 3, 8, 9))])
    assert isinstance(found, Detections) and found.masks is not None
    expected = np.zeros((20, 30), bool)
    expected[0:12, 0:14] = True
    assert np.array_equal(found.masks[0], expected)


def test_grabcut_finds_drawn_people_better_than_boxes_do() -> None:
    scenes = [(image, found.only("person")) for image, found in map(large_scene, range(12))]
    images, known = zip(*[(image, found) for image, found in scenes if len(found)], strict=True)
    shares = {}
    for segmenter in (GrabCut(), BoxSegmenter()):
        found = segmenter.segment(images, known)
        pairs = [
            pair
            for truth, cut in zip(known, found, strict=True)
            for pair in zip(truth.masks, cut.masks, strict=True)
        ]
        shares[type(segmenter)] = [(one & two).sum() / (one | two).sum() for one, two in pairs]
    assert np.mean(shares[GrabCut]) > 0.9 > np.mean(shares[BoxSegmenter])


def test_grabcut_stays_in_the_enlarged_box_and_falls_back_to_the_box() -> None:
    stream = np.random.default_rng(1)
    image = stream.integers(0, 256, (60, 80, 3)).astype(np.uint8)
    (found,) = GrabCut(margin=0.1).segment([image], [people((20, 10, 60, 50))])
    assert isinstance(found, Detections) and found.masks is not None
    rows, columns = np.nonzero(found.masks[0])
    assert rows.min() >= 6 and rows.max() < 54 and columns.min() >= 16 and columns.max() < 64
    (flat,) = GrabCut(least=1).segment([grey(60, 80)], [people((20, 10, 60, 50))])
    assert isinstance(flat, Detections) and flat.masks is not None
    assert flat.masks[0].sum() >= 40 * 40  # nothing tells the person from the ground: the box
    (everywhere,) = GrabCut().segment([image], [people((-5, -5, 90, 70))])
    assert isinstance(everywhere, Detections) and everywhere.masks is not None and everywhere.masks[0].all()


def test_grabcut_is_quick_on_large_photos() -> None:
    image = np.random.default_rng(2).integers(0, 256, (1000, 1500, 3)).astype(np.uint8)
    started = time.process_time()
    GrabCut().segment([image], [people((300, 100, 1000, 900))])
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("segmenter", "name", "value"),
    [
        (BoxSegmenter, "margin", -0.1),
        (BoxSegmenter, "margin", float("nan")),
        (GrabCut, "iterations", 0),
        (GrabCut, "side", 8),
        (GrabCut, "least", 1.5),
    ],
)
def test_wrong_parameters_are_named(segmenter: type, name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*{value!r}"):
        segmenter(**{name: value})
