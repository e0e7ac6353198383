from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unveil.core.errors import ConfigError, DataError
from unveil.core.protocols import Entry
from unveil.datasets import COMPONENTS
from unveil.datasets.folder import Folder
from unveil.datasets.index import samples_frame, scan
from unveil.registry import build


def entries(**parameters: Any) -> list[Entry]:
    return list(Folder(**{**parameters, "root": str(parameters["root"])}).entries())


def write(root: Path, text: str, name: str = "labels.csv", encoding: str = "utf-8") -> str:
    (root / name).write_bytes(text.encode(encoding))
    return name


def test_people_in_folders(plant: Callable[..., Path]) -> None:
    root = plant("Ana/1.jpg", "Ana/2.jpg", "Bo/1.png")
    (root / "Bo" / "readme.txt").write_text("passed over")
    folder = Folder(root=str(root))
    assert list(folder.entries()) == [
        Entry("Ana/1.jpg", "Ana"),
        Entry("Ana/2.jpg", "Ana"),
        Entry("Bo/1.png", "Bo"),
    ]
    assert folder.root == root and folder.pairs() == []
    assert folder.meta.name == "folder" and folder.meta.groupings == () and folder.meta.has == {"identity"}


def test_a_pattern_of_ones_own(plant: Callable[..., Path]) -> None:
    root = plant("val/Tall/p1_a.jpg", "train/Short/p2_b.jpg")
    folder = Folder(root=str(root), pattern="{split}/{size}/{identity}_{file}")
    assert list(folder.entries()) == [
        Entry("train/Short/p2_b.jpg", "p2", "train", {"size": "Short"}),
        Entry("val/Tall/p1_a.jpg", "p1", "validation", {"size": "Tall"}),
    ]
    assert folder.meta.groupings == ("size",) and folder.meta.has == {"identity", "demographics"}


def test_bfw_and_demogpairs_have_one_spelling(plant: Callable[..., Path]) -> None:
    groups = [(r, g) for r in ("white", "black", "asian", "indian") for g in ("females", "males")]
    bfw = build(
        "datasets", "bfw", {"root": str(plant(*(f"{r}_{g}/n1{i}/0010_01.jpg" for i, (r, g) in enumerate(groups))))}
    )
    found = {(e.attributes["race"], e.attributes["gender"]) for e in bfw.entries()}
    assert found == {(r, g) for r in ("White", "Black", "Asian", "Indian") for g in ("Female", "Male")}
    assert bfw.meta.name == "BFW" and bfw.meta.groupings == ("race", "gender")
    assert "Robinson" in bfw.meta.source.citation and bfw.meta.source.licence and bfw.meta.source.url


def test_demogpairs(plant: Callable[..., Path]) -> None:
    root = plant("Asian_Females/n1/1.jpg", "Black_Males/n2/1.jpg", "White_Females/n3/1.jpg")
    demogpairs = build("datasets", "demogpairs", {"root": str(root)})
    assert [tuple(e.attributes.values()) for e in demogpairs.entries()] == [
        ("Asian", "Female"), ("Black", "Male"), ("White", "Female"),
    ]  # fmt: skip
    assert "Hupont" in demogpairs.meta.source.citation


def test_a_group_that_bfw_does_not_have_is_named(plant: Callable[..., Path]) -> None:
    bfw = build("datasets", "bfw", {"root": str(plant("latino_males/n1/1.jpg"))})
    with pytest.raises(
        DataError, match=r"latino_males/n1/1\.jpg': race 'latino' is not one of white, black, asian"
    ):
        list(bfw.entries())


def test_female_is_not_found_inside_another_word(plant: Callable[..., Path]) -> None:
    found = entries(
        root=plant("nonmale/a/1.jpg", "FEMALE/b/1.jpg", "m/c/1.jpg"), pattern="{gender}/{identity}/{file}"
    )
    assert [e.attributes["gender"] for e in found] == ["Female", "Male", "nonmale"]


def test_wrong_layouts_say_what_was_expected_and_found(plant: Callable[..., Path]) -> None:
    root = plant("lfw/Ana/1.jpg")
    with pytest.raises(
        DataError, match=r"'lfw/Ana/1\.jpg': the path does not fit the layout '\{identity\}/\{file\}'"
    ):
        entries(root=root)
    (root / "empty").mkdir()
    with pytest.raises(DataError, match=r"expected pictures as '\{identity\}/\{file\}' in .*, found nothing"):
        entries(root=root / "empty")
    with pytest.raises(DataError, match=r"cannot list 'data'.*found there: empty/, lfw/"):
        entries(root=root, pattern="data/{identity}/{file}")
    with pytest.raises(DataError, match="is not a folder"):
        entries(root=root / "none")


