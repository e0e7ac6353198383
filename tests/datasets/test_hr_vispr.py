"""HR-VISPR's layout on made trees; the real files are not at hand."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from unveil.core.errors import DataError
from unveil.core.protocols import Entry
from unveil.core.scenes import LABELS
from unveil.core.types import Detections, Failure
from unveil.datasets.hr_vispr import HrVispr
from unveil.datasets.index import scan
from unveil.testing import check_component

FOLDER = "18_class_pkl_labels_with_safe"
SHOWN: dict[str, dict[str, list[str]]] = {
    "train2017": {"2017_1": ["age", "casual clothing"], "2017_2": []},
    "val2017": {"2017_3": ["religion"]},
    "test2017": {"2017_4": ["face"]},
}


def vector(labels: list[str]) -> list[float]:
    return [float(label in labels) for label in LABELS]


def write_labels(folder: Path, shown: dict[str, dict[str, list[str]]] = SHOWN) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for split, pictures in shown.items():
        vectors = {name: np.array(vector(labels), np.float32) for name, labels in pictures.items()}
        (folder / f"{split}_labels.pkl").write_bytes(pickle.dumps(vectors))


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Path]:
    """``tree(pictures, labels)`` writes both below those folders."""

    def make(pictures: str = "vispr_refined_c2", labels: str = f"vispr_refined_c2/{FOLDER}") -> Path:
        for split, names in SHOWN.items():
            (tmp_path / pictures / split).mkdir(parents=True, exist_ok=True)
            for name in names:
                Image.new("RGB", (20, 10)).save(tmp_path / pictures / split / f"{name}.jpg")
        write_labels(tmp_path / labels)
        return tmp_path

    return make


@pytest.mark.parametrize(
    ("pictures", "labels"),
    [("vispr_refined_c2", f"vispr_refined_c2/{FOLDER}"), ("vispr_refined_c2", FOLDER), ("", FOLDER)],
)
def test_the_published_layout(tree: Callable[..., Path], pictures: str, labels: str) -> None:
    hr = HrVispr(root=str(tree(pictures, labels)))
    above = f"{pictures}/" if pictures else ""
    assert list(hr.entries()) == [
        Entry(f"{above}train2017/2017_1.jpg", split="train", labels=frozenset({"age", "casual clothing"})),
        Entry(f"{above}train2017/2017_2.jpg", split="train"),
        Entry(f"{above}val2017/2017_3.jpg", split="validation", labels=frozenset({"religion"})),
        Entry(f"{above}test2017/2017_4.jpg", split="test", labels=frozenset({"face"})),
    ]
    assert hr.meta.labels == LABELS and hr.meta.has == {"labels", "splits"} and hr.pairs() == []
    check_component("datasets", hr)
    assert len(list(HrVispr(root=str(hr.root), limit=1).entries())) == 3
    table = scan(hr, cache=None)
    assert table["labels"].to_pylist() == [["age", "casual clothing"], [], ["religion"], ["face"]]


def test_json_in_place_of_pickles(tree: Callable[..., Path]) -> None:
    root = tree()
    file = root / "vispr_refined_c2" / FOLDER / "test2017_labels.json"
    file.write_text(json.dumps({"2017_4": vector(["race"])}))
    assert list(HrVispr(root=str(root)).entries())[3].labels == {"race"}
    for text, said in (("{", "not JSON"), ("[]", "expected a record of vectors"), ('{"a": 1}', "of vectors")):
        file.write_text(text)
        with pytest.raises(DataError, match=f"test2017_labels.json: .*{said}"):
            list(HrVispr(root=str(root)).entries())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            {"2017_4": [1.0] * 19},
            "test2017_labels.pkl: 2017_4: the vector has 19 numbers, expected 18: age, face,",
        ),
        ({"2017_4": [1.0] * 7}, "has 7 numbers"),
        ({"2017_4": [0.5] * 18}, "zeros and ones only, not 0.5"),
        ({"2017_4": [float("nan")] * 18}, "not nan"),
        ({"2017_4": [0] * 18, "2017_5": [0] * 18}, r"1 of its 2 pictures are not in .*test2017/2017_5.jpg' first"),
        ({"../../../x": [0] * 18}, "leads out"),
        ([1], "not a pickle of vectors"),
    ],
)
def test_labels_that_are_refused(tree: Callable[..., Path], content: Any, said: str) -> None:
    root = tree()
    (root / "vispr_refined_c2" / FOLDER / "test2017_labels.pkl").write_bytes(pickle.dumps(content))
    with pytest.raises(DataError, match=said):
        list(HrVispr(root=str(root)).entries())


def test_a_missing_layout_is_told(tmp_path: Path) -> None:
    (tmp_path / "hello").mkdir()
    with pytest.raises(DataError, match=rf"expected {FOLDER}/train2017_labels.pkl .*found hello/; a CSV is read"):
        list(HrVispr(root=str(tmp_path)).entries())
    with pytest.raises(ValueError, match="root must not be empty"):
        HrVispr(root="")
    with pytest.raises(ValueError, match="limit"):
        HrVispr(root="x", limit=0)


def test_labels_of_a_derivation(tree: Callable[..., Path], tmp_path: Path) -> None:
    root = tree("images", FOLDER)
    csv = tmp_path / "derived.csv"
    csv.write_text(
        "file,split,labels\nimages/test2017/2017_4.jpg,validation,age|face\nimages/val2017/2017_3.jpg,train,\n"
    )
    hr = HrVispr(root=str(root), labels=str(csv))
    assert list(hr.entries()) == [
        Entry("images/test2017/2017_4.jpg", split="validation", labels=frozenset({"age", "face"})),
        Entry("images/val2017/2017_3.jpg", split="train"),
    ]
    for text, said in (
        ("file,labels\n", "expected the columns file, split and labels, found file, labels"),
        ("file,split,labels\nimages/test2017/2017_4.jpg,test,ages\n", "line 2: the label 'ages' .* mean age"),
        ("file,split,labels\nimages/test2017/2017_9.jpg,test,age\n", "no file"),
    ):
        csv.write_text(text)
        with pytest.raises(DataError, match=said):
            list(hr.__class__(root=str(root), labels=str(csv)).entries())


@pytest.mark.parametrize("above", ["", "vispr_refined_c2/"])
def test_objects(tree: Callable[..., Path], above: str) -> None:
    root = tree()
    before = scan(HrVispr(root=str(root)), cache=None)["annotation"].to_pylist()
    texts = root / f"{above}object_detection_utility_labels"
    (texts / "train_labels").mkdir(parents=True)
    (texts / "train_labels" / "2017_1.txt").write_text("0 0.5 0.5 0.5 1\n2 0.25 0.5 0.1 0.1\n")
    hr = HrVispr(root=str(root))
    assert hr.meta.has == {"labels", "splits", "objects"}
    one, two, *_ = hr.entries()
    found = hr.objects(one.path)
    assert isinstance(found, Detections) and found.labels == ("person", "car")
    assert found.boxes[0].tolist() == [5, 0, 15, 10]
    nothing = hr.objects(two.path)
    assert isinstance(nothing, Detections) and len(nothing) == 0
    assert before == ["", "", "", ""] and len(one.annotation) == 32 and two.annotation == ""
    (texts / "train_labels" / "2017_2.txt").write_text("12 0.5 0.5 0.5 1\n")
    wrong = hr.objects(two.path)
    assert isinstance(wrong, Failure) and "number from 0 to 9, not '12'" in wrong.detail
    (root / two.path).write_bytes(b"")
    assert isinstance(hr.objects(two.path), Failure)
    check_component("datasets", hr)
