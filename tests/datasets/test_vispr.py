"""VISPR's layout on made trees, with the published annotations where they are at hand."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from unveil.core.errors import DataError
from unveil.core.protocols import Entry
from unveil.core.scenes import VISPR_LABELS
from unveil.datasets.vispr import SPLITS, Vispr, read_annotations
from unveil.datasets.vispr_attributes import ATTRIBUTES, BASELINE
from unveil.registry import build
from unveil.testing import check_component

SHOWN = {
    "train2017/2017_1": ["a4_gender", "a10_face_partial", "a30_credit_card"],
    "train2017/2017_2": ["a0_safe"],
    "val2017/2017_3": [],
    "test2017/2017_4": ["a64_rel_personal"],
}


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Path]:
    """``tree(above)`` writes annotations and pictures, the latter below ``above``."""

    def make(above: str = "images/") -> Path:
        for name, labels in SHOWN.items():
            note, picture = tmp_path / f"annotations/{name}.json", tmp_path / f"{above}{name}.jpg"
            for file in (note, picture):
                file.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(json.dumps({"id": note.stem, "image_path": "/etc/passwd", "labels": labels}))
            Image.new("RGB", (12, 8)).save(picture)
        return tmp_path

    return make


@pytest.mark.parametrize("above", ["images/", ""])
def test_all_attributes(tree: Callable[..., Path], above: str) -> None:
    vispr = Vispr(root=str(tree(above)))
    assert vispr.meta.labels == ATTRIBUTES and len(set(ATTRIBUTES)) == 68
    assert list(vispr.entries()) == [
        Entry(f"{above}{name}.jpg", split=SPLITS[name.split("/")[0]], labels=frozenset(labels))
        for name, labels in SHOWN.items()
    ]
    check_component("datasets", vispr)
    assert [e.path for e in Vispr(root=str(vispr.root), limit=1).entries()] == [
        f"{above}{name}.jpg" for name in SHOWN if name != "train2017/2017_2"
    ]


def test_the_baseline_has_seven_labels(tree: Callable[..., Path]) -> None:
    baseline = build("datasets", "vispr.baseline", {"root": str(tree())})
    assert baseline.meta.labels == VISPR_LABELS and tuple(BASELINE.values()) == VISPR_LABELS
    assert set(BASELINE) < set(ATTRIBUTES)
    assert [sorted(e.labels) for e in baseline.entries()] == [
        ["gender", "partial face"],
        [],
        [],
        ["personal relationship"],
    ]


def test_what_is_refused(tree: Callable[..., Path]) -> None:
    root = tree()
    note = root / "annotations" / "train2017" / "2017_1.json"
    for text, said in (
        ("{", "not JSON"),
        ("[]", "expected a record with a list 'labels'"),
        ('{"labels": [1]}', "list 'labels'"),
        ('{"id": "2017_9", "labels": []}', "is about the picture '2017_9'"),
        ('{"id": "2017_1", "labels": ["a4_gendr"]}', "the label 'a4_gendr' is not known; did you mean a4_gender"),
    ):
        note.write_text(text)
        with pytest.raises(DataError, match=f"annotations/train2017/2017_1.json: .*{said}"):
            list(Vispr(root=str(root)).entries())
    note.unlink()
    (root / "images" / "train2017" / "2017_2.jpg").unlink()
    with pytest.raises(DataError, match=r"1 of 1 pictures of train2017 are not in .*2017_2.jpg' first"):
        list(Vispr(root=str(root)).entries())
    shutil.rmtree(root / "annotations" / "val2017")
    with pytest.raises(DataError, match=r"expected annotations/val2017/<id>.json .* found annotations/, images/"):
        list(Vispr(root=str(root)).entries())
    (root / "annotations" / "val2017").mkdir()
    (root / "annotations" / "val2017" / "x.json").symlink_to("/etc/hostname")
    with pytest.raises(DataError, match="leads out"):
        read_annotations(root)


def test_parameters_that_are_refused() -> None:
    for parameters, said in (
        ({"root": ""}, "root must not be empty"),
        ({"root": "x", "labels": "some"}, "labels must be all or baseline, not 'some'"),
        ({"root": "x", "limit": 0}, "limit"),
    ):
        with pytest.raises(ValueError, match=said):
            Vispr(**parameters)  # type: ignore[arg-type]


def test_the_published_table_and_annotations(shared_data: Path, tmp_path: Path) -> None:
    published = shared_data / "vispr"
    with (published / "attributes.tsv").open(newline="") as stream:
        assert tuple(row["attribute_id"] for row in csv.DictReader(stream, delimiter="\t")) == ATTRIBUTES
    lists = {split: (published / f"{split}.txt").read_text().split() for split in SPLITS}
    for split, paths in lists.items():
        for path in paths:
            if (example := published / "examples" / Path(path).name).is_file():
                (tmp_path / "annotations" / split).mkdir(parents=True, exist_ok=True)
                shutil.copyfile(example, tmp_path / path)
    found = read_annotations(tmp_path)
    assert len(found) == 24 and found["train2017", "2017_10048814"] == {"a0_safe"}
