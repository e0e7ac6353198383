from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from unveil.core.types import Detections, Failure, Image, Reason
from unveil.evaluations.throughput import Throughput, resize_people
from unveil.testing.scenes import Scenes, scene_samples

from .scenes import Album, numbered, observed


class Stopwatch(Scenes):
    """A method that is slow the first time, gives no pictures, and remembers what it was given."""

    def __init__(self, count: int, fate: Any = "ok") -> None:
        super().__init__(scene_samples(count), [fate] * count)
        self.calls: list[tuple[list[tuple[int, ...]], list[Detections]]] = []

    def protect(self, images: Sequence[Image], people: Sequence[Detections]) -> list[Failure]:
        time.sleep(0.01 if self.calls else 0.3)
        self.calls.append(([image.shape for image in images], list(people)))
        return [Failure(Reason.TOO_SMALL, "nobody is large enough") for _ in images]


def test_every_repeat_is_a_row_and_the_first_run_is_not_timed() -> None:
    context = Stopwatch(60)
    rows = observed(Throughput(sizes=[[80, 60], [40, 30]], frames=4, repeats=3), context)
    assert rows["unit_id"].tolist() == [f"{size}#{n}" for size in ("80x60", "40x30") for n in range(3)]
    assert set(rows["sample_id"]) == {""} and set(rows["status"]) == {"ok"}
    assert rows["size"].tolist() == ["80x60"] * 3 + ["40x30"] * 3
    assert (rows["frames"] == 4).all()
    assert rows["seconds"].between(0.01, 0.2).all(), "no picture came back, but the time was used"
    assert [shapes for shapes, _ in context.calls] == [[(60, 80, 3)] * 4] * 4 + [[(30, 40, 3)] * 4] * 4


def test_frames_show_people_and_know_where_they_are() -> None:
    context = Stopwatch(60)
    observed(Throughput(sizes=[[192, 128]], frames=50, repeats=1), context)
    shapes, people = context.calls[0]
    assert len(shapes) == 24, "fewer than asked for: the scenes of the test split that show people"
    assert all(len(found) and found.masks is not None and found.masks.shape[1:] == (128, 192) for found in people)


def test_the_same_frames_are_taken_every_time_but_not_the_first_ones() -> None:
    def taken() -> list[Any]:
        context = Stopwatch(60)
        observed(Throughput(sizes=[[96, 64]], frames=5, repeats=1), context)
        return [found.boxes.tolist() for found in context.calls[0][1]]

    ids = [f"{n}.png" for n in range(1, 60, 2)]
    people = [found.boxes.tolist() for found in Stopwatch(60).people(ids) if len(found)]  # type: ignore[arg-type, union-attr]
    assert taken() == taken() != people[:5]


@pytest.mark.parametrize("fate", ["undecodable", "nobody"])
def test_without_people_there_is_nothing_to_time(fate: str) -> None:
    pictures = {"a": numbered(1)}
    context: Any = Stopwatch(10, fate) if fate == "undecodable" else Album(pictures, pictures)
    rows = observed(Throughput(repeats=2), context)
    assert rows["status"].tolist() == ["error"] * 2 and set(rows["reason"]) == {"no_person"}
    assert rows["seconds"].isna().all() and (rows["frames"] == 0).all()


def test_a_method_that_does_not_ask_for_people_gets_any_pictures() -> None:
    class Whole(Stopwatch):
        finds_people = False

        def people(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
            return [Detections.empty() for _ in sample_ids]

    rows = observed(Throughput(repeats=1), Whole(60))
    assert rows["frames"].tolist() == [16] and rows["status"].tolist() == ["ok"]
    broken = Whole(10, "undecodable")
    assert observed(Throughput(repeats=1), broken)["reason"].tolist() == ["undecodable"] and not broken.calls


def test_people_move_with_the_size_of_the_picture() -> None:
    mask = np.zeros((2, 20, 40), bool)
    mask[0, 5:15, 10:20] = True
    marks = np.array([[[10, 5], [np.nan, np.nan]], [[40, 20], [0, 0]]], np.float32)
    boxes = np.array([[10, 5, 20, 15], [0, 0, 40, 20]], np.float32)
    people = Detections(boxes, np.float32([0.9, 0.8]), marks, ("person",) * 2, mask)
    larger = resize_people(people, (40, 20), (120, 40))
    assert larger.boxes.tolist() == [[30, 10, 60, 30], [0, 0, 120, 40]] and larger.boxes.dtype == np.float32
    assert larger.landmarks is not None and larger.landmarks.dtype == np.float32
    assert np.array_equal(larger.landmarks, [[[30, 10], [np.nan] * 2], [[120, 40], [0, 0]]], equal_nan=True)
    assert larger.masks is not None and larger.masks.dtype == bool and larger.masks.shape == (2, 40, 120)
    assert larger.masks[0, 10:30, 30:60].all() and larger.masks[0].sum() == 20 * 30
    assert larger.labels == people.labels and larger.scores.tolist() == people.scores.tolist()
    back = resize_people(larger, (120, 40), (40, 20))
    assert back.masks is not None and np.array_equal(back.masks, mask)


def test_nobody_and_no_masks_can_be_resized() -> None:
    nobody = resize_people(Detections.empty(), (40, 20), (80, 40))
    assert len(nobody) == 0 and nobody.masks is None and nobody.landmarks is None
    without = Detections(np.zeros((0, 4), np.float32), np.zeros(0, np.float32), masks=np.zeros((0, 20, 40), bool))
    masks = resize_people(without, (40, 20), (80, 60)).masks
    assert masks is not None and masks.shape == (0, 60, 80)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("sizes", value) for value in ([], 640, [640, 480], [[640]], [[640, 0]], [[6.5, 4]], [[8, 6], [8, 6]])),
        *((name, value) for name in ("frames", "repeats") for value in (0, 2.5, True, "3")),
    ],
)
def test_wrong_parameters_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Throughput(**{name: value})
