"""Recognizers run by ONNX Runtime: colours, scaling and alignment, batches, and which graphs are refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

from unveil.core.errors import ConfigError, Unavailable
from unveil.core.types import Face, Failure, Image, Reason
from unveil.models.arcface import ArcFace
from unveil.models.five_points import LANDMARK_WEIGHTS, TEMPLATE, upright
from unveil.models.insightface_packs import PACKS
from unveil.models.mtcnn import Mtcnn
from unveil.models.onnx_recognizer import OnnxRecognizer
from unveil.testing import check_recognizer

from .graphs import pooled, random_network, save, scrfd


@pytest.fixture(scope="module")
def faces(generated: list[Image]) -> list[Face]:
    return [found.face(0) for found in Mtcnn().detect(generated)]


def means(crop: np.ndarray, cells: int = 4) -> np.ndarray:
    """What the graph of :func:`pooled` gives for a crop whose values went in as they are."""
    side = len(crop) // cells
    squares = crop.astype(float).reshape(cells, side, cells, side, 3).mean(axis=(1, 3))
    return squares.transpose(2, 0, 1).ravel()


def aligned(image: Image, face: Face, side: int = 112) -> Image:
    assert face.landmarks is not None
    return upright(image, face.landmarks, side)


def test_arcface_is_fed_with_aligned_rgb_in_minus_one_to_one(
    tmp_path: Path, generated: list[Image], faces: list[Face]
) -> None:
    found = ArcFace(path=str(pooled(tmp_path / "g.onnx"))).embed(generated, faces)
    for image, face, vector in zip(generated, faces, found, strict=True):
        expected = (means(aligned(image, face)) - 127.5) / 127.5
        assert vector == pytest.approx(expected, abs=1e-4)
        shifted = upright(image, np.asarray(face.landmarks) + 4, 112)
        for wrong in (image, aligned(image, face)[..., ::-1], shifted):
            assert np.abs((means(wrong) - 127.5) / 127.5 - expected).max() > 0.02, "the test would see it"


@pytest.mark.parametrize("last", [False, True])
def test_colours_mean_and_scale_are_those_of_the_parameters(
    tmp_path: Path, last: bool, generated: list[Image], faces: list[Face]
) -> None:
    path = str(pooled(tmp_path / "g.onnx", last=last))
    (expected,) = [means(aligned(generated[0], faces[0]))]
    first = generated[:1], faces[:1]
    (plain,) = OnnxRecognizer(path=path, mean=0, scale=1).embed(*first)
    assert plain == pytest.approx(expected, abs=0.01)
    (moved,) = OnnxRecognizer(path=path, mean=100, scale=50.0).embed(*first)
    assert moved == pytest.approx((expected - 100) / 50, abs=1e-3)
    (swapped,) = OnnxRecognizer(path=path, mean=0, scale=1, colors="bgr").embed(*first)
    assert swapped == pytest.approx(expected.reshape(3, 16)[::-1].ravel(), abs=0.01)
    (each,) = OnnxRecognizer(path=path, mean=[1, 2, 3], scale=[4, 5, 6], colors="bgr").embed(*first)
    wanted = (expected.reshape(3, 16)[::-1] - [[1], [2], [3]]) / [[4], [5], [6]]
    assert each == pytest.approx(wanted.ravel(), abs=1e-3)


def test_other_sizes_have_the_same_template(tmp_path: Path, generated: list[Image], faces: list[Face]) -> None:
    path = str(pooled(tmp_path / "g.onnx", side="side", pool=40))
    recognizer = OnnxRecognizer(path=path, size=160, mean=0, scale=1)
    assert recognizer.dimension == 48
    (found,) = recognizer.embed(generated[:1], faces[:1])
    assert found == pytest.approx(means(aligned(generated[0], faces[0], 160)), abs=0.01)


def test_the_norm_of_adaface_is_no_embedding(tmp_path: Path) -> None:
    assert OnnxRecognizer(path=str(pooled(tmp_path / "g.onnx", norm=True))).dimension == 48


@pytest.mark.parametrize("count", [1, "n"])
def test_batches_change_nothing(
    tmp_path: Path, count: int | str, generated: list[Image], faces: list[Face], capfd: pytest.CaptureFixture[str]
) -> None:
    """insightface's graphs say that they give one row and give as many as they take: nobody is warned of it."""
    recognizer = ArcFace(path=str(random_network(tmp_path / "g.onnx", 512, count=count, declared=1)))
    assert recognizer.dimension == 512
    many = 12
    threads = torch.get_num_threads()
    together = recognizer.embed(generated * many, faces * many)
    assert torch.get_num_threads() == threads
    alone = [recognizer.embed([image], [face])[0] for image, face in zip(generated, faces, strict=True)]
    assert np.array(together) == pytest.approx(np.tile(np.array(alone), (many, 1)), abs=1e-4)
    assert len({vector.tobytes() for vector in alone}) == len(alone)
    assert recognizer.embed([], []) == []
    assert capfd.readouterr().err == ""


