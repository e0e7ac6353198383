"""YOLOX-nano: its output is decoded rightly, and it finds what is in photos."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from unveil.core.boxes import NOBODY, overlaps, surest_first
from unveil.core.errors import Unavailable
from unveil.core.scenes import CLASSES
from unveil.core.types import Image
from unveil.images import read_image
from unveil.models.yolox import YoloxNano, decode
from unveil.testing import check_object_detector


@pytest.fixture
def weights(shared_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))


def test_decoding_by_hand() -> None:
    """Cells of stride 8 come first, row by row, then those of 16, then those of 32."""
    output = np.zeros((3549, 85), np.float32)
    of_8, of_16, of_32 = 52 * 3 + 5, 52 * 52 + 26 * 2 + 1, 52 * 52 + 26 * 26 + 13 * 4 + 12
    output[of_8, :6] = (0.5, 0.25, np.log(2), np.log(3), 0.9, 1.0)  # a person
    output[of_16, [0, 4, 5 + 9]] = (0.5, 0.5, 0.5)  # a traffic light, one stride wide and high
    output[of_32, [4, 5 + 2]] = (0.4, 1.0)  # a car
    output[7, [4, 5 + 16]] = (0.9, 0.9)  # a dog: not one of the ten
    output[8, [4, 5]] = (0.2, 0.2)  # below the tail
    boxes, scores, classes = decode(output)
    assert scores == pytest.approx([0.9, 0.4, 0.25])
    assert [CLASSES[index] for index in classes] == ["person", "car", "traffic light"]
    assert boxes[0] == pytest.approx([5.5 * 8 - 8, 3.25 * 8 - 12, 5.5 * 8 + 8, 3.25 * 8 + 12], rel=1e-5)
    assert boxes[1] == pytest.approx([12 * 32 - 16, 4 * 32 - 16, 12 * 32 + 16, 4 * 32 + 16])
    assert boxes[2] == pytest.approx([1.5 * 16 - 8, 2 * 16 - 8, 1.5 * 16 + 8, 2 * 16 + 8])


@pytest.mark.usefixtures("weights")
def test_people_and_objects_in_photos(shared_data: Path) -> None:
    """Measured on these 54 pictures of COCO: person AP 0.58, F1 0.62 at the threshold; all classes 0.58."""
    root = shared_data / "people" / "coco_mini"
    facts = json.loads((root / "instances.json").read_text())
    names = {category["id"]: category["name"] for category in facts["categories"]}
    images = [read(root / "images" / entry["file_name"]) for entry in facts["images"]]
    detector = YoloxNano()
    hits = dict.fromkeys(CLASSES, 0)
    found, true = dict.fromkeys(CLASSES, 0), dict.fromkeys(CLASSES, 0)
    for entry, objects in zip(facts["images"], detector.detect(images), strict=True):
        sure = objects.take(np.flatnonzero(objects.scores >= detector.threshold))
        for name in CLASSES:
            boxes = [
                (x, y, x + w, y + h)
                for note in facts["annotations"]
                if note["image_id"] == entry["id"] and names[note["category_id"]] == name and not note["iscrowd"]
                for x, y, w, h in [note["bbox"]]
            ]
            seen = sure.only(name)
            truth = np.array(boxes, np.float32).reshape(-1, 4)
            hits[name] += (surest_first(overlaps(seen.boxes, truth), 0.5) != NOBODY).sum()
            found[name] += len(seen)
            true[name] += len(boxes)
    f1 = {name: 2 * hits[name] / (found[name] + true[name]) for name in CLASSES}
    assert f1["person"] > 0.58
    assert f1["train"] == 1 and f1["bicycle"] > 0.6
    assert np.mean(list(f1.values())) > 0.5


@pytest.mark.usefixtures("weights")
def test_the_contract_with_photos_of_people(shared_data: Path) -> None:
    files = sorted((shared_data / "people" / "pennfudan").rglob("*.png"))
    photos = [read(path) for path in files if "mask" not in path.name.lower()][:3]
    assert photos
    check_object_detector(YoloxNano(), photos=photos)


def test_missing_weights_are_told_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path))
    with pytest.raises(Unavailable, match=r"unveil weights fetch yolox_nano\.onnx"):
        YoloxNano().require()
    (tmp_path / "yolox_nano.onnx").write_bytes(b"another file")
    with pytest.raises(Unavailable, match="not the known yolox_nano"):
        YoloxNano().detect([np.zeros((8, 8, 3), np.uint8)])


@pytest.mark.parametrize(("name", "value"), [("threshold", 0), ("threshold", 2), ("overlap", float("nan"))])
def test_wrong_parameters_are_named(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*{value!r}"):
        YoloxNano(**{name: value})


def read(path: Path) -> Image:
    image = read_image(path)
    assert isinstance(image, np.ndarray), image
    return image
