from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil import registry
from unveil.core.errors import ConfigError, Unavailable
from unveil.core.types import Face, Failure, Image, Reason
from unveil.evaluations.landmark_error import LandmarkError, nme
from unveil.images import read_image

from .scenes import MISSING, Album, numbered, observed

NO_FACE = Failure(Reason.NO_FACE, "nobody")
SQUARE = np.array([[10, 10], [30, 10], [10, 30], [30, 30]], np.float32)


class Told:
    """Finds what is written down for a picture: the value of its first pixel is its number."""

    points = 4

    def __init__(self, found: Mapping[int, NDArray[np.float32] | Failure]) -> None:
        self._found = found
        self.boxes: list[list[float]] = []

    def landmarks(self, images: Sequence[Image], faces: Sequence[Face]) -> list[NDArray[np.float32] | Failure]:
        self.boxes += [face.box.tolist() for face in faces]
        return [self._found[int(image[0, 0, 0])] for image in images]


def look(landmarker: Any, original: Any, protected: Any, method: str = "mine", **params: Any) -> dict[str, Any]:
    album = Album(
        {"a": original}, {"a": protected}, models={("landmarker", "original"): landmarker}, method=method
    )
    evaluation = LandmarkError(**{"eyes": (0, 1), **params})
    (row,) = observed(evaluation, album).to_dict("records")
    return row


def test_the_mean_distance_in_eye_distances() -> None:
    moved = SQUARE + np.float32([[0, 0], [0, 0], [3, 4], [0, 0]])
    landmarker = Told({1: SQUARE, 2: moved})
    row = look(landmarker, numbered(1), numbered(2))
    assert row["status"] == "ok" and row["nme"] == pytest.approx(5 / 4 / 20)
    assert landmarker.boxes == [[0, 0, 60, 40], [10, 10, 30, 30], [10, 10, 30, 30]], "first the whole picture"


def test_points_of_another_size_are_brought_back() -> None:
    landmarker = Told({1: SQUARE, 2: SQUARE * np.float32([0.5, 2])})
    assert look(landmarker, numbered(1), numbered(2, (80, 30)))["nme"] == pytest.approx(0)
    assert landmarker.boxes[2] == [5, 20, 15, 60], "the place of the face there"


@given(st.integers(0, 10**6), st.floats(0.1, 10), st.floats(-50, 50))
@settings(max_examples=40, deadline=None)
def test_it_knows_no_scale_and_no_place(seed: int, scale: float, shift: float) -> None:
    draw = np.random.default_rng(seed)
    one = (draw.random((20, 2)) * 100 + np.arange(20)[:, None] * 20).astype(np.float32)
    two = (one + draw.normal(0, 5, one.shape)).astype(np.float32)
    error = nme(one, two, (0, 19))
    assert error == pytest.approx(nme(one * scale + shift, two * scale + shift, (0, 19)), rel=1e-2)
    assert nme(one, one, (0, 19)) == 0 < error


def test_the_fates_of_a_picture() -> None:
    landmarker = Told({1: SQUARE, 2: NO_FACE, 3: Failure(Reason.TOO_SMALL, "tiny"), 4: SQUARE * 0.01})
    broken = Failure(Reason.UNDECODABLE, "damaged")
    for original, protected, status, reason in (
        (numbered(1), numbered(2), "not_acquired", "no_face"),
        (numbered(2), numbered(1), "error", "no_face"),
        (numbered(2), numbered(2), "error", "no_face"),
        (numbered(1), numbered(3), "error", "too_small"),
        (numbered(4), numbered(1), "error", "too_small"),
        (numbered(1), MISSING, "not_protected", "missing"),
        (broken, numbered(1), "error", "undecodable"),
        (numbered(1), broken, "error", "undecodable"),
    ):
        row = look(landmarker, original, protected)
        assert (row["status"], row["reason"]) == (status, reason) and np.isnan(row["nme"])
    assert look(landmarker, numbered(1), MISSING, "original")["nme"] == 0


@pytest.mark.parametrize("eyes", [(1,), (1, 1), (1, 2, 3), (-1, 2), (0.5, 1), 3, "12", (True, 2)])
def test_eyes_are_two_points(eyes: Any) -> None:
    with pytest.raises(ValueError, match="eyes must be"):
        LandmarkError(eyes=eyes)


def test_a_landmarker_of_few_points_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"eyes: the landmarker has the points 0 to 3, got \[33, 263\]"):
        look(Told({1: SQUARE}), numbered(1), numbered(1), eyes=(33, 263))


def test_the_default_eyes_are_the_outer_corners_of_the_face_mesh(
    shared_data: Path, shared_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a real face they are level, the iris centres lie between them, and they are the outermost eye points."""
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    landmarker = registry.build("models", "landmarker:face_landmarker")
    try:
        landmarker.require()
    except Unavailable as reason:
        pytest.skip(str(reason))
    image = read_image(sorted((shared_data / "faces" / "london").rglob("*.jpg"))[0])
    assert isinstance(image, np.ndarray)
    (mesh,) = landmarker.landmarks([image], [Face(np.array([0, 0, *image.shape[1::-1]], np.float32))])
    assert isinstance(mesh, np.ndarray)
    outer = mesh[[33, 263]]
    others = mesh[[133, 362, 159, 145, 386, 374]]
    assert outer[0, 0] < others[:, 0].min() and others[:, 0].max() < outer[1, 0]
    assert abs(outer[0, 1] - outer[1, 1]) < 0.2 * (outer[1, 0] - outer[0, 0])


def test_two_people_in_a_picture_are_not_taken_for_each_other(
    shared_data: Path, shared_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When one of them is not made out any more, the landmarker finds the other one in the whole picture."""
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    landmarker = registry.build("models", "landmarker:face_landmarker")
    try:
        landmarker.require()
    except Unavailable as reason:
        pytest.skip(str(reason))
    photos = sorted((shared_data / "faces" / "fairface").rglob("*.jpg"))[46:138:23]
    faces = [image for image in map(read_image, photos) if isinstance(image, np.ndarray)]
    for left, right in zip(faces[::2], faces[1::2], strict=True):
        original = np.concatenate([left, right], axis=1)
        (mesh,) = landmarker.landmarks([original], [Face(np.array([0, 0, *original.shape[1::-1]], np.float32))])
        assert isinstance(mesh, np.ndarray)
        protected = original.copy()
        start = 0 if mesh[:, 0].mean() < left.shape[1] else left.shape[1]
        protected[:, start : start + left.shape[1]] = 127
        row = look(landmarker, original, protected, eyes=(33, 263))
        assert (row["status"], row["reason"]) == ("not_acquired", "no_face")
        assert look(landmarker, original, original.copy(), eyes=(33, 263))["nme"] == 0