def test_failures_stand_where_their_faces_stand(tmp_path: Path, generated: list[Image], faces: list[Face]) -> None:
    recognizer = ArcFace(path=str(random_network(tmp_path / "g.onnx", 16)))
    mirrored = Face(faces[1].box, landmarks=(TEMPLATE * (-1, 1) + (112, 0)).astype(np.float32))
    broken = Face(faces[1].box, landmarks=np.full((5, 2), np.nan, np.float32))
    found = recognizer.embed([generated[0]] * 4, [faces[0], mirrored, broken, faces[0]])
    assert [isinstance(one, Failure) for one in found] == [False, True, True, False]
    assert all(one.reason is Reason.BAD_OUTPUT for one in found[1:3] if isinstance(one, Failure))
    assert np.array_equal(found[0], found[3])


def test_an_embedding_that_is_not_finite_is_a_failure(
    tmp_path: Path, generated: list[Image], faces: list[Face]
) -> None:
    nodes = [
        onnx.helper.make_node("AveragePool", ["x"], ["mean"], kernel_shape=(56, 56), strides=(56, 56)),
        onnx.helper.make_node("Flatten", ["mean"], ["flat"]),
        onnx.helper.make_node("Log", ["flat"], ["y"]),
    ]
    path = save(tmp_path / "g.onnx", nodes, {"x": ("n", 3, 112, 112)}, {"y": ("n", 12)})
    (found,) = OnnxRecognizer(path=str(path), mean=255).embed(generated[:1], faces[:1])
    assert isinstance(found, Failure) and found.reason is Reason.BAD_OUTPUT and "12 of its 12" in found.detail


def test_without_landmarks_a_face_is_described_too(
    tmp_path: Path, generated: list[Image], faces: list[Face]
) -> None:
    recognizer = ArcFace(path=str(pooled(tmp_path / "g.onnx")))
    marked = recognizer.embed(generated, faces)
    boxed = recognizer.embed(generated, [Face(face.box) for face in faces])
    assert np.abs(np.array(marked) - np.array(boxed)).mean() < 0.05
    assert recognizer.meta.weights == LANDMARK_WEIGHTS


def test_what_is_no_embedding_model_is_refused_with_its_shapes(tmp_path: Path) -> None:
    flat = [onnx.helper.make_node("Flatten", ["x"], ["y"])]
    pairs = [onnx.helper.make_node("Flatten", ["x"], ["y"]), onnx.helper.make_node("Identity", ["y"], ["z"])]
    files: dict[str, tuple[Path, dict[str, Any]]] = {
        "one output": (scrfd(tmp_path / "a.onnx"), {}),
        "the parameter size must be that of the graph's pictures, not 96": (
            pooled(tmp_path / "b.onnx"),
            {"size": 96},
        ),
        "three colours": (save(tmp_path / "c.onnx", flat, {"x": ("n", 1, 112, 112)}, {"y": ("n", "d")}), {}),
        "rank 4": (save(tmp_path / "d.onnx", flat, {"x": ("n", 512)}, {"y": ("n", 512)}), {}),
        "of any size, or of one": (pooled(tmp_path / "e.onnx", count=4), {}),
        r"the shape \(n, dimension\)": (
            save(tmp_path / "f.onnx", pairs, {"x": ("n", 3, 112, 112)}, {"y": ("n", "a"), "z": ("n", "b")}),
            {},
        ),
        "refuses a batch of the shape": (random_network(tmp_path / "g.onnx", 8, side="side"), {"size": 64}),
    }
    for rule, (path, parameters) in files.items():
        with pytest.raises(ConfigError, match=rule) as refused:
            OnnxRecognizer(path=str(path), **parameters).embed([], [])
        message = str(refused.value)
        assert path.name in message and "inputs: x [" in message and "outputs: " in message
        assert "\n" not in message