def test_a_csv_lists_pictures(plant: Callable[..., Path]) -> None:
    root = plant("x/1.jpg", "x/2.jpg", "x/not-listed.jpg")
    text = 'path,identity,split,gender,hair\r\n./x/2.jpg,Ana,test, F ,\r\n\r\nx/1.jpg,Bo,,man,"long, grey"\r\n'
    for encoding in ("utf-8", "utf-8-sig"):
        folder = Folder(root=str(root), labels=write(root, text, encoding=encoding))
        assert list(folder.entries()) == [
            Entry("x/2.jpg", "Ana", "test", {"gender": "Female"}),
            Entry("x/1.jpg", "Bo", "", {"gender": "Male", "hair": "long, grey"}),
        ]
        assert folder.meta.groupings == ("gender",) and folder.meta.has == {"identity", "demographics"}


def test_a_csv_outside_of_the_root_with_chosen_columns(plant: Callable[..., Path], tmp_path: Path) -> None:
    root = plant("1.jpg")
    write(tmp_path, "file,tone,width\n1.jpg,dark,12\n", "outside.csv")
    folder = Folder(root=str(root), labels=str(tmp_path / "outside.csv"), attributes=["tone"])
    assert list(folder.entries()) == [Entry("1.jpg", "", "", {"tone": "dark"})]
    assert folder.meta.groupings == ("tone",) and folder.meta.has == {"demographics"}


def test_a_csv_describes_people(plant: Callable[..., Path]) -> None:
    root = plant("Ana/1.jpg", "Ana/2.jpg", "Bo/1.jpg")
    folder = Folder(root=str(root), labels=write(root, "identity,gender,age\nAna,F,30\nnot there,M,40\n"))
    assert list(folder.entries()) == [
        Entry("Ana/1.jpg", "Ana", "", {"gender": "Female", "age": "30"}),
        Entry("Ana/2.jpg", "Ana", "", {"gender": "Female", "age": "30"}),
        Entry("Bo/1.jpg", "Bo"),
    ]
    assert folder.meta.groupings == ("gender",) and folder.meta.has == {"identity", "demographics"}


def test_pattern_and_csv_together(plant: Callable[..., Path]) -> None:
    root = plant("white/Ana/1.jpg")
    labels = write(root, "path,gender\nwhite/Ana/1.jpg,F\n")
    folder = Folder(root=str(root), pattern="{race}/{identity}/{file}", labels=labels, groupings=["gender"])
    assert list(folder.entries()) == [Entry("white/Ana/1.jpg", "Ana", "", {"race": "White", "gender": "Female"})]
    assert folder.meta.groupings == ("gender",)


def test_values_are_written_by_an_explicit_table(plant: Callable[..., Path]) -> None:
    root = plant("1.jpg")
    labels = write(root, "path,group\n1.jpg,1\n")
    assert entries(root=root, labels=labels, values={"group": {1: "Old"}})[0].attributes == {"group": "Old"}
    with pytest.raises(DataError, match=r"labels\.csv line 2: group '1' is not one of 0"):
        entries(root=root, labels=labels, values={"group": {"0": "Old"}})


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "the file is empty"),
        ("name,gender\n1.jpg,F\n", "line 1: expected a column 'path' or 'file' .*found: name, gender"),
        ("Path,gender\n1.jpg,F\n", "rename 'Path'"),
        ("path;gender\n1.jpg;F\n", "separate the columns by commas, not by ';'"),
        ("path,gender,gender\n1.jpg,F,F\n", "line 1: column 'gender' is nameless or stands twice"),
        ("path,\n1.jpg,F\n", "line 1: column '' is nameless"),
        ("path,gender\n1.jpg\n", "line 2: 1 fields, the header has 2"),
        ("path,gender\n1.jpg,F,x\n", "line 2: 3 fields"),
        ("path\n1.jpg\n2.jpg\n", r"line 3: no file '2\.jpg'"),
        ("path\n1.jpg\n1.jpg\n", r"line 3: path '1\.jpg' stands already in line 2"),
        ("path\n1.jpg\n./1.jpg\n", r"line 3: '1\.jpg' stands already in labels\.csv line 2"),
        ("path\n../secret.jpg\n", r"line 2: path '\.\./secret\.jpg' leads out"),
        ("path\n/etc/passwd\n", "line 2: path '/etc/passwd' leads out"),
        ("path,split\n1.jpg,all\n", "line 2: split 'all' is not one of train, validation, test"),
        ("path,a+b\n1.jpg,1\n", r"'a\+b' cannot be an attribute"),
        ('path,gender\n"1.jpg,F\n', "line 2: unexpected end of data"),
        ("path\n" + "n" * 300 + ".jpg\n", "line 2: no file 'nnn"),
        ("path\n", "expected rows in labels.csv in .*, found 1.jpg, labels.csv"),
    ],
)  # fmt: skip
def test_tables_that_are_wrong(plant: Callable[..., Path], text: str, said: str) -> None:
    root = plant("1.jpg")
    with pytest.raises(DataError, match=said):
        entries(root=root, labels=write(root, text))


