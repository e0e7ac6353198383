from __future__ import annotations

import numpy as np
import pytest

from unveil.core.scenes import CLASSES
from unveil.core.types import Failure, Reason
from unveil.images import read_image


def test_the_datasets_own_boxes_come_first(stage):
    made = stage(evaluations=["utility"])
    assert made.truth.annotated and made.truth.reference is None
    sample = made.dataset.samples[0]
    expected = made.dataset.built.component.objects(sample.id)
    assert np.array_equal(made.truth.objects(sample).boxes, expected.boxes)


@pytest.fixture
def bundled(stage, monkeypatch, shared_weights):
    """Rendered people whom the reference detector finds, in a run that asks it."""
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    dataset = {"use": "sample-scenes", "params": {"limit": 3}}
    return stage(datasets=[dataset], models={"segmenter": "box"}, evaluations=["robustness"])


def test_the_reference_detector_says_what_it_is_sure_of_and_is_asked_once(bundled, monkeypatch):
    truth, samples = bundled.truth, bundled.dataset.samples
    images = [read_image(bundled.dataset.built.component.root / sample.id) for sample in samples]
    found = truth.found(samples, images)
    sure = truth.reference.component.threshold
    assert any(len(objects) for objects in found)
    for objects in found:
        assert set(objects.labels) <= set(CLASSES) and (objects.scores >= sure).all()
    files = sorted((bundled.artifacts.root / "objects").rglob("*.parquet"))
    assert len(files) == len(samples)
    again = truth.found(samples, [np.zeros((8, 8, 3), np.uint8)] * len(samples))  # the pictures are not looked at
    for one, two in zip(found, again, strict=True):
        assert np.array_equal(one.boxes, two.boxes) and one.labels == two.labels
        assert two.boxes.shape == (len(two), 4) and two.boxes.dtype == two.scores.dtype == np.float32


def test_what_cannot_be_read_has_no_truth(stage, labelled_folder, monkeypatch, shared_weights):
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    dataset = {"use": "hr_vispr", "params": {"root": str(labelled_folder)}}
    made = stage(datasets=[dataset], evaluations=["utility"])
    assert not made.truth.annotated
    sample = made.dataset.samples[0]
    assert not len(made.truth.objects(sample))  # grey
    (labelled_folder / sample.id).unlink()
    failure = made.truth.objects(sample)
    assert isinstance(failure, Failure) and failure.reason is Reason.UNDECODABLE
