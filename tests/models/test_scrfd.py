"""SCRFD: what its graph's numbers mean, at three strides, with and without key points and a batch axis."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from unveil.core.boxes import overlaps
from unveil.core.errors import ConfigError, Unavailable
from unveil.core.types import Image
from unveil.models.insightface_packs import PACKS
from unveil.models.mtcnn import Mtcnn
from unveil.models.scrfd import Scrfd
from unveil.models.scrfd_graph import ScrfdGraph
from unveil.testing import check_detector

from .graphs import BOXES, POINTS, pooled, random_network, scrfd

RED, BLUE, GREEN = (255, 0, 0), (0, 0, 255), (0, 255, 0)


def dotted(height: int, width: int, *squares: tuple[int, int, int, tuple[int, int, int]]) -> Image:
    """A black picture with coloured squares: left, top, side, colour."""
    image = np.zeros((height, width, 3), np.uint8)
    for left, top, side, colour in squares:
        image[top : top + side, left : left + side] = colour
    return image


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("key_points", [False, True])
@pytest.mark.parametrize(("stride", "column", "row"), [(8, 5, 3), (16, 3, 1), (32, 0, 1)])
@pytest.mark.parametrize(("colour", "anchor"), [(RED, 0), (BLUE, 1)])
def test_one_cell_by_hand(
    tmp_path: Path, batched: bool, key_points: bool, stride: int, column: int, row: int,
    colour: tuple[int, int, int], anchor: int,
) -> None:  # fmt: skip
    """A square of one stride is seen at this stride, and by the cells of finer strides inside it."""
    detector = ScrfdGraph.read(scrfd(tmp_path / "d.onnx", key_points=key_points, batched=batched, side=64), [64])
    found = detector(dotted(64, 64, (column * stride, row * stride, stride, colour)), 0.5)
    left, top, right, bottom = BOXES[anchor]
    x, y = column * stride, row * stride
    expected = [x - left * stride, y - top * stride, x + right * stride, y + bottom * stride]
    (mine,) = np.flatnonzero(np.abs(found.boxes - expected).max(axis=1) < 1e-4)
    assert len(found) == sum((stride // finer) ** 2 for finer in (8, 16, 32) if finer <= stride)
    assert found.scores[mine] == pytest.approx(127.5 / 128), "(255 - 127.5) / 128"
    if key_points:
        points = np.array(POINTS[anchor]).reshape(5, 2) * stride + (x, y)
        assert found.landmarks is not None and found.landmarks[mine] == pytest.approx(points)
    else:
        assert found.landmarks is None


def test_boxes_are_in_pixels_of_the_picture(tmp_path: Path) -> None:
    """A picture of 200 x 100 fits into 64 x 64 when it is reduced to 64 x 32."""
    detector = Scrfd(path=str(scrfd(tmp_path / "d.onnx")), sizes=[64], overlap=1.0)
    (found,) = detector.detect([dotted(100, 200, (100, 50, 25, RED))])
    scale = 200 / 64
    left, top, right, bottom = BOXES[0]
    expected = np.array([32 - 8 * left, 16 - 8 * top, 32 + 8 * right, 16 + 8 * bottom]) * scale
    assert found.boxes[0] == pytest.approx(expected, rel=1e-5)
    assert found.landmarks is not None
    assert found.landmarks[0] == pytest.approx(
        (np.array(POINTS[0]).reshape(5, 2) * 8 + (32, 16)) * scale, rel=1e-5
    )


def test_colours_and_threshold(tmp_path: Path) -> None:
    path = str(scrfd(tmp_path / "d.onnx"))
    image = dotted(64, 64, (40, 24, 8, (220, 0, 0)))
    score = (220 - 127.5) / 128
    assert len(Scrfd(path=path, sizes=[64], threshold=score - 0.01).detect([image])[0]) == 1
    assert len(Scrfd(path=path, sizes=[64], threshold=score + 0.01).detect([image])[0]) == 0
    assert len(Scrfd(path=path, sizes=[64]).detect([dotted(64, 64, (40, 24, 8, GREEN))])[0]) == 0


def test_sizes_are_put_together_and_overlaps_dropped(tmp_path: Path) -> None:
    path = str(scrfd(tmp_path / "d.onnx"))
    image = dotted(128, 128, (80, 48, 16, RED), (16, 96, 16, (240, 0, 0)))
    every = {
        sizes: Scrfd(path=path, sizes=sizes, overlap=1.0).detect([image])[0]
        for sizes in ((64,), (128,), (64, 128))
    }
    assert len(every[64, 128]) == len(every[64,]) + len(every[128,]) > 3
    assert (np.diff(every[64, 128].scores) <= 0).all()
    (kept,) = Scrfd(path=path, sizes=(64, 128), overlap=0.2).detect([image])
    table = overlaps(kept.boxes, kept.boxes)
    assert 2 <= len(kept) < len(every[64, 128]) and table[~np.eye(len(kept), dtype=bool)].max() <= 0.2 + 1e-6


def test_what_lies_on_the_rim_of_the_canvas_is_no_face(tmp_path: Path) -> None:
    """A picture without height leaves the canvas black; boxes about cells outside have their centre outside."""
    detector = Scrfd(path=str(scrfd(tmp_path / "d.onnx")), sizes=[64])
    (found,) = detector.detect([dotted(8, 64, (0, 0, 8, RED))])
    centres = (found.boxes[:, :2] + found.boxes[:, 2:]) / 2
    assert ((centres >= 0) & (centres <= (64, 8))).all()


@pytest.mark.parametrize("key_points", [False, True])
def test_the_contract(tmp_path: Path, key_points: bool, photos_or_dots: list[Image]) -> None:
    check_detector(Scrfd(path=str(scrfd(tmp_path / "d.onnx", key_points=key_points))), photos=photos_or_dots)


@pytest.fixture
def photos_or_dots() -> list[Image]:
    return [dotted(120, 90, (20, 30, 40, RED)), dotted(300, 500, (200, 100, 90, BLUE))]


def test_other_graphs_are_refused_with_their_shapes(tmp_path: Path) -> None:
    for path, sizes, message in (
        (pooled(tmp_path / "a.onnx", count=1), [128], "nine outputs|own size"),
        (random_network(tmp_path / "b.onnx", 8), [128], "own size alone, not"),
        (scrfd(tmp_path / "c.onnx", side=64), (64, 128), r"own size alone, not \[64, 128\]"),
    ):
        with pytest.raises(ConfigError, match=message) as refused:
            Scrfd(path=str(path), sizes=sizes).detect([dotted(64, 64)])
        assert "inputs: x [" in str(refused.value) and "outputs: " in str(refused.value)
    (tmp_path / "d.onnx").write_bytes(b"not a graph")
    with pytest.raises(ConfigError, match=r"d\.onnx is no ONNX graph"):
        Scrfd(path=str(tmp_path / "d.onnx")).detect([dotted(64, 64)])


def test_parameters() -> None:
    assert Scrfd().sizes == (128, 640), "as insightface 2 looks at a picture"
    for wrong in ({"sizes": [100]}, {"sizes": []}, {"threshold": 0}, {"overlap": float("nan")}, {"pack": "x"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Scrfd(**wrong)
    with pytest.raises(ValueError, match="path"):
        Scrfd(path=3)


def test_identity_is_the_file_and_not_its_place(tmp_path: Path) -> None:
    one, two = scrfd(tmp_path / "one.onnx"), scrfd(tmp_path / "two.onnx")
    other = scrfd(tmp_path / "other.onnx", batched=True)
    prints = [Scrfd(path=str(path)).content_fingerprint() for path in (one, two, other)]
    assert prints[0] == prints[1] != prints[2]
    for name, pack in PACKS.items():
        detector = Scrfd(pack=name)
        assert detector.content_fingerprint() == pack.detector.sha256
        assert detector.meta.weights == {pack.detector.name: pack.detector.sha256}


def test_missing_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path))
    with pytest.raises(Unavailable, match=r"unveil weights fetch det_500m\.onnx"):
        Scrfd(pack="buffalo_s").require()
    with pytest.raises(Unavailable, match="no file"):
        Scrfd(path=str(tmp_path / "nowhere.onnx")).require()


@pytest.mark.parametrize("pack", ["buffalo_l", "buffalo_s"])
def test_the_real_detector_finds_what_mtcnn_finds(pack: str, photos: list[Image]) -> None:
    detector = Scrfd(pack=pack)
    try:
        detector.require()
    except Unavailable as reason:
        pytest.skip(f"{reason} (UNVEIL_WEIGHTS={os.environ.get('UNVEIL_WEIGHTS', '')})")
    for ours, theirs in zip(detector.detect(photos), Mtcnn().detect(photos), strict=True):
        for index in np.flatnonzero(theirs.scores > 0.99):
            table = overlaps(ours.boxes, theirs.boxes[[index]])
            assert len(ours) and table.max() > 0.4
            assert ours.landmarks is not None and theirs.landmarks is not None
            true, best = theirs.landmarks[index], int(table.argmax())
            eyes = np.linalg.norm(true[1] - true[0])
            assert np.linalg.norm(ours.landmarks[best] - true, axis=1).mean() < 0.25 * eyes
