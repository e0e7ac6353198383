"""SFace through OpenCV's FaceRecognizerSF, with a random graph of its layout."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from unveil.core.errors import ConfigError, Unavailable
from unveil.core.types import Face, Image
from unveil.models.five_points import upright
from unveil.models.mtcnn import Mtcnn
from unveil.models.sface import SFace, _align
from unveil.models.weights_records import SFACE
from unveil.testing import check_recognizer

from .conftest import read
from .graphs import random_network


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(random_network(tmp_path_factory.mktemp("sface") / "sface.onnx", 128, count=1, declared=1))


@pytest.fixture(scope="module")
def faces(generated: list[Image]) -> list[Face]:
    return [found.face(0) for found in Mtcnn().detect(generated)]


def test_equals_opencv_step_by_step(network: str, generated: list[Image], faces: list[Face]) -> None:
    """Files are BGR for OpenCV; the row is that of its own detector: box, points, score."""
    theirs = cv2.FaceRecognizerSF.create(network, "")
    found = SFace(path=network).embed(generated, faces)
    for image, face, vector in zip(generated, faces, found, strict=True):
        assert face.landmarks is not None
        corner, extent = face.box[:2], face.box[2:] - face.box[:2]
        row = np.concatenate([corner, extent, face.landmarks.ravel(), [face.score]]).astype(np.float32)[None]
        bgr = cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
        expected = theirs.feature(theirs.alignCrop(bgr, row))[0].copy()
        assert vector == pytest.approx(expected, abs=1e-4)
        wrong = theirs.feature(theirs.alignCrop(np.ascontiguousarray(image), row))[0]
        assert vector != pytest.approx(wrong, abs=1e-2), "the test would see exchanged colours"


def test_opencv_aligns_as_the_five_points_say(network: str, generated: list[Image], faces: list[Face]) -> None:
    recognizer = SFace(path=network)
    for image, face in zip(generated, faces, strict=True):
        assert face.landmarks is not None
        ours, theirs = upright(image, face.landmarks, 112), _align(recognizer._networks, image, face.landmarks)
        assert np.abs(ours.astype(int) - theirs).mean() < 1


def test_the_contract_and_batches(network: str, generated: list[Image], faces: list[Face]) -> None:
    recognizer = SFace(path=network)
    check_recognizer(recognizer, faces=list(zip(generated, faces, strict=True)))
    together = np.array(recognizer.embed(generated * 8, faces * 8))
    assert together.reshape(8, 6, 128) == pytest.approx(np.tile(together[:6], (8, 1, 1)), abs=1e-5)
    assert len({vector.tobytes() for vector in together[:6]}) == 6


def test_the_threshold_is_a_similarity_of_0363() -> None:
    assert SFace().customary_threshold == pytest.approx(0.637)
    assert SFace().content_fingerprint() == SFACE.sha256 == SFace().meta.weights[SFACE.name]


def test_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"not a graph")
    with pytest.raises(ConfigError, match="OpenCV cannot run") as refused:
        SFace(path=str(tmp_path / "broken.onnx")).embed([], [])
    assert "\n" not in str(refused.value)
    with pytest.raises(ConfigError, match=r"must give \(1, 128\) numbers for a face, not \(1, 64\)"):
        SFace(path=str(random_network(tmp_path / "small.onnx", 64, count=1))).embed([], [])
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path))
    with pytest.raises(Unavailable, match=r"unveil weights fetch face_recognition_sface_2021dec\.onnx"):
        SFace().require()


def test_the_real_network_tells_people_apart(shared_data: Path) -> None:
    recognizer = SFace()
    try:
        recognizer.require()
    except Unavailable as reason:
        pytest.skip(f"{reason} (UNVEIL_WEIGHTS={os.environ.get('UNVEIL_WEIGHTS', '')})")
    people = [folder for folder in sorted((shared_data / "faces" / "celeba_wild").iterdir()) if folder.is_dir()]
    pictures = [read(path) for folder in people[:6] for path in sorted(folder.glob("*.jpg"))[:2]]
    found = [one.face(one.largest()) for one in Mtcnn().detect(pictures)]
    vectors = np.array(recognizer.embed(pictures, found))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    distance = 1 - vectors @ vectors.T
    mated = distance[np.arange(0, 12, 2), np.arange(1, 12, 2)]
    assert mated.max() < np.median(distance[::2, ::2][~np.eye(6, dtype=bool)])
