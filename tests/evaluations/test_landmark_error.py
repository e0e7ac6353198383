from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil import registry
from unveil.core.errors import ConfigError, Unavailable
from unveil.core.protocols import Version
from unveil.core.types import Face, Failure, Image, Reason
from unveil.evaluations.landmark_error import LandmarkError, nme
from unveil.images import read_image

from .scenes import MISSING, Album, numbered, observed

NO_FACE = Failure(Reason.NO_FACE, "nobody")
SQUARE = np.array([[10, 10], [30, 10], [10, 30], [30, 30]], np.float32)


BOX = [5, 6, 35, 36]


class Told:
    """Finds what is written down for a picture: the value of its first pixel is its number."""

    points = 4

    def __init__(self, found: Mapping[int, NDArray[np.float32] | Failure]) -> None:
        self._found = found
        self.looks: list[tuple[tuple[int, ...], list[float]]] = []

    def landmarks(self, images: Sequence[Image], faces: Sequence[Face]) -> list[NDArray[np.float32] | Failure]:
        self.looks += [(image.shape[:2], face.box.tolist()) for image, face in zip(images, faces, strict=True)]
        return [self._found[int(image[0, 0, 0])] for image in images]


class Photos(Album):
    """Pictures in whose originals a detector has found a face, or not."""

    def __init__(self, landmarker: Any, original: Any, protected: Any, method: str, faces: Any) -> None:
        super().__init__(original, protected, models={("landmarker", "original"): landmarker}, method=method)
        self._places = faces
        statuses = ["not_acquired" if faces[i] is None else "ok" for i in original]
        self.faces = pd.DataFrame({"status": statuses}, index=self.samples.index)

    def templates(self, version: Version) -> Photos:
        assert version == "original", "the place is that of the original"
        return self

    def found(self, sample_ids: Sequence[str]) -> list[Face | None]:
        return [self._places[i] for i in sample_ids]


def face(box: Sequence[float] = tuple(BOX)) -> Face:
    return Face(np.array(box, np.float32))


def look(
    landmarker: Any, original: Any, protected: Any, method: str = "mine", place: Any = None, **params: Any
) -> dict[str, Any]:
    album = Photos(landmarker, {"a": original}, {"a": protected}, method, {"a": place or face()})
    (row,) = observed(LandmarkError(**{"eyes": (0, 1), **params}), album).to_dict("records")
    return row


def test_the_mean_distance_in_eye_distances() -> None:
    moved = SQUARE + np.float32([[0, 0], [0, 0], [3, 4], [0, 0]])
    landmarker = Told({1: SQUARE, 2: moved})
    row = look(landmarker, numbered(1), numbered(2))
    assert row["status"] == "ok" and row["nme"] == pytest.approx(5 / 4 / 20)
    assert landmarker.looks == [((40, 60), BOX)] * 2, "where the detector has found it, in both"


def test_a_picture_of_another_size_is_brought_back() -> None:
    landmarker = Told({1: SQUARE, 2: SQUARE})
    assert look(landmarker, numbered(1), numbered(2, (80, 30)))["nme"] == 0
    assert landmarker.looks == [((40, 60), BOX)] * 2


def test_a_photo_in_which_the_detector_finds_nobody_says_nothing() -> None:
    """More than a batch of photos, so that nobody gets the landmarks of somebody else."""
    ids = [f"{n:02}" for n in range(20)]
    faces = {i: None if n % 3 == 0 else face() for n, i in enumerate(ids)}
    found = dict.fromkeys(range(20), SQUARE) | {
        100 + n: SQUARE + np.float32([n, 0]) if n % 3 else NO_FACE for n in range(20)
    }
    album = Photos(
        Told(found),
        {i: numbered(n) for n, i in enumerate(ids)},
        {i: MISSING if n == 6 else numbered(100 + n) for n, i in enumerate(ids)},
        "mine",
        faces,
    )
    rows = observed(LandmarkError(eyes=(0, 1)), album).set_index("sample_id")
    for n, i in enumerate(ids):
        if n == 6:
            assert rows.loc[i, "status"] == "not_protected"
        elif n % 3 == 0:
            assert tuple(rows.loc[i, ["status", "reason"]]) == ("error", "no_face_in_original")
        else:
            assert rows.loc[i, "status"] == "ok" and rows.loc[i, "nme"] == pytest.approx(n / 20)


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
        (numbered(2), numbered(1), "error", "landmarks: no_face"),
        (numbered(2), numbered(2), "error", "landmarks: no_face"),
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
        (mesh,) = landmarker.landmarks([left], [Face(np.array([0, 0, *left.shape[1::-1]], np.float32))])
        assert isinstance(mesh, np.ndarray)
        place = face([*mesh.min(axis=0), *mesh.max(axis=0)])
        protected = original.copy()
        protected[:, : left.shape[1]] = 127
        row = look(landmarker, original, protected, place=place, eyes=(33, 263))
        assert (row["status"], row["reason"]) == ("not_acquired", "no_face")
        assert look(landmarker, original, original.copy(), place=place, eyes=(33, 263))["nme"] == 0


def test_with_a_detector_the_landmarks_of_wide_photos_are_found(
    shared_data: Path, shared_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one the landmarker finds nobody in many of these photos, because the faces are small in them."""
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    landmarker = registry.build("models", "landmarker:face_landmarker")
    try:
        landmarker.require()
    except Unavailable as reason:
        pytest.skip(str(reason))
    photos = sorted((shared_data / "faces" / "celeba_wild").rglob("*.jpg"))[:20]
    images = {path.name: image for path in photos if isinstance(image := read_image(path), np.ndarray)}
    detected = registry.build("models", "detector:mtcnn").detect(list(images.values()))
    faces = {name: found.face(0) if len(found) else None for name, found in zip(images, detected, strict=True)}
    rows = observed(LandmarkError(), Photos(landmarker, images, dict(images), "mine", faces))
    assert len(rows) >= 10 and set(rows["status"]) == {"ok"} and (rows["nme"] == 0).all()
