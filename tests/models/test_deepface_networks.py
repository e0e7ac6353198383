"""Recognizers and estimator of deepface: the real library, with small random networks in ONNX format."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil import registry
from unveil.core.errors import Unavailable
from unveil.core.types import Face, Failure, Image, Reason
from unveil.images import read_image
from unveil.models.deepface_estimator import DeepfaceEstimator
from unveil.models.deepface_recognizer import DeepfaceRecognizer
from unveil.testing import check_estimator, check_recognizer

from .deepface_graphs import ATTRIBUTES, RECOGNIZERS, means, put_attribute, put_recognizer

pytest.importorskip("deepface", reason="needs the extra deepface")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is searched for weights first; nothing is found elsewhere."""
    given = tmp_path / "Gewichte ü"
    given.mkdir()
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(given))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DEEPFACE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DEEPFACE_ONNX_PROVIDERS", raising=False)
    return given


@pytest.fixture(scope="session")
def faces() -> list[tuple[Image, Face]]:
    """Portraits that come with the package, with the face that MTCNN finds."""
    samples = registry.build("datasets", "sample-faces")
    images: list[Any] = [read_image(samples.root / entry.path) for entry in list(samples.entries())[:40:5]]
    found = registry.build("models", "detector:mtcnn").detect(images)
    return [(image, faces.face(faces.largest())) for image, faces in zip(images, found, strict=True)]


def apart(faces: Sequence[tuple[Image, Face]]) -> tuple[list[Image], list[Face]]:
    return [image for image, _ in faces], [face for _, face in faces]


def needs_werkzeug(model: str) -> None:
    if model == "VGG-Face":
        pytest.importorskip("werkzeug", reason="deepface's VGG-Face needs werkzeug, which it does not bring")


# --- recognizers ---


@pytest.mark.parametrize("model", RECOGNIZERS)
def test_recognizers_keep_their_promises(model: str, folder: Path, faces: list[tuple[Image, Face]]) -> None:
    needs_werkzeug(model)
    put_recognizer(folder, model)
    recognizer = DeepfaceRecognizer(model=model)
    recognizer.require()
    check_recognizer(recognizer, faces=faces)
    assert recognizer.dimension == RECOGNIZERS[model][3]
    assert f"recognizer:{recognizer.meta.name}" in registry.specs("models")


def test_dlib_inside_deepface_needs_no_download(folder: Path, faces: list[tuple[Image, Face]]) -> None:
    recognizer = registry.build("models", "recognizer:deepface.dlib")
    recognizer.require()
    check_recognizer(recognizer, faces=faces[:3])


def test_embeddings_come_in_order_whatever_the_batch(folder: Path, faces: list[tuple[Image, Face]]) -> None:
    put_recognizer(folder, "ArcFace")
    recognizer = DeepfaceRecognizer()
    many = (faces * 9)[:70]  # more than two batches
    together = np.array(recognizer.embed(*apart(many)))
    alone = np.array([recognizer.embed([image], [face])[0] for image, face in faces])
    assert np.allclose(together, np.tile(alone, (9, 1))[:70], atol=1e-4)
    assert len(np.unique(alone.round(3), axis=0)) == len(faces)
    assert recognizer.embed([], []) == []


def test_the_network_is_given_bgr_in_0_to_1(folder: Path) -> None:
    weights = put_recognizer(folder, "ArcFace")
    image = np.random.default_rng(3).integers(0, 256, (200, 180, 3), np.uint8)
    level = Face(np.array([20, 30, 132, 142], np.float32), landmarks=np.array([[50, 70], [100, 70]], np.float32))
    (vector,) = DeepfaceRecognizer().embed([image], [level])
    expected = means(image[None, 30:142, 20:132, ::-1] / np.float32(255)) @ weights
    assert np.allclose(vector, expected[0], atol=1e-3)
    (other,) = DeepfaceRecognizer().embed([image[..., ::-1]], [level])
    assert not np.allclose(vector, other, atol=0.1)


