"""Face detectors of deepface: the real library on real photos where it needs no download."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil import api, registry
from unveil.core.errors import Unavailable
from unveil.core.types import Image
from unveil.images import read_image
from unveil.models.deepface_detectors import DeepfaceDetector
from unveil.models.deepface_weights import library_folder
from unveil.models.weights_files import WeightsRecord, find
from unveil.models.weights_records import SSD_LAYERS, SSD_WEIGHTS
from unveil.testing import check_detector

from .deepface_graphs import put_retinaface

pytest.importorskip("deepface", reason="needs the extra deepface")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is searched for weights first; nothing is found elsewhere."""
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DEEPFACE_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture(scope="session")
def portraits() -> list[Image]:
    """Portraits that come with the package."""
    samples = registry.build("datasets", "sample-faces")
    images: list[Any] = [read_image(samples.root / entry.path) for entry in list(samples.entries())[:40:5]]
    return images


@pytest.mark.parametrize("backend", ["opencv", "dlib", "ssd", "retinaface", "mtcnn"])
def test_detectors_keep_their_promises(backend: str, portraits: list[Image]) -> None:
    detector = registry.build("models", f"detector:deepface.{backend}")
    try:
        detector.require()
    except Unavailable as reason:
        pytest.skip(str(reason))
    check_detector(detector, photos=portraits)
    assert f"detector:{detector.meta.name}" in registry.specs("models")


@pytest.mark.parametrize("backend", ["opencv", "dlib"])
def test_real_photos(backend: str, photos: list[Image]) -> None:
    """The face is where this package's own MTCNN finds it, and the eyes are at its eyes."""
    true = registry.build("models", "detector:mtcnn").detect(photos)
    found = DeepfaceDetector(backend=backend).detect(photos)
    hits = 0
    for one, known in zip(found, true, strict=True):
        if not len(one) or not len(known):
            continue
        face, real = one.face(one.largest()), known.face(known.largest())
        middle = (face.box[:2] + face.box[2:]) / 2
        if not (real.box[:2] < middle).all() or not (middle < real.box[2:]).all():
            continue
        hits += 1
        if backend == "dlib":
            assert face.landmarks is not None and real.landmarks is not None and face.landmarks.shape == (2, 2)
            width = real.box[2] - real.box[0]
            assert np.linalg.norm(face.landmarks - real.landmarks[:2], axis=1).max() < 0.15 * width
        else:
            assert face.landmarks is None
    assert hits >= 0.6 * len(photos)


def test_the_score_of_opencv_is_higher_where_it_is_surer(portraits: list[Image]) -> None:
    import cv2

    cascade = cv2.CascadeClassifier(
        str(Path(cv2.__file__).parent / "data" / "haarcascade_frontalface_default.xml")
    )
    for image, faces in zip(portraits, DeepfaceDetector(border=0.0).detect(portraits), strict=True):
        bgr = np.ascontiguousarray(image[..., ::-1])
        places, _, weights = cascade.detectMultiScale3(bgr, 1.1, 10, outputRejectLevels=True)
        assert np.allclose(faces.scores, sorted(np.ravel(weights), reverse=True), atol=1e-3)
        assert len(places) == len(faces)


def test_the_frame_shifts_no_box(portraits: list[Image]) -> None:
    framed = DeepfaceDetector(backend="dlib").detect(portraits)
    bare = DeepfaceDetector(backend="dlib", border=0.0).detect(portraits)
    pairs = [(a.boxes[0], b.boxes[0]) for a, b in zip(framed, bare, strict=True) if len(a) == len(b) == 1]
    assert len(pairs) > len(portraits) // 2
    for one, other in pairs:
        inside = np.clip(one, 0, 112)  # without a frame the library cuts a box off at the border
        assert np.abs(inside - other).max() <= 12


@pytest.mark.parametrize("given", [{"backend": "yolo"}, {"border": -0.1}, {"border": float("nan")}, {"border": 2}])
def test_wrong_parameters_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        DeepfaceDetector(**given)


# --- retinaface: a small network under its name ---


