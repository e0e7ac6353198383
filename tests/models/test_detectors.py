"""What every detector promises beyond the public contract suite: on photos, noise and odd pictures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from unveil import registry
from unveil.core.roles import Detector
from unveil.core.types import Detections, Image

FAST = ("mtcnn", "opencv", "dlib")
ALL = (*FAST, pytest.param("dlib_cnn", marks=pytest.mark.slow))


def build(name: str, **params: Any) -> Detector:
    detector: Detector = registry.build("models", f"detector:{name}", params)
    return detector


def assert_equal(one: Detections, two: Detections) -> None:
    assert len(one) == len(two)
    assert np.allclose(one.boxes, two.boxes, rtol=1e-5, atol=1e-3)
    assert np.allclose(one.scores, two.scores, rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", ["mtcnn", "opencv", "dlib", "dlib_cnn"])
def test_nothing_is_found_in_nothing(name: str) -> None:
    detector = build(name)
    assert detector.detect([]) == []
    sizes = [(1, 1), (1, 40), (40, 1), (3, 3), (11, 12), (12, 12), (13, 60)]
    found = detector.detect([np.full((*size, 3), 90, np.uint8) for size in sizes])
    assert [len(faces) for faces in found] == [0] * len(sizes)


@pytest.mark.parametrize("name", ALL)
def test_noise_is_no_face(name: str) -> None:
    noise = np.random.default_rng(5).integers(0, 256, (4, 120, 120, 3)).astype(np.uint8)
    assert sum(len(faces) for faces in build(name).detect(list(noise))) <= 1


@pytest.mark.parametrize("name", FAST)
def test_generated_faces_of_112_pixels_are_found(name: str, generated: list[Image]) -> None:
    assert sum(len(faces) > 0 for faces in build(name).detect(generated)) >= 4


@pytest.mark.parametrize("name", ALL)
def test_photos(name: str, photos: list[Image]) -> None:
    """A face in most photos; best score first; the same alone, in a batch, and again."""
    detector = build(name)
    images = photos if name in FAST else [image[::2, ::2] for image in photos[:3]]
    together = detector.detect(images)
    assert sum(len(faces) > 0 for faces in together) >= len(images) - 1
    for image, faces, again in zip(images, together, detector.detect(images), strict=True):
        assert (np.diff(faces.scores) <= 0).all()
        assert_equal(faces, detector.detect([image])[0])
        assert np.array_equal(faces.boxes, again.boxes) and np.array_equal(faces.scores, again.scores)
        if len(faces):
            height, width = image.shape[:2]
            left, top, right, bottom = faces.face(0).box
            assert 0.1 < (right - left) / (bottom - top) < 10
            assert 0 < (left + right) / 2 < width and 0 < (top + bottom) / 2 < height


@pytest.mark.parametrize("name", FAST)
def test_detectors_agree_on_where_the_face_is(name: str, photos: list[Image]) -> None:
    reference, found = build("mtcnn").detect(photos), build(name).detect(photos)
    centres = [
        [faces.boxes[faces.largest()].reshape(2, 2).mean(axis=0) for faces in pair]
        for pair in zip(reference, found, strict=True)
        if all(map(len, pair))
    ]
    sides = [np.diff(faces.boxes[faces.largest()][::2])[0] for faces in reference if len(faces)]
    distances = [float(np.linalg.norm(one - two)) for one, two in centres]
    assert np.median(distances) < 0.25 * np.median(sides)


def test_upsampling_finds_smaller_faces(generated: list[Image]) -> None:
    small = [image[::2, ::2] for image in generated]
    counts = [sum(map(len, build("dlib", upsample=times).detect(small))) for times in (0, 2)]
    assert counts[0] < counts[1]


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("dlib", "upsample", -1),
        ("dlib", "upsample", 1.5),
        ("dlib", "adjust", math.nan),
        ("dlib_cnn", "upsample", 5),
        ("opencv", "scale_factor", 1.0),
        ("opencv", "scale_factor", math.nan),
        ("opencv", "min_neighbors", 0),
        ("opencv", "min_face", 0),
    ],
)
def test_wrong_parameters_are_named(name: str, parameter: str, value: Any) -> None:
    cls = registry.load(registry.find("models", f"detector:{name}"))
    with pytest.raises(ValueError, match=f"{parameter} must be .*{value!r}"):
        cls(**{parameter: value})