def test_the_library_itself_makes_the_same_vectors(
    folder: Path, faces: list[tuple[Image, Face]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(
        "werkzeug", reason="deepface.modules.representation needs werkzeug, which it does not bring"
    )
    from deepface.commons import backend_utils
    from deepface.modules import modeling, representation

    put_recognizer(folder, "OpenFace")
    (own := Path(os.environ["DEEPFACE_HOME"], ".deepface", "weights")).mkdir(parents=True)
    shutil.copy(folder / RECOGNIZERS["OpenFace"][0], own)
    monkeypatch.setattr(backend_utils, "_backend_engine", "onnx")
    monkeypatch.setattr(modeling, "cached_models", {task: {} for task in modeling.AVAILABLE_MODELS}, raising=False)
    images = [image for image, _ in faces]
    for backend in ("opencv", "dlib"):
        detector = registry.build("models", f"detector:deepface.{backend}")
        found = detector.detect(images)
        modeling.cached_models["face_detector"][backend] = detector._client
        seen = [(image, one) for image, one in zip(images, found, strict=True) if len(one) == 1]
        assert len(seen) >= len(images) // 2
        ours = DeepfaceRecognizer(model="OpenFace", normalization="Facenet2018").embed(
            [image for image, _ in seen], [one.face(0) for _, one in seen]
        )
        for (image, _), vector in zip(seen, ours, strict=True):
            (theirs,) = representation.represent(
                np.ascontiguousarray(image[..., ::-1]),
                model_name="OpenFace",
                detector_backend=backend,
                normalization="Facenet2018",
            )
            assert np.allclose(vector, theirs["embedding"], atol=1e-3)


@pytest.mark.parametrize("turn", [-25.0, 40.0])
def test_a_turned_face_is_levelled_by_its_eyes(turn: float, folder: Path) -> None:
    import cv2

    put_recognizer(folder, "ArcFace")
    smooth = cv2.GaussianBlur(np.random.default_rng(5).integers(0, 256, (300, 300, 3), np.uint8), (0, 0), 12)
    image = cv2.normalize(smooth, None, 0, 255, cv2.NORM_MINMAX)
    eyes = np.array([[125, 140], [175, 140]], np.float32)
    matrix = cv2.getRotationMatrix2D((150, 150), turn, 1.0)
    turned = cv2.warpAffine(image, matrix, (300, 300), flags=cv2.INTER_CUBIC)
    moved = (eyes @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)
    box = np.array([94, 94, 206, 206], np.float32)
    recognizer = DeepfaceRecognizer()
    level, levelled, askew = recognizer.embed(
        [image, turned, turned], [Face(box, 1, eyes), Face(box, 1, moved), Face(box, 1, eyes)]
    )
    assert isinstance(level, np.ndarray)
    assert np.linalg.norm(level - levelled) < 0.05 * np.linalg.norm(level - askew)


def test_other_normalizations_give_other_vectors(folder: Path, faces: list[tuple[Image, Face]]) -> None:
    put_recognizer(folder, "Facenet")
    names = ("base", "raw", "Facenet", "Facenet2018", "VGGFace", "VGGFace2", "ArcFace")
    vectors = [
        DeepfaceRecognizer(model="Facenet", normalization=name).embed(*apart(faces[:1]))[0] for name in names
    ]
    assert len({np.asarray(vector).round(2).tobytes() for vector in vectors}) == len(names)
    assert np.allclose(vectors[1], 255 * np.asarray(vectors[0]), rtol=1e-3, atol=0.1)


def test_what_is_no_usable_face_is_a_failure(folder: Path) -> None:
    put_recognizer(folder, "ArcFace")
    image = np.full((80, 60, 3), 90, np.uint8)
    boxes = {
        (10, 10, 12, 12): Reason.TOO_SMALL,
        (200, 200, 260, 260): Reason.NO_FACE,
        (0, np.nan, 20, 20): Reason.BAD_OUTPUT,
        (-1e6, -1e6, 1e6, 1e6): None,
        (-20, -30, 40, 50): None,
    }
    results = DeepfaceRecognizer().embed([image] * len(boxes), [Face(np.array(box, np.float32)) for box in boxes])
    assert [r.reason if isinstance(r, Failure) else None for r in results] == list(boxes.values())
    thin = np.full((900, 900, 3), 90, np.uint8)
    (result,) = DeepfaceRecognizer().embed([thin], [Face(np.array([0, 0, 5, 900], np.float32))])
    assert isinstance(result, Failure) and result.reason is Reason.TOO_SMALL
    black = np.zeros((80, 60, 3), np.uint8)
    (result,) = DeepfaceRecognizer().embed([black], [Face(np.array([5, 5, 50, 50], np.float32))])
    assert isinstance(result, Failure) and result.reason is Reason.BAD_OUTPUT


def test_a_nearly_black_face_stays_nearly_black(folder: Path) -> None:
    weights = put_recognizer(folder, "ArcFace")
    dark = np.ones((112, 112, 3), np.uint8)
    level = Face(np.array([0, 0, 112, 112], np.float32), landmarks=np.array([[30, 40], [80, 40]], np.float32))
    (vector,) = DeepfaceRecognizer().embed([dark], [level])
    assert np.allclose(vector, weights.sum(axis=0) / 255, atol=1e-4)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"model": "Facenet512"}, "model"),
        ({"normalization": "none"}, "normalization"),
        ({"model": "Dlib", "normalization": "ArcFace"}, "normalization"),
    ],
)
def test_wrong_parameters_are_refused(given: dict[str, str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        DeepfaceRecognizer(**given)


# --- weights ---


def test_missing_weights_are_named_with_the_call_that_gets_them(folder: Path, tmp_path: Path) -> None:
    recognizer = DeepfaceRecognizer()
    for use in (recognizer.require, lambda: recognizer.embed([], [])):
        with pytest.raises(Unavailable, match=r"unveil weights fetch arcface_weights\.onnx"):
            use()
    assert not (tmp_path / "home").exists()


def test_weights_are_found_where_the_library_keeps_them(folder: Path, faces: list[tuple[Image, Face]]) -> None:
    own = Path(os.environ["DEEPFACE_HOME"], ".deepface", "weights")
    own.mkdir(parents=True)
    put_recognizer(own, "ArcFace", seed=1)
    recognizer = DeepfaceRecognizer()
    first, identity = recognizer.embed(*apart(faces[:1]))[0], recognizer.content_fingerprint()
    put_recognizer(folder, "ArcFace", seed=2)  # UNVEIL_WEIGHTS goes first
    other = DeepfaceRecognizer()
    assert other.content_fingerprint() != identity
    assert not np.allclose(other.embed(*apart(faces[:1]))[0], first)


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b"<html>Not Found</html>"])
def test_damaged_weights_are_refused(damage: Callable[[bytes], bytes], folder: Path) -> None:
    put_recognizer(folder, "ArcFace")
    file = folder / "arcface_weights.onnx"
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(Unavailable, match="deepface cannot load ArcFace"):
        DeepfaceRecognizer().embed([], [])