def test_retinaface_is_given_the_right_colours(folder: Path) -> None:
    put_retinaface(folder)
    with warnings.catch_warnings():
        before = list(warnings.filters)
        detector = DeepfaceDetector(backend="retinaface", border=0.0)
        red, blue = np.zeros((2, 1024, 1024, 3), np.uint8)
        red[512:544, 256:288, 0] = 255
        blue[512:544, 256:288, 2] = 255
        one, none = detector.detect([red, blue])
        assert warnings.filters == before  # of which the library thinks otherwise
    assert len(one) == 1 and len(none) == 0
    middle = (one.boxes[0, :2] + one.boxes[0, 2:]) / 2
    assert np.abs(middle - (256 + 8, 512 + 8)).max() < 2  # the middle of the anchor lies at (7.5, 7.5)
    assert one.landmarks is not None and one.landmarks.shape == (1, 5, 2)


def test_every_retinaface_runs_its_own_file(folder: Path) -> None:
    blue = np.zeros((1024, 1024, 3), np.uint8)
    blue[512:544, 256:288, 2] = 255
    found = []
    for colour in (0, 2):
        put_retinaface(folder, colour)
        detector = DeepfaceDetector(backend="retinaface", border=0.0)
        found.append((detector.content_fingerprint(), len(detector.detect([blue])[0])))
    assert [count for _, count in found] == [0, 1] and found[0][0] != found[1][0]


def test_retinaface_on_another_engine_would_take_other_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from retinaface.commons import backend_utils

    put_retinaface(folder)
    monkeypatch.setattr(backend_utils, "_backend_engine", "pytorch")
    with pytest.raises(Unavailable, match="already runs on pytorch"):
        DeepfaceDetector(backend="retinaface").detect([np.zeros((64, 64, 3), np.uint8)])


# --- weights ---


def test_ssd_names_the_command_for_each_file(folder: Path) -> None:
    with pytest.raises(Unavailable, match=f"unveil weights fetch {SSD_WEIGHTS.name}"):
        DeepfaceDetector(backend="ssd").require()
    (folder / SSD_WEIGHTS.name).write_bytes(b"something else")
    with pytest.raises(Unavailable, match="not the known"):
        DeepfaceDetector(backend="ssd").require()
    assert DeepfaceDetector(backend="ssd").meta.weights == {
        SSD_WEIGHTS.name: SSD_WEIGHTS.sha256,
        SSD_LAYERS.name: SSD_LAYERS.sha256,
    }


def test_a_known_file_is_also_found_where_the_library_keeps_it(folder: Path) -> None:
    content = b"layers"
    known = hashlib.sha256(content).hexdigest()
    record = WeightsRecord(
        "net.x",
        "http://127.0.0.1:1/",
        known,
        len(content),
        "CC0-1.0",
        "made for this test",
        "x",
        kept_in=library_folder,
    )
    own = Path(os.environ["DEEPFACE_HOME"], ".deepface", "weights", record.name)
    own.parent.mkdir(parents=True)
    own.write_bytes(content)
    assert find(record) == own
    own.write_bytes(b"others")
    with pytest.raises(Unavailable, match=r"unveil weights fetch net\.x"):
        find(record)
    (folder / record.name).write_bytes(content)
    assert find(record) == folder / record.name


def test_what_the_library_keeps_is_listed_and_verified(folder: Path) -> None:
    own = library_folder() / "retinaface.onnx"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"weights")
    (listed,) = (row for row in api.list_weights() if row["name"] == own.name)
    assert listed["status"] == str(own)
    known = hashlib.sha256(b"weights").hexdigest()
    assert api.verify_weights() == [{"name": own.name, "path": str(own), "state": "unverified", "sha256": known}]


def test_mtcnn_says_that_it_needs_tensorflow() -> None:
    if importlib.util.find_spec("tensorflow"):
        pytest.skip("TensorFlow is installed")
    with pytest.raises(Unavailable, match=r"'tensorflow'.*pip install 'deepface\[tensorflow\]'"):
        DeepfaceDetector(backend="mtcnn").require()