def test_more_wrong_tables(plant: Callable[..., Path]) -> None:
    root = plant("Ana/1.jpg")
    with pytest.raises(DataError, match=r"labels.*No such file"):
        entries(root=root, labels="labels.csv")
    with pytest.raises(DataError, match=r"byte 9 is not UTF-8"):
        entries(root=root, labels=write(root, "identity\nÄ\n", encoding="latin-1"))
    with pytest.raises(DataError, match="identity 'Ana' stands already in line 2"):
        entries(root=root, labels=write(root, "identity,age\nAna,1\nAna,2\n"))
    with pytest.raises(DataError, match=r"labels\.csv: describes ana, bo, but none of the 1 people in .*: Ana"):
        entries(root=root, labels=write(root, "identity,age\nbo,1\nana,2\n"))
    labels = write(root, "identity,age\nAna,1\n")
    with pytest.raises(DataError, match="no attribute 'gender'; it has age"):
        entries(root=root, labels=labels, attributes=["gender"])
    with pytest.raises(DataError, match="grouping 'race' is not an attribute; it has age"):
        entries(root=root, labels=labels, groupings=["race"])


@pytest.mark.parametrize(
    "parameters, said",
    [
        ({"root": ""}, "root and name must not be empty"),
        ({"name": ""}, "root and name must not be empty"),
        ({"limit": 0}, "limit must be an integer of at least 1, not 0"),
        ({"pattern": "{identity}"}, "must have {file} once"),
        ({"pattern": "{width}/{file}"}, "'width' cannot be an attribute"),
        ({"attributes": ["gender"]}, "labels is not given"),
        ({"groupings": "gender"}, "groupings must be a list of names, not 'gender'"),
        ({"values": {"gender": "Female"}}, "must be a table"),
        ({"nonsense": 1}, "unknown parameter 'nonsense'"),
    ],
)
def test_parameters_that_break_their_rule(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build("datasets", "folder", {"root": "x", **parameters})


def test_a_limit_keeps_whole_people_of_every_group(plant: Callable[..., Path]) -> None:
    paths = [f"{r}_{g}/{r[0]}{g[0]}{i}/{n}.jpg" for r in ("black", "white") for g in ("females", "males")
             for i in range(3) for n in range(2)]  # fmt: skip
    found = list(build("datasets", "bfw", {"root": str(plant(*paths)), "limit": 5}).entries())
    assert [e.identity for e in found[::2]] == ["bf0", "bf1", "bm0", "wf0", "wm0"] and len(found) == 10


NOBODY_TWICE = {"affectnet", "fairface", "utkface"}
"""Datasets about attributes, which do not say who is shown."""

SCENES = {"coco", "hr_vispr", "sample-scenes", "vispr", "vispr.baseline"}


@pytest.mark.parametrize("name", sorted(COMPONENTS.keys() - SCENES))
def test_every_registered_dataset_of_faces_says_where_it_comes_from(plant: Callable[..., Path], name: str) -> None:
    meta = build("datasets", name, {} if name == "sample-faces" else {"root": str(plant("1.jpg"))}).meta
    assert meta.name and meta.version >= 1 and ("identity" in meta.has) == (name not in NOBODY_TWICE)
    assert bool(meta.source.citation) == bool(meta.source.licence) == (name != "folder")


def genders(shared_data: Path, source: str, tmp_path: Path) -> tuple[Any, list[dict[str, str]]]:
    root = shared_data / "faces" / source
    folder = Folder(root=str(root), labels="labels.csv", attributes=["gender", "race"], name=source)
    with (root / "labels.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return samples_frame(scan(folder, cache=tmp_path)), rows


def test_real_photos_of_celeba(shared_data: Path, tmp_path: Path) -> None:
    frame, rows = genders(shared_data, "celeba_wild", tmp_path)
    assert list(frame.index) == [row["file"] for row in rows] and (frame["status"] == "ok").all()
    assert frame["content_hash"].tolist() == [row["sha256"] for row in rows]
    assert frame["width"].tolist() == [int(row["width"]) for row in rows]
    assert frame.groupby("gender")["identity"].nunique().to_dict() == {"Female": 32, "Male": 32}


def test_real_photos_of_lfw(shared_data: Path, tmp_path: Path) -> None:
    frame, rows = genders(shared_data, "lfw_gray", tmp_path)
    assert len(frame) == len(rows) and (frame["status"] == "ok").all() and frame["identity"].nunique() == 61
    assert set(frame["race"]) == {row["race"] for row in rows}
    assert (frame[["width", "height"]] == 350).all().all()


def test_columns_that_samples_have_anyway_are_left_out_unless_asked_for(plant: Callable[..., Path]) -> None:
    root = plant("1.jpg")
    (root / "labels.csv").write_text("path,gender,width\n1.jpg,F,20\n", encoding="utf-8")
    (entry,) = Folder(root=str(root), labels="labels.csv").entries()
    assert dict(entry.attributes) == {"gender": "Female"}
    with pytest.raises(DataError, match="'width' cannot be an attribute"):
        list(Folder(root=str(root), labels="labels.csv", attributes=["width"]).entries())
