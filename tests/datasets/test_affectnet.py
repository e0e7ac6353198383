"""AffectNet: the lists of the whole dataset, and the arrays of the reduced distribution."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.errors import ConfigError, DataError
from unveil.core.protocols import Entry
from unveil.datasets.affectnet import EXPRESSIONS, NO_EXPRESSION, AffectNet
from unveil.registry import build

HEADER = "subDirectory_filePath,face_x,face_y,face_width,face_height,facial_landmarks,expression,valence,arousal\n"
CODES = {0: "neutral", 1: "happy", 2: "sad", 3: "surprise", 4: "fear", 5: "disgust", 6: "angry", 7: "contempt",
         8: "none", 9: "uncertain", 10: "non-face"}  # fmt: skip


def line(code: int, valence: str = "0.25", arousal: str = "-0.5") -> str:
    return f"{code}/{'ab'[code % 2]}{code}.jpg,1,2,90,90,1.5;2.5;3;4,{code},{valence},{arousal}\n"


VALIDATION = "".join(line(code) if code < 8 else line(code, "-2", "-2") for code in CODES)


def picture(code: int) -> str:
    return line(code).partition(",")[0]


def read(root: Path, **parameters: Any) -> list[Entry]:
    return list(AffectNet(root=str(root), **parameters).entries())


@pytest.fixture
def lists(plant: Callable[..., Path]) -> Path:
    """The whole dataset; the lists as published, the second without column names."""
    images = "Manually_Annotated/Manually_Annotated_Images"
    root = plant(*(f"{images}/{picture(code)}" for code in CODES), f"{images}/1/x.JPG")
    (root / "Manually_Annotated_file_lists").mkdir()
    (root / "Manually_Annotated_file_lists" / "training.csv").write_text(HEADER + "1/x.JPG,1,2,3,4,5;6,1,0.75,0\n")
    (root / "Manually_Annotated_file_lists" / "validation.csv").write_text(VALIDATION)
    return root


@pytest.fixture
def arrays(plant: Callable[..., Path]) -> Path:
    """The reduced distribution: text in one array, numbers in the others."""
    root = plant("val_set/images/0.jpg", "val_set/images/12.jpg", "train_set/images/3.jpg")
    for path, code, valence in (("val_set", "0", 6), ("val_set", "12", 1), ("train_set", "3", 2)):
        folder = root / path / "annotations"
        folder.mkdir(exist_ok=True)
        np.save(folder / f"{code}_exp.npy", np.array(str(valence)))
        np.save(folder / f"{code}_val.npy", np.array(0.25))
        np.save(folder / f"{code}_aro.npy", np.array("-0.5"))
        np.save(folder / f"{code}_lnd.npy", np.zeros(136))
    return root


def test_the_eight_expressions_of_the_lists(lists: Path) -> None:
    entries = read(lists)
    assert [entry.attributes["expression"] for entry in entries] == [CODES[code] for code in range(8)]
    assert entries[1] == Entry(
        f"Manually_Annotated/Manually_Annotated_Images/{picture(1)}",
        split="validation",
        attributes={"expression": "happy", "valence": "0.25", "arousal": "-0.5"},
    )
    affectnet = AffectNet(root=str(lists))
    assert affectnet.root == lists and affectnet.pairs() == [] and affectnet.meta.groupings == ("expression",)


def test_words_are_those_of_the_estimators() -> None:
    emotions = {"angry", "disgust", "fear", "happy", "sad", "surprise", "neutral"}
    assert set(EXPRESSIONS) == emotions | {"contempt"}
    assert list(CODES.values()) == [*EXPRESSIONS, *NO_EXPRESSION]


def test_pictures_without_expression_come_when_asked_for(lists: Path) -> None:
    entries = read(lists, expressions=["happy", *NO_EXPRESSION])
    assert [dict(entry.attributes) for entry in entries] == [
        {"expression": "happy", "valence": "0.25", "arousal": "-0.5"},
        *({"expression": word} for word in NO_EXPRESSION),
    ]


def test_splits_of_the_lists(lists: Path) -> None:
    (entry,) = read(lists, split="train")
    assert entry.path.endswith("1/x.JPG") and entry.split == "train" and entry.attributes["valence"] == "0.75"
    assert {entry.split for entry in read(lists, split="all")} == {"train", "validation"}


def test_lists_with_other_columns_in_the_root(plant: Callable[..., Path]) -> None:
    root = plant("Manually_Annotated_Images/7/a.jpg")
    (root / "validation.csv").write_text("expression,subDirectory_filePath\n7,7/a.jpg\n\n7,7/a.jpg\n")
    (entry,) = read(root)
    assert entry.path == "Manually_Annotated_Images/7/a.jpg" and entry.attributes == {"expression": "contempt"}


def test_a_left_out_picture_need_not_be_there(lists: Path) -> None:
    (lists / "Manually_Annotated/Manually_Annotated_Images" / picture(9)).unlink()
    assert len(read(lists)) == 8
    with pytest.raises(DataError, match=rf"1 of 1 pictures of validation are not in .*{picture(9)}' first"):
        read(lists, expressions=["uncertain"])


def test_a_limit_takes_expressions_in_turn(lists: Path) -> None:
    file = lists / "Manually_Annotated_file_lists" / "validation.csv"
    file.write_text(VALIDATION.replace("3;4,0,", "3;4,1,"))
    assert [e.attributes["expression"] for e in read(lists, limit=3)] == ["happy", "sad", "surprise"]


def test_arrays(arrays: Path) -> None:
    known = {"valence": "0.25", "arousal": "-0.5"}
    assert read(arrays) == [
        Entry("val_set/images/0.jpg", split="validation", attributes={"expression": "angry", **known}),
        Entry("val_set/images/12.jpg", split="validation", attributes={"expression": "happy", **known}),
    ]
    both = [entry.path for entry in read(arrays, split="all")]
    assert both == ["train_set/images/3.jpg", "val_set/images/0.jpg", "val_set/images/12.jpg"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("3;4,1,", "3;4,11,", r"validation\.csv line 2: expression '11' is not a whole number from 0 to 10"),
        ("3;4,1,", "3;4,1.5,", "line 2: expression '1.5' is not a whole number from 0 to 10"),
        ("3;4,1,", "3;4,nan,", "line 2: expression 'nan' is not a whole number from 0 to 10"),
        ("3;4,1,", "3;4,happy,", "line 2: expression must be a number, not 'happy'"),
        (
            "3;4,1,0.25",
            "3;4,1,1.5",
            "line 2: valence must be from -1 to 1, or -2 where it is not known, not '1.5'",
        ),
        ("3;4,1,0.25", "3;4,1,nan", "line 2: valence must be from -1 to 1"),
        ("1/b1.jpg", "1/none.jpg", r"1 of 8 pictures of validation are not in .*1/none\.jpg' first"),
        ("1/b1.jpg", "../../../b.jpg", r"line 2: path '.*\.\./b\.jpg' leads out of the dataset's folder"),
        ("1/b1.jpg", "/etc/b.jpg", r"line 2: path '/etc/b\.jpg' leads out of the dataset's folder"),
        ("1/b1.jpg", "", "line 2: '' is not the path of a file"),
        ("1/b1.jpg", "0/a0.jpg", "line 2: '0/a0.jpg' is happy here and neutral above"),
        ("1/b1.jpg,1", "1/b1.jpg", "line 2: expected subDirectory_filePath, .*, arousal, found 8 fields"),
        ("1/b1.jpg", '"1/b1.jpg', r"validation\.csv line \d+: "),
    ],
)
def test_what_is_wrong_in_a_list_is_named(lists: Path, old: str, new: str, said: str) -> None:
    (lists / "Manually_Annotated_file_lists" / "validation.csv").write_text(VALIDATION.replace(old, new, 1))
    with pytest.raises(DataError, match=said):
        read(lists)


def test_a_list_that_cannot_be_read(lists: Path) -> None:
    file = lists / "Manually_Annotated_file_lists" / "validation.csv"
    file.write_bytes(b"1/b1.jpg\xff")
    with pytest.raises(DataError, match=r"validation\.csv: byte 8 is not UTF-8"):
        read(lists)
    file.write_text("subDirectory_filePath,emotion\n")
    with pytest.raises(
        DataError, match=r"line 1: expected a column 'expression', found subDirectory_filePath, emo"
    ):
        read(lists)
    file.write_text(line(9))
    with pytest.raises(DataError, match="AffectNet: no picture of validation is happy or sad; found 1 uncertain"):
        read(lists, expressions=["sad", "happy"])


def test_a_folder_with_neither_layout(plant: Callable[..., Path]) -> None:
    root = plant("test_set/images/1.jpg")
    with pytest.raises(
        DataError,
        match=r"expected validation\.csv with Manually_Annotated_Images, or val_set, in .*, found test_set/",
    ):
        read(root)
    with pytest.raises(DataError, match=r"AffectNet: root .*nowhere' is not a folder"):
        read(root / "nowhere")


def test_arrays_and_pictures_belong_together(arrays: Path) -> None:
    (arrays / "val_set" / "images" / "12.jpg").rename(arrays / "val_set" / "images" / "13.jpg")
    with pytest.raises(DataError, match="AffectNet: 1 of val_set have no annotation: '13' first"):
        read(arrays)
    (arrays / "val_set" / "images" / "13.jpg").unlink()
    with pytest.raises(DataError, match="AffectNet: 1 of val_set have no picture: '12' first"):
        read(arrays)
    (arrays / "val_set" / "annotations" / "12_exp.npy").unlink()
    (arrays / "val_set" / "annotations" / "0_aro.npy").unlink()
    with pytest.raises(DataError, match=r"'val_set/annotations/0_aro\.npy': 0_aro\.npy: No such file"):
        read(arrays)


def spoil(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (spoil(np.array(["6", None], dtype=object)), "not an array of numbers or text in the format npy"),
        (b"", "not an array of numbers or text in the format npy"),
        (b"\x80\x04cos\nsystem\n(S'true'\ntR.", "not an array of numbers or text in the format npy"),
        (spoil(np.zeros(2)), "expected one value, found 2"),
        (spoil(np.array("angry")), "expression must be a number, not 'angry'"),
        (spoil(np.array(12)), "expression '12' is not a whole number from 0 to 10"),
    ],
)
def test_what_is_wrong_in_an_array_is_named(arrays: Path, data: bytes, said: str) -> None:
    (arrays / "val_set" / "annotations" / "0_exp.npy").write_bytes(data)
    with pytest.raises(DataError, match=f"val_set/annotations/0_.*{said}"):
        read(arrays)


def test_an_array_that_promises_more_than_the_file_holds(arrays: Path) -> None:
    stream = io.BytesIO()
    head = {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
    np.lib.format.write_array_header_1_0(stream, head)
    (arrays / "val_set" / "annotations" / "0_exp.npy").write_bytes(stream.getvalue() + bytes(8))
    with pytest.raises(DataError, match="not an array of numbers or text in the format npy"):
        read(arrays)


@pytest.fixture(scope="module")
def one_array(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("affectnet")
    for folder in ("images", "annotations"):
        (root / "val_set" / folder).mkdir(parents=True)
    (root / "val_set" / "images" / "0.jpg").write_bytes(b"is not opened")
    for ending in ("exp", "val", "aro"):
        np.save(root / "val_set" / "annotations" / f"0_{ending}.npy", np.array("0"))
    return root


@pytest.mark.filterwarnings("ignore:Reading `.npy`")  # numpy: of heads that look like those of Python 2
@given(st.dictionaries(st.integers(0, 131), st.integers(0, 255), min_size=1, max_size=4))
def test_a_damaged_array_is_an_error_of_the_data_or_a_value(one_array: Path, damage: dict[int, int]) -> None:
    data = bytearray(spoil(np.array("0")))
    for place, byte in damage.items():
        data[place] = byte
    (one_array / "val_set" / "annotations" / "0_exp.npy").write_bytes(data)
    try:
        (entry,) = read(one_array, expressions=[*EXPRESSIONS, *NO_EXPRESSION])
    except DataError as error:
        assert "val_set/annotations/0_" in str(error)
    else:
        assert entry.attributes["expression"] in CODES.values()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"root": ""}, "root must not be empty"),
        ({"split": "test"}, "split must be train, validation or all, not 'test'"),
        ({"expressions": ["anger"]}, r"expressions must be some of neutral, happy, .*, not \['anger'\]"),
        ({"expressions": []}, r"expressions must be some of .*, not \[\]"),
        ({"expressions": "happy"}, "expressions must be some of .*, not 'happy'"),
        ({"limit": -1}, "limit must be an integer of at least 1, not -1"),
    ],
)
def test_parameters_that_break_their_rule(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build("datasets", "affectnet", {"root": "x", **parameters})
