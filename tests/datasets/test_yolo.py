from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unveil.core.scenes import CLASSES
from unveil.core.types import Detections, Failure
from unveil.datasets.yolo import read_objects


def read(tmp_path: Path, text: str) -> Detections | Failure:
    file = tmp_path / "2017_1.txt"
    file.write_text(text)
    return read_objects(file, CLASSES, (200, 100))


def test_boxes_in_pixels(tmp_path: Path) -> None:
    found = read(tmp_path, "0 0.5 0.5 0.25 0.5\n\n9 0.05 0.1 0.2 0.2\n")
    assert isinstance(found, Detections) and found.labels == ("person", "traffic light")
    assert np.allclose(found.boxes, [[75, 25, 125, 75], [-10, 0, 30, 20]]) and found.scores.tolist() == [1, 1]
    assert found.boxes.dtype == np.float32 and found.masks is None and found.landmarks is None


def test_no_file_and_an_empty_one_have_no_objects(tmp_path: Path) -> None:
    for found in (read_objects(tmp_path / "absent.txt", CLASSES, (200, 100)), read(tmp_path, "\n")):
        assert isinstance(found, Detections) and len(found) == 0 and found.labels == ()
        assert found.boxes.shape == (0, 4)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 0.5 0.5 0.25", "expected class, x, y, width and height, found 4 fields"),
        ("0 0.5 0.5 0.25 0.5 0.9", "found 6 fields"),
        ("10 0.5 0.5 0.25 0.5", "the class must be a number from 0 to 9, not '10'"),
        ("-1 0.5 0.5 0.25 0.5", "not '-1'"),
        ("person 0.5 0.5 0.25 0.5", "not 'person'"),
        ("0 0.5 x 0.25 0.5", "'x'"),
        ("0 0.5 nan 0.25 0.5", "not nan"),
        ("0 0.5 0.5 0 0.5", "a box must have an area, not the size 0x0.5"),
        ("0 1.5 0.5 0.5 0.5", "the box lies outside of the picture: 1.5 0.5 0.5 0.5"),
        ("0 0.5 -0.5 0.5 0.5", "outside"),
    ],
)
def test_lines_that_break_a_rule(tmp_path: Path, line: str, said: str) -> None:
    found = read(tmp_path, f"0 0.5 0.5 0.25 0.5\n{line}\n")
    assert isinstance(found, Failure) and found.reason == "bad_annotation"
    assert found.detail.startswith("2017_1.txt line 2: ") and said in found.detail


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "2017_1.txt").mkdir()
    found = read_objects(tmp_path / "2017_1.txt", CLASSES, (200, 100))
    assert isinstance(found, Failure) and found.reason == "bad_annotation" and "not a regular file" in found.detail
