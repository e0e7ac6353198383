from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from unveil import api
from unveil.core.errors import DataError, StoreError
from unveil.datasets.derivation_files import notes, read_source
from unveil.datasets.hr_vispr import HrVispr

TABLE = (
    "split,id,labels\n"
    "train2017,2017_1,a4_gender|a9_face_complete\n"
    "train2017,2017_2,a0_safe\n"
    "val2017,2017_3,a55_religion\n"
    "test2017,2017_4,\n"
)


def write(folder: Path, text: str, name: str = "labels.csv") -> Path:
    file = folder / name
    file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return file


@pytest.mark.parametrize("name", ["labels.csv", "labels.csv.gz"])
def test_a_table_of_annotations(tmp_path: Path, name: str) -> None:
    assert read_source(write(tmp_path, TABLE, name)) == {
        ("train2017", "2017_1"): {"a4_gender", "a9_face_complete"},
        ("train2017", "2017_2"): {"a0_safe"},
        ("val2017", "2017_3"): {"a55_religion"},
        ("test2017", "2017_4"): frozenset(),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no pictures"),
        ("split,id,labels\n", "no pictures"),
        ("id,labels\n", "line 1: expected the columns split, id, labels, found id, labels"),
        ("split,id,labels\ntrain,a,\n", "line 2: expected one of train2017"),
        ("split,id,labels\ntrain2017,a\n", "line 2: expected"),
        ("split,id,labels\ntrain2017,a,face\n", "line 2: the label 'face' is not known"),
        ("split,id,labels\ntrain2017,a,\ntrain2017,a,\n", "line 3: the picture 'a' of train2017 stands twice"),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_source(write(tmp_path, text))


def test_files_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent.csv: No such file"):
        read_source(tmp_path / "absent.csv")
    file = write(tmp_path, TABLE, "labels.csv.gz")
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(DataError, match=r"labels.csv.gz: "):
        read_source(file)
    file.write_text("no archive")
    with pytest.raises(DataError, match="Not a gzipped file"):
        read_source(file)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"expected annotations/train2017/<id>.json"):
        read_source(tmp_path / "empty")


def test_labels_and_report(tmp_path: Path) -> None:
    sheet = write(tmp_path, "file,casual clothing\n2017_1,1\n", "sheet.csv")
    derived = api.derive_hr_vispr(write(tmp_path, TABLE), tmp_path / "out", annotations=[sheet])
    assert (tmp_path / "out" / "labels.csv").read_text() == (
        "file,split,labels\n"
        "images/train2017/2017_1.jpg,train,face|gender|casual clothing\n"
        "images/train2017/2017_2.jpg,train,\n"
        "images/val2017/2017_3.jpg,validation,religion\n"
    )
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["published"] == {"train": 7110, "validation": 1000, "test": 2000, "safe": 788}
    assert report["notes"] == notes(derived) and len(report["steps"]) == 7
    assert report["steps"][2]["dropped"] == {"no attribute of a person": 1}
    assert "nobody decided about clothing in 1 of 2 pictures of people" in report["notes"][4]
    page = (tmp_path / "out" / "report.md").read_text()
    assert "| 2 | 1 | no attribute of a person |" in page and "| 4 | 1 | + casual clothing |" in page
    assert "| casual clothing | 0 | 1 | 1 | 1 |" in page and f"- {report['notes'][0]}" in page
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write to"):
        api.derive_hr_vispr(tmp_path / "labels.csv", tmp_path / "file")


def test_the_dataset_reads_what_the_command_writes(tmp_path: Path) -> None:
    from PIL import Image

    for name in ("train2017/2017_1", "train2017/2017_2", "val2017/2017_3", "test2017/2017_4"):
        picture, note = tmp_path / f"{name}.jpg", tmp_path / f"annotations/{name}.json"
        for file in (picture, note):
            file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8)).save(picture)
        labels = {"2017_1": ["a4_gender"], "2017_2": ["a0_safe"]}.get(note.stem, ["a16_race"])
        note.write_text(json.dumps({"id": note.stem, "labels": labels}))
    command = [sys.executable, "-m", "unveil", "dataset", "derive-hr-vispr", str(tmp_path), str(tmp_path / "out")]
    done = subprocess.run([*command, "--safe", "1"], capture_output=True, text=True, check=True)
    assert "thirteen labels of people reused" in done.stdout and "1 of 1 here, 788 published" in done.stdout
    hr = HrVispr(root=str(tmp_path), labels="out/labels.csv")
    assert [(e.path, e.split, sorted(e.labels)) for e in hr.entries()] == [
        ("test2017/2017_4.jpg", "test", ["race"]),
        ("train2017/2017_1.jpg", "train", ["gender"]),
        ("train2017/2017_2.jpg", "train", []),
        ("val2017/2017_3.jpg", "validation", ["race"]),
    ]
    failed = subprocess.run([*command, "--annotations", "absent.db"], capture_output=True, text=True, check=False)
    assert failed.returncode == 2 and "no such file" in failed.stderr and "Traceback" not in failed.stderr
