"""Weights are taken from installed packages, and only when they are the known ones."""

from __future__ import annotations

import hashlib
import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from unveil import list_components
from unveil.core.errors import Unavailable
from unveil.models.mtcnn import Mtcnn
from unveil.models.weights import locate
from unveil.registry import build, specs


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "carrier_of_weights"
    (folder / "models").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    (folder / "models" / "net.dat").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_the_file_is_found_and_the_package_is_not_imported(package: Path) -> None:
    known = hashlib.sha256(b"weights").hexdigest()
    assert (
        locate("carrier_of_weights", "models/net.dat", known, distribution="x") == package / "models" / "net.dat"
    )
    assert "carrier_of_weights" not in sys.modules


@pytest.mark.parametrize(
    ("name", "file", "message"),
    [
        ("carrier_of_weights", "models/net.dat", "not the known " + "0" * 64),
        ("carrier_of_weights", "models/other.dat", "has no file models/other.dat"),
        ("no_such_package", "models/net.dat", "not installed; install it with: pip install"),
    ],
)
def test_what_is_wrong_is_named(package: Path, name: str, file: str, message: str) -> None:
    with pytest.raises(Unavailable, match=message):
        locate(name, file, "0" * 64, distribution="carrier")


class Payload:
    """A pickle that creates a folder when it is opened."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return Path.mkdir, (self.target,)


def test_a_foreign_pickle_is_refused_before_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "mtcnn" / "assets" / "weights"
    weights.mkdir(parents=True)
    (tmp_path / "mtcnn" / "__init__.py").touch()
    for file in ("pnet.lz4", "rnet.lz4", "onet.lz4"):
        (weights / file).write_bytes(pickle.dumps(Payload(tmp_path / "harm")))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Unavailable, match=r"pnet\.lz4 has SHA-256"):
        Mtcnn().detect([np.zeros((40, 40, 3), np.uint8)])
    assert not (tmp_path / "harm").exists()


def test_models_are_built_without_weights_and_heavy_libraries() -> None:
    code = (
        "import sys; from unveil import registry; "
        "[registry.build('models', name) for name in registry.specs('models') if '.' not in name]; "
        "print([m for m in ('torch', 'cv2', 'dlib', 'onnxruntime', 'mtcnn', 'joblib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


ELSEWHERE = {
    "classifier:hf": "microsoft/resnet-50",
    "image_encoder:clip-vit-large-patch14-336": "openai/clip-vit-large-patch14-336",
    "image_encoder:hf": "facebook/dinov2-base",
    "object_detector:hf": "PekingU/rtdetr_r18vd",
    "object_detector:yolox_nano": "yolox_nano.onnx",
    "segmenter:hf": "facebook/mask2former-swin-tiny-coco-instance",
}
"""Models whose weights no package carries."""

FREE = {"segmenter:annotated", "segmenter:box"}
"""Models that need neither weights nor a library."""


ADAPTERS = {
    name
    for name in specs("models")
    if any(part in name for part in ("deepface", "facepp", "insightface", "onnx", "sface", "yunet", "lpips"))
} | {"estimator:face_landmarker", "landmarker:face_landmarker", "image_encoder:inception-2015"}
"""Models of other zoos: what each of them says that it lacks is tested with it."""


@pytest.mark.parametrize("name", sorted(set(specs("models")) - set(ELSEWHERE) - FREE - ADAPTERS))
def test_a_missing_library_or_file_is_told_before_any_work_starts(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = build("models", name)
    model.require()  # everything is here
    find = importlib.util.find_spec
    hidden = ("dlib", "cv2", "mtcnn", "torch")
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None if module in hidden else find(module))
    with pytest.raises(Unavailable, match="install"):
        model.require()
    (row,) = [row for row in list_components("models") if row["name"] == name]
    assert "install" in row["status"]


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_a_machine_without_weights_and_libraries_is_told_what_to_type(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in ("UNVEIL_WEIGHTS", "UNVEIL_CACHE", "DEEPFACE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("FACEPP_API_KEY", "FACEPP_API_SECRET"):
        monkeypatch.delenv(variable, raising=False)
    find = importlib.util.find_spec
    hidden = ("mediapipe", "deepface", "httpx", "onnxruntime", "cv2", "torch", "torchmetrics")
    monkeypatch.setattr(importlib.util, "find_spec", lambda module: None if module in hidden else find(module))
    with pytest.raises(Unavailable, match=r"pip install|unveil weights fetch|FACEPP_API_KEY|path"):
        build("models", name).require()


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_weights_from_elsewhere_are_asked_for_by_command(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("transformers")
    for variable in ("UNVEIL_WEIGHTS", "UNVEIL_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(Unavailable, match=f"unveil weights fetch {ELSEWHERE[name]}"):
        build("models", name).require()
    (row,) = [row for row in list_components("models") if row["name"] == name]
    assert f"unveil weights fetch {ELSEWHERE[name]}" in row["status"]
