"""The small detector learns from few drawn scenes, and takes what is missing or broken as it comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from unveil import registry
from unveil.core.boxes import NOBODY, overlaps, surest_first
from unveil.core.errors import DataError
from unveil.core.scenes import CLASSES
from unveil.core.types import Detections, Failure, Image, Reason, Sample
from unveil.images import read_image
from unveil.models.small_detector import SmallDetector
from unveil.models.small_detector_data import Scene, scenes, varied
from unveil.models.small_detector_loss import generalised_overlap, targets
from unveil.models.trained import pack, provenance
from unveil.testing import check_object_detector
from unveil.testing.toy_labels import ToyLabels


@dataclass(frozen=True)
class Altered:
    """Drawn scenes of which some pictures or annotations are other ones."""

    labels: tuple[str, ...]
    train: Sequence[Sample]
    validation: Sequence[Sample]
    drawn: ToyLabels
    objects_of: dict[str, Detections | Failure]

    def read(self, sample_id: str) -> Image | Failure:
        return self.drawn.read(sample_id)

    def objects(self, sample_id: str) -> Detections | Failure:
        return self.objects_of.get(sample_id, self.drawn.objects(sample_id))


def altered(drawn: ToyLabels, **objects_of: Detections | Failure) -> Altered:
    return Altered(drawn.labels, drawn.train, drawn.validation, drawn, objects_of)


def ignore(done: int) -> None:
    """Nobody watches."""


@pytest.mark.slow
def test_it_learns_drawn_scenes() -> None:
    data = ToyLabels.draw(train=320, validation=40, test=60)
    component = SmallDetector(epochs=10, side=128)
    detector = component.load(component.train(data, 3, ignore))
    hits = found = true = 0
    for sample, objects in zip(data.test, detector.detect([data.read(s.id) for s in data.test]), strict=True):  # type: ignore[misc]
        seen = objects.take(np.flatnonzero(objects.scores >= detector.threshold)).only("person")
        people = data.scenes[sample.id][1].only("person")
        hits += (surest_first(overlaps(seen.boxes, people.boxes), 0.5) != NOBODY).sum()
        found += len(seen)
        true += len(people)
    assert 2 * hits / (found + true) > 0.7


def test_the_contract() -> None:
    check_object_detector(SmallDetector(epochs=2, side=128, width=8))


def test_weights_say_how_they_came_about() -> None:
    data = ToyLabels.draw(train=16, validation=8)
    weights = SmallDetector(epochs=1, side=128, width=8).train(data, 5, ignore)
    facts = provenance(weights)
    assert facts["model"] == "object_detector:small" and facts["classes"] == list(CLASSES)
    assert (facts["epochs"], facts["side"], facts["width"], facts["seed"]) == (1, 128, 8, 5)
    assert (facts["train_pictures"], facts["validation_pictures"]) == (16, 8)
    assert 0 <= facts["validation_f1"] <= 1 and 0 < facts["threshold"] < 1
    assert weights != SmallDetector(epochs=1, side=128, width=8).train(data, 6, ignore)


def test_other_objects_and_broken_annotations_are_left_out() -> None:
    drawn = ToyLabels.draw(train=4, validation=1)
    first, second, third, _ = (sample.id for sample in drawn.train)
    dog = Detections(np.array([[5, 5, 30, 30]], np.float32), np.ones(1, np.float32), labels=("dog",))
    data = altered(
        drawn, **{first: dog, second: Failure(Reason.BAD_ANNOTATION, "broken"), third: Detections.empty()}
    )
    found = scenes(data, data.train, width=128, height=96)
    assert [len(scene.classes) > 0 for scene in found] == [False, False, True]


@pytest.mark.parametrize("split", ["train", "validation"])
def test_a_split_without_objects_is_told(split: str) -> None:
    drawn = ToyLabels.draw(train=4, validation=2)
    empty = {sample.id: Detections.empty() for sample in getattr(drawn, split)}
    with pytest.raises(DataError, match=f"{split} split: . of . pictures"):
        SmallDetector(epochs=1, side=128, width=8).train(altered(drawn, **empty), 1, ignore)


def test_a_class_that_never_occurs_is_never_found() -> None:
    drawn = ToyLabels.draw(train=24, validation=8)
    people = {name: found.only("person") for name, (_, found) in drawn.scenes.items()}
    component = SmallDetector(epochs=6, side=128, width=8)
    detector = component.load(component.train(altered(drawn, **people), 1, ignore))
    labels = {
        label
        for objects in detector.detect([image for image, _ in drawn.scenes.values()])
        for label in objects.take(np.flatnonzero(objects.scores >= detector.threshold)).labels or ()
    }
    assert labels <= {"person"}


def test_other_weights_are_refused() -> None:
    component = SmallDetector(epochs=1, side=128, width=8)
    with pytest.raises(DataError, match="no trained weights"):
        component.load(b"something else")
    with pytest.raises(DataError, match="'classifier:small'"):
        component.load(pack({}, {"model": "classifier:small"}))
    facts = {"model": "object_detector:small", "threshold": 0.5, "classes": CLASSES, "side": 128, "width": 8}
    with pytest.raises(DataError, match="do not fit"):
        component.load(pack({}, facts))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("batch_size", 1),
        ("learning_rate", float("nan")),
        ("width", 9),
        ("side", 200),
        ("side", 1.5),
    ],
)
def test_wrong_parameters_are_named(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*{value!r}"):
        SmallDetector(**{name: value})  # type: ignore[arg-type]


def test_targets_by_hand() -> None:
    """The hill is highest in the cell of the centre, and the smaller object wins shared cells."""
    boxes = np.array([[0, 0, 128, 96], [56, 40, 80, 64]], np.float32)
    wanted = targets(boxes, [0, 2], grid=(12, 16))
    assert np.unravel_index(wanted.heat.argmax(), (12, 16)) == (6, 8) and wanted.heat.max() == 1
    assert (wanted.kind[6, 8], wanted.kind[6, 10]) == (2, 0)
    assert wanted.boxes[:, 6, 8].tolist() == boxes[1].tolist()
    assert wanted.boxes[:, 6, 10].tolist() == boxes[0].tolist()
    assert ((wanted.weight > 0) == (wanted.heat > 0)).all()


def test_generalised_overlap_by_hand() -> None:
    import torch

    one = torch.tensor([[0.0, 0, 2, 2]] * 3)
    two = torch.tensor([[0.0, 0, 2, 2], [2, 0, 4, 2], [4, 0, 6, 2]])
    assert generalised_overlap(one, two).tolist() == pytest.approx([1, 0, -1 / 3])


def test_boxes_move_with_the_picture() -> None:
    canvas = np.zeros((96, 128, 3), np.uint8)
    canvas[30:60, 40:80] = 255
    scene = Scene(canvas, np.array([[40, 30, 80, 60]], np.float32), np.array([1]))
    stream = np.random.default_rng(0)
    for _ in range(20):
        changed = varied(scene, stream)
        bright = (changed.canvas > 160).all(axis=2)
        rows, columns = np.flatnonzero(bright.any(axis=1)), np.flatnonzero(bright.any(axis=0))
        shown = [columns[0], rows[0], columns[-1] + 1, rows[-1] + 1]
        assert np.abs(changed.boxes[0] - shown).max() < 2
    assert (replace(scene).canvas == canvas).all()


@dataclass(frozen=True)
class Bundled:
    """The bundled scenes as a training set."""

    dataset: Any
    train: Sequence[Sample]
    validation: Sequence[Sample]
    test: Sequence[Sample]
    labels: tuple[str, ...] = ()

    @classmethod
    def open(cls) -> Bundled:
        dataset = registry.build("datasets", "sample-scenes")
        samples = [Sample(entry.path, "scenes", entry.path, split=entry.split) for entry in dataset.entries()]
        splits = ([s for s in samples if s.split == name] for name in ("train", "validation", "test"))
        return cls(dataset, *splits)

    def read(self, sample_id: str) -> Image | Failure:
        return read_image(self.dataset.root / sample_id)

    def objects(self, sample_id: str) -> Detections | Failure:
        return self.dataset.objects(sample_id)


@pytest.mark.slow
def test_people_of_the_bundled_scenes_are_found() -> None:
    """Bound of the project: person F1 of 0.8, IoU 0.5. Measured: 0.91 to 0.93; mean over the classes 0.66."""
    data = Bundled.open()
    component = SmallDetector()
    detector = component.load(component.train(data, 1, ignore))
    hits, found, true = (dict.fromkeys(CLASSES, 0) for _ in range(3))
    for sample, objects in zip(data.test, detector.detect([data.read(s.id) for s in data.test]), strict=True):  # type: ignore[misc]
        sure, truth = objects.take(np.flatnonzero(objects.scores >= detector.threshold)), data.objects(sample.id)
        assert isinstance(truth, Detections)
        for name in CLASSES:
            one, two = sure.only(name).boxes, truth.only(name).boxes
            hits[name] += int((surest_first(overlaps(one, two), 0.5) != NOBODY).sum())
            found[name] += len(one)
            true[name] += len(two)
    f1 = {name: 2 * hits[name] / (found[name] + true[name]) for name in CLASSES}
    assert f1["person"] > 0.8
    assert np.mean(list(f1.values())) > 0.5
