"""The regions lie where their names say, on the canonical face of MediaPipe."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from unveil.core.face_regions import MESH_POINTS, REGIONS
from unveil.images import read_image

REPOSITORY = Path(__file__).resolve().parents[2]
PUBLISHED = (
    "Nose Bridge, Nose Tip, Forehead, Nose, Right Eyebrow, Right Cheek, Upper Lip, Left Eyebrow, Left Jaw, "
    "Left Eye, Right Eye, Lower Lip, Right Jaw, Left Cheek, Chin"
)
IN_THE_MIDDLE = [name for name in REGIONS if not name.startswith(("Left", "Right"))]
SIDED = [name.removeprefix("Left ") for name in REGIONS if name.startswith("Left ")]


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw", REPOSITORY / "tools" / "draw_face_regions.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def face(drawing: ModuleType, shared_weights: Path) -> NDArray[np.float32]:
    points, _ = drawing.canonical_face(shared_weights / "face_landmarker.task")
    return points


def centre(face: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    return face[list(REGIONS[name]), :2].mean(axis=0)


def test_regions_are_the_published_ones_in_their_order() -> None:
    assert ", ".join(REGIONS) == PUBLISHED
    for points in REGIONS.values():
        assert list(points) == sorted(set(points)) and len(points) >= 10
        assert points[0] >= 0 and points[-1] < MESH_POINTS


def test_what_mediapipe_names_is_taken_from_it() -> None:
    landmarker = pytest.importorskip("mediapipe.tasks.python.vision.face_landmarker")
    connections = landmarker.FaceLandmarksConnections

    def points(name: str) -> set[int]:
        return {i for line in getattr(connections, f"FACE_LANDMARKS_{name}") for i in (line.start, line.end)}

    for name in ("Left Eye", "Right Eye", "Left Eyebrow", "Right Eyebrow", "Nose"):
        assert set(REGIONS[name]) == points(name.upper().replace(" ", "_")), name
    assert set(REGIONS["Upper Lip"]) | set(REGIONS["Lower Lip"]) == points("LIPS")
    oval = points("FACE_OVAL")
    for name in ("Forehead", "Chin", "Left Jaw", "Right Jaw"):
        assert len(oval & set(REGIONS[name])) >= 5, f"{name} reaches the edge of the face"


def test_left_mirrors_right(face: NDArray[np.float32]) -> None:
    distance = np.linalg.norm(face[:, None] * [-1, 1, 1] - face[None], axis=2)
    mirrored = distance.argmin(axis=1)
    assert distance.min(axis=1).max() < 1e-5
    for name in SIDED:
        assert {int(mirrored[i]) for i in REGIONS[f"Right {name}"]} == set(REGIONS[f"Left {name}"]), name
    for name in IN_THE_MIDDLE:
        assert {int(mirrored[i]) for i in REGIONS[name]} == set(REGIONS[name]), name


def test_regions_are_where_their_names_say(face: NDArray[np.float32]) -> None:
    down = ("Forehead", "Left Eyebrow", "Left Eye", "Left Cheek", "Upper Lip", "Lower Lip", "Chin")
    heights = [float(centre(face, name)[1]) for name in down]
    assert heights == sorted(heights, reverse=True)
    nose = [float(centre(face, name)[1]) for name in ("Nose Bridge", "Nose Tip", "Upper Lip")]
    assert nose == sorted(nose, reverse=True)
    for name in SIDED:  # the person's left is at positive x
        assert (face[list(REGIONS[f"Left {name}"]), 0] > 0).all(), name
    jaw, cheek, chin = (centre(face, name) for name in ("Left Jaw", "Left Cheek", "Chin"))
    assert jaw[0] > cheek[0] > chin[0] and cheek[1] > jaw[1] > chin[1]


def test_only_the_parts_of_the_nose_overlap(face: NDArray[np.float32]) -> None:
    flat = np.round((face[:, :2] * [1, -1] + 10) * 40).astype(np.int32)
    masks = {}
    for name, points in REGIONS.items():
        mask = np.zeros((800, 800), np.uint8)
        masks[name] = cv2.fillConvexPoly(mask, cv2.convexHull(flat[list(points)]), 1).astype(bool)
    for one, two in itertools.combinations(REGIONS, 2):
        share = (masks[one] & masks[two]).sum() / min(masks[one].sum(), masks[two].sum())
        if {one, two} == {"Nose", "Nose Tip"}:
            assert share > 0.99
        elif {one, two} == {"Nose", "Nose Bridge"}:
            assert share > 0.5
        else:
            assert share < 0.05, (one, two, share)  # the lips share a row of pixels


def test_the_reviewed_picture_is_of_this_table(drawing: ModuleType, shared_weights: Path) -> None:
    reviewed = read_image(REPOSITORY / "docs" / "images" / "face-regions.png")
    drawn = drawing.draw(*drawing.canonical_face(shared_weights / "face_landmarker.task"))
    assert isinstance(reviewed, np.ndarray) and reviewed.shape == drawn.shape
    assert np.abs(reviewed.astype(int) - drawn).mean() < 2