def test_rows_that_are_not_one_per_face_are_refused(
    tmp_path: Path, generated: list[Image], faces: list[Face]
) -> None:
    """The graph puts a whole batch into one row, which the single crop it is tried on does not show."""
    nodes = [
        onnx.helper.make_node("AveragePool", ["x"], ["mean"], kernel_shape=(56, 56), strides=(56, 56)),
        onnx.helper.make_node("Flatten", ["mean"], ["y"], axis=0),
    ]
    path = save(tmp_path / "g.onnx", nodes, {"x": ("n", 3, 112, 112)}, {"y": ("m", "d")})
    with pytest.raises(ConfigError, match=r"must not give \(1, \d+\) for \d pictures"):
        OnnxRecognizer(path=str(path)).embed(generated, faces)


def test_a_damaged_file_and_one_of_several_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"\x00\x01 not a graph")
    with pytest.raises(ConfigError, match=r"broken\.onnx is no ONNX graph in one file"):
        OnnxRecognizer(path=str(tmp_path / "broken.onnx")).embed([], [])
    model = onnx.load(random_network(tmp_path / "whole.onnx", 64))
    onnx.save(model, tmp_path / "split.onnx", save_as_external_data=True, location="more.bin", size_threshold=0)
    assert (tmp_path / "more.bin").is_file()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="in one file"):
        OnnxRecognizer(path="split.onnx").embed([], [])


def test_parameters() -> None:
    for wrong in (
        {"size": 3}, {"mean": [1, 2]}, {"mean": float("nan")}, {"scale": 0}, {"scale": [1, 0, 1]}, {"scale": "x"},
        {"colors": "grb"}, {"distance": "l1"}, {"customary_threshold": 0}, {"path": 5},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=next(iter(wrong))):
            OnnxRecognizer(**{"path": "model.onnx", **wrong})
    with pytest.raises(ValueError, match="pack must be one of buffalo_l"):
        ArcFace(pack="buffalo")


def test_identity_is_the_file_and_not_its_place(tmp_path: Path) -> None:
    one, other = pooled(tmp_path / "one.onnx"), pooled(tmp_path / "other.onnx", norm=True)
    copy = shutil.copy(one, tmp_path / "copy.onnx")
    for build in (ArcFace, OnnxRecognizer):
        prints = [build(path=str(path)).content_fingerprint() for path in (one, copy, other)]
        assert prints[0] == prints[1] != prints[2]
    for name, pack in PACKS.items():
        recognizer = ArcFace(pack=name)
        assert recognizer.content_fingerprint() == pack.recognizer.sha256
        assert recognizer.meta.weights == {pack.recognizer.name: pack.recognizer.sha256, **LANDMARK_WEIGHTS}


def test_missing_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path))
    with pytest.raises(Unavailable, match=r"unveil weights fetch glintr100\.onnx"):
        ArcFace(pack="antelopev2").require()
    with pytest.raises(Unavailable, match="no file"):
        OnnxRecognizer(path=str(tmp_path / "nowhere.onnx")).require()
    with pytest.raises(Unavailable, match="no file is given; name the model's ONNX file in the parameter 'path'"):
        OnnxRecognizer().require()


@pytest.mark.parametrize("count", [1, "n"])
def test_the_contract(tmp_path: Path, count: int | str, generated: list[Image], faces: list[Face]) -> None:
    path = str(random_network(tmp_path / "g.onnx", 512, count=count))
    known = list(zip(generated, faces, strict=True))
    check_recognizer(ArcFace(path=path), faces=known)
    check_recognizer(OnnxRecognizer(path=path, distance="euclidean", customary_threshold=1.2), faces=known)


@pytest.mark.parametrize("pack", ["buffalo_l", "buffalo_s"])
def test_the_real_recognizer_tells_people_apart(pack: str, shared_data: Path) -> None:
    from .conftest import read

    recognizer = ArcFace(pack=pack)
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
    strangers = distance[::2, ::2][~np.eye(6, dtype=bool)]
    assert (mated <= recognizer.customary_threshold).mean() >= 5 / 6
    assert (strangers > recognizer.customary_threshold).all()
