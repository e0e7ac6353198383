"""MTCNN: parity with the TensorFlow implementation, and the same answer however pictures are batched."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from unveil.core.types import Detections, Image
from unveil.models import mtcnn, mtcnn_stages
from unveil.models.mtcnn import Mtcnn


def assert_same(one: Detections, two: Detections, *, pixels: float = 1e-4) -> None:
    assert len(one) == len(two)
    assert np.allclose(one.boxes, two.boxes, rtol=1e-6, atol=pixels)
    assert np.allclose(one.scores, two.scores, rtol=0, atol=1e-4)
    assert one.landmarks is not None and two.landmarks is not None
    assert np.allclose(one.landmarks, two.landmarks, rtol=1e-6, atol=pixels)


def from_rows(rows: Any) -> Detections:
    """Reference rows: box, score, five x, five y."""
    table = np.array(rows, np.float32).reshape(-1, 15)
    return Detections(table[:, :4], table[:, 4], np.stack([table[:, 5:10], table[:, 10:]], axis=2))


def test_equals_the_reference_on_generated_faces(sheet: Image, golden: Path) -> None:
    recipes = json.loads((golden / "mtcnn.json").read_text())
    images = []
    for recipe in recipes:
        left, top, right, bottom = recipe["crop"]
        images.append(sheet[top:bottom, left:right].repeat(recipe["repeat"], 0).repeat(recipe["repeat"], 1))
    found = Mtcnn().detect(images)
    for recipe, faces in zip(recipes, found, strict=True):
        assert_same(faces, from_rows(recipe["faces"]), pixels=5e-3)
    assert sum(map(len, found)) >= 12


def test_equals_the_reference_on_photos(photos: list[Image]) -> None:
    pytest.importorskip("tensorflow", reason="the reference needs TensorFlow")
    reference = pytest.importorskip("mtcnn").MTCNN()
    same = 0
    for image, faces in zip(photos, Mtcnn().detect(photos), strict=True):
        rows = reference.detect_faces(
            image, fit_to_image=False, output_type="numpy", box_format="xyxy", threshold_onet=0.7
        )
        expected = from_rows(rows[np.argsort(-rows[:, 5], kind="stable"), 1:])
        assert len(faces) == len(expected)
        same += bool(np.allclose(faces.boxes, expected.boxes, atol=0.01))
    assert same >= len(photos) - 1  # exact ties between windows are broken by another rule there


def test_batches_change_nothing(sheet: Image, generated: list[Image]) -> None:
    detector = Mtcnn()
    images = [sheet, *generated, sheet[:150, :250], np.zeros((1, 1, 3), np.uint8), *generated[::-1]]
    for image, faces in zip(images, detector.detect(images), strict=True):
        assert_same(faces, detector.detect([image])[0])


def test_slabs_and_bands_change_nothing(
    sheet: Image, generated: list[Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    images = [sheet, *generated]
    expected = Mtcnn().detect(images)
    monkeypatch.setattr(mtcnn, "_SLAB_PIXELS", 3 * 112 * 112)
    monkeypatch.setattr(mtcnn_stages, "_BAND_PIXELS", 1000)
    monkeypatch.setattr(mtcnn_stages, "_CROPS", 5)
    for one, two in zip(expected, Mtcnn().detect(images), strict=True):
        assert_same(one, two)


def test_landmarks_lie_where_they_belong(generated: list[Image]) -> None:
    for faces in Mtcnn().detect(generated):
        face = faces.face(0)
        assert face.landmarks is not None and face.landmarks.shape == (5, 2)
        left_eye, right_eye, nose, left_mouth, right_mouth = face.landmarks
        assert left_eye[0] < right_eye[0] and left_mouth[0] < right_mouth[0]
        assert max(left_eye[1], right_eye[1]) < nose[1] < min(left_mouth[1], right_mouth[1])


def test_thresholds_act(sheet: Image) -> None:
    (few,) = Mtcnn(thresholds=(0.6, 0.7, 0.999)).detect([sheet])
    (many,) = Mtcnn().detect([sheet])
    assert 0 < len(few) < len(many) and few.scores.min() > 0.999
    (large,) = Mtcnn(min_face=130).detect([sheet])
    assert len(large) < len(many)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("thresholds", (0.6, 0.7)),
        ("thresholds", (0.6, 0.7, math.nan)),
        ("thresholds", (0.6, 0.7, 1.0)),
        ("min_face", 11),
        ("min_face", math.nan),
        ("min_face", math.inf),
        ("factor", 1.0),
        ("factor", 0.0),
        ("factor", math.nan),
    ],
)
def test_wrong_parameters_are_named(parameter: str, value: Any) -> None:
    with pytest.raises(ValueError, match=parameter):
        Mtcnn(**{parameter: value})


def test_many_calls_keep_no_memory(generated: list[Image]) -> None:
    detector, process = Mtcnn(), psutil.Process()
    sizes = []
    for _ in range(3):
        for _ in range(8):
            detector.detect(generated)
        sizes.append(process.memory_info().rss)
    assert sizes[2] - sizes[1] < 20e6