def test_the_environment_is_as_before(folder: Path) -> None:
    put_recognizer(folder, "ArcFace")
    before = dict(os.environ)
    DeepfaceRecognizer().embed([], [])
    assert dict(os.environ) == before


def test_no_silent_fallback_to_the_processor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this machine has the accelerator")
    put_recognizer(folder, "ArcFace")
    monkeypatch.setenv("DEEPFACE_ONNX_PROVIDERS", "cuda,cpu")
    with pytest.raises(Unavailable, match="CUDAExecutionProvider"):
        DeepfaceRecognizer().embed([], [])
    monkeypatch.setenv("DEEPFACE_ONNX_PROVIDERS", "cpu")
    assert DeepfaceRecognizer().embed([], []) == []


def test_vgg_face_says_what_deepface_does_not_bring(folder: Path) -> None:
    if importlib.util.find_spec("werkzeug"):
        pytest.skip("werkzeug is installed")
    put_recognizer(folder, "VGG-Face")
    with pytest.raises(Unavailable, match=r"'werkzeug'.*unveil\[deepface\]"):
        DeepfaceRecognizer(model="VGG-Face").require()


def test_without_the_extra_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "deepface" else real(name, *a)
    )
    for name in ("recognizer:deepface.arcface", "estimator:deepface", "detector:deepface.opencv"):
        with pytest.raises(Unavailable, match=r"pip install 'unveil\[deepface\]'"):
            registry.build("models", name).require()


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    code = (
        "import sys; from unveil import registry\n"
        "for name in registry.specs('models'):\n"
        "    if ':deepface' in name: registry.build('models', name)\n"
        "print({'deepface', 'cv2', 'onnxruntime', 'torch', 'dlib', 'retinaface'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "set()"


# --- estimator ---


def test_the_estimator_keeps_its_promises(folder: Path, faces: list[tuple[Image, Face]]) -> None:
    for name in ATTRIBUTES:
        put_attribute(folder, name)
    estimator = DeepfaceEstimator()
    estimator.require()
    check_estimator(estimator, faces=faces)
    for values in estimator.estimate(*apart(faces)):
        assert not isinstance(values, Failure) and set(values) == set(estimator.kinds)
        assert values["gender"] in ("Female", "Male")
        assert values["race"] in ("Asian", "Indian", "Black", "White", "Middle Eastern", "Latino Hispanic")
        assert 0.5 <= float(values["gender_confidence"]) <= 1  # type: ignore[arg-type]
        assert 0 <= float(values["age"]) <= 100  # type: ignore[arg-type]


def test_the_age_is_an_expected_value(folder: Path, faces: list[tuple[Image, Face]]) -> None:
    put_attribute(folder, "age", np.zeros((14 * 14 * 3, 101), np.float32))  # every age as likely as the others
    told = DeepfaceEstimator(attributes=["age"]).estimate(*apart(faces))
    assert [set(values) for values in told if not isinstance(values, Failure)] == [{"age"}] * len(faces)
    assert np.allclose([values["age"] for values in told if not isinstance(values, Failure)], 50, atol=1e-3)


@pytest.mark.parametrize("position", range(7))
def test_expressions_follow_the_order_of_the_library(
    position: int, folder: Path, faces: list[tuple[Image, Face]]
) -> None:
    weights = np.zeros((3 * 3, 7), np.float32)
    weights[:, position] = 1
    put_attribute(folder, "expression", weights)
    words = ("angry", "disgust", "fear", "happy", "sad", "surprise", "neutral")
    (told,) = DeepfaceEstimator(attributes=["expression"]).estimate(*apart(faces[:1]))
    assert not isinstance(told, Failure) and told["expression"] == words[position]


def test_only_the_weights_of_the_wanted_attributes_are_needed(folder: Path) -> None:
    put_attribute(folder, "gender")
    DeepfaceEstimator(attributes=("gender",)).require()
    with pytest.raises(Unavailable, match=r"race_model_single_batch\.onnx"):
        DeepfaceEstimator(attributes=("gender", "race")).require()


def test_every_picture_has_its_own_answer(folder: Path, faces: list[tuple[Image, Face]]) -> None:
    """A picture without a usable face does not get the answer of the one before it."""
    put_attribute(folder, "gender")
    image, face = faces[0]
    speck = Face(np.array([1, 1, 2, 2], np.float32))
    told = DeepfaceEstimator(attributes=["gender"]).estimate([image, image, image], [face, speck, face])
    assert isinstance(told[1], Failure) and told[0] == told[2]


@pytest.mark.parametrize("given", [(), ("age", "age"), ("mood",), "mood"])
def test_wrong_attributes_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="attributes"):
        DeepfaceEstimator(attributes=given)
