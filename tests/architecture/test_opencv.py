"""Three distributions bring an OpenCV under one name; the one that is imported must be the headless one."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import cv2


def test_the_imported_opencv_is_the_headless_one() -> None:
    own = version("opencv-python-headless")
    assert own.startswith(f"{cv2.__version__}."), f"cv2 is {cv2.__version__}, opencv-python-headless is {own}"
    (gui,) = (line for line in cv2.getBuildInformation().splitlines() if line.strip().startswith("GUI:"))
    assert gui.split() == ["GUI:", "NONE"], "a build with windows needs libGL, which servers lack"


def test_the_others_are_of_the_same_version() -> None:
    for other in ("opencv-python", "opencv-contrib-python", "opencv-contrib-python-headless"):
        try:
            found = version(other)
        except PackageNotFoundError:
            continue
        assert found == version("opencv-python-headless"), f"{other} {found} left files of another OpenCV behind"
