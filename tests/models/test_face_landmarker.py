"""MediaPipe's face mesh on real and on generated faces: where it looks, whom it takes, what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from unveil.core.errors import Unavailable
from unveil.core.types import Face, Failure, Image, Reason
from unveil.images import read_image
from unveil.models import face_mesh
from unveil.models.face_landmarker import FaceLandmarker, FaceLandmarkerAttributes
from unveil.models.mtcnn import Mtcnn
from unveil.testing import check_estimator, check_landmarker

LEFT_EYE, RIGHT_EYE, NOSE, MOUTH = 263, 33, 1, 13  # outer corners as the person has them; tip; upper lip

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def weights(shared_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mediapipe", reason="needs the extra landmarks")
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))


def faces_of(images: Sequence[Image]) -> list[Face]:
    return [found.face(found.largest()) for found in Mtcnn().detect(images)]


@pytest.fixture(scope="module")
def london(shared_data: Path) -> dict[str, list[tuple[Image, Face]]]:
    """Portraits of ten people, neutral and smiling, at 400 pixels."""
    import cv2

    found = {}
    for kind in ("neutral", "smiling"):
        images = []
        for path in sorted((shared_data / "faces" / "london").glob(f"*/*_{kind}.jpg")):
            image = read_image(path)
            assert isinstance(image, np.ndarray)
            images.append(np.asarray(cv2.resize(image, (400, 400), interpolation=cv2.INTER_AREA), np.uint8))
        found[kind] = list(zip(images, faces_of(images), strict=True))
        assert len(found[kind]) == 10
    return found


def estimate(pairs: Sequence[tuple[Image, Face]]) -> list[dict[str, object]]:
    found = FaceLandmarkerAttributes().estimate([image for image, _ in pairs], [face for _, face in pairs])
    described = [dict(values) for values in found if not isinstance(values, Failure)]
    assert len(described) == len(pairs)
    return described


@pytest.mark.usefixtures("weights")
def test_both_keep_the_promises_of_their_roles(generated: list[Image]) -> None:
    faces = list(zip(generated, faces_of(generated), strict=True))
    check_landmarker(FaceLandmarker(), faces=faces)
    check_estimator(FaceLandmarkerAttributes(), faces=faces)


@pytest.mark.usefixtures("weights")
def test_points_lie_where_a_detector_sees_eyes_nose_and_mouth(photos: list[Image]) -> None:
    faces = faces_of(photos)
    for face, points in zip(faces, FaceLandmarker().landmarks(photos, faces), strict=True):
        assert not isinstance(points, Failure) and face.landmarks is not None
        assert points.shape == (478, 2) and points.dtype == np.float32
        size = float((face.box[2:] - face.box[:2]).max())
        left_eye, right_eye, nose, *corners = face.landmarks  # as seen in the picture
        irises = points[468:473].mean(axis=0), points[473:478].mean(axis=0)
        for point, seen in zip((*irises, points[NOSE]), (left_eye, right_eye, nose), strict=True):
            assert np.linalg.norm(point - seen) < 0.13 * size
        assert np.linalg.norm(points[MOUTH] - np.mean(corners, axis=0)) < 0.13 * size


@pytest.mark.usefixtures("weights")
def test_of_neighbours_each_box_gets_its_own_face(sheet: Image, generated: list[Image]) -> None:
    faces = faces_of(generated)
    corners = [(x, y) for y in (0, 112) for x in (0, 112, 224)]
    placed = [
        Face(face.box + np.tile(corner, 2).astype(np.float32)) for face, corner in zip(faces, corners, strict=True)
    ]
    found = FaceLandmarker().landmarks([sheet] * 6, placed)
    for face, points in zip(placed, found, strict=True):
        assert not isinstance(points, Failure)
        middle = points[:468].mean(axis=0)
        assert (face.box[:2] < middle).all() and (middle < face.box[2:]).all()


@pytest.mark.usefixtures("weights")
def test_a_box_beside_the_face_finds_nobody(london: dict[str, list[tuple[Image, Face]]]) -> None:
    image, face = london["neutral"][0]
    width = face.box[2] - face.box[0]
    beside = Face((face.box + np.array([1.3 * width, 0, 1.3 * width, 0])).astype(np.float32))
    nothing = Face(np.array([0, 0, 60, 60], np.float32))
    dot = Face(np.array([5, 5, 6, 6], np.float32))
    far = Face(np.array([np.nan, 0, 9, 9], np.float32))
    found = FaceLandmarker().landmarks([image] * 4, [beside, nothing, dot, far])
    reasons = [failure.reason for failure in found if isinstance(failure, Failure)]
    assert reasons == [Reason.NO_FACE, Reason.NO_FACE, Reason.TOO_SMALL, Reason.BAD_OUTPUT]
    assert FaceLandmarker().landmarks([], []) == [] and FaceLandmarkerAttributes().estimate([], []) == []


@pytest.mark.usefixtures("weights")
def test_small_faces_are_found_where_large_ones_are(london: dict[str, list[tuple[Image, Face]]]) -> None:
    """At 24 pixels the points are still within 12 % of the distance of the eyes."""
    import cv2

    for image, face in london["neutral"][:4]:
        scale = 24 / float(face.box[2] - face.box[0])
        small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        scale = small.shape[1] / image.shape[1]
        large, tiny = FaceLandmarker().landmarks([image, small], [face, Face(face.box * np.float32(scale))])
        assert not isinstance(large, Failure) and not isinstance(tiny, Failure)
        eyes = np.linalg.norm(large[LEFT_EYE] - large[RIGHT_EYE])
        assert np.linalg.norm(tiny / scale - large, axis=1).mean() < 0.12 * eyes


@pytest.mark.usefixtures("weights")
def test_a_large_photo_and_its_reduction_have_the_same_points(shared_data: Path) -> None:
    import cv2

    image = read_image(shared_data / "faces" / "london" / "010" / "010_neutral.jpg")
    assert isinstance(image, np.ndarray) and image.shape == (1350, 1350, 3)
    half = np.asarray(cv2.resize(image, (675, 675), interpolation=cv2.INTER_AREA), np.uint8)
    (face,) = faces_of([half])
    small, large = FaceLandmarker().landmarks([half, image], [face, Face(face.box * 2)])
    assert not isinstance(small, Failure) and not isinstance(large, Failure)
    assert np.abs(large / 2 - small).max() < 3


@pytest.mark.usefixtures("weights")
def test_roll_follows_a_photo_that_is_turned(london: dict[str, list[tuple[Image, Face]]]) -> None:
    import cv2

    for image, face in london["neutral"][:3]:
        middle = tuple(float(v) for v in (face.box[:2] + face.box[2:]) / 2)
        turned = []
        for degrees in (-40, -20, 0, 20, 40):  # counter-clockwise
            matrix = cv2.getRotationMatrix2D(middle, degrees, 1.0)
            picture = cv2.warpAffine(image, matrix, (400, 400), borderMode=cv2.BORDER_REPLICATE)
            turned.append((np.asarray(picture, np.uint8), face))
        poses = np.array([values["head_pose"] for values in estimate(turned)])
        assert poses[:, 2] - poses[2, 2] == pytest.approx([-40, -20, 0, 20, 40], abs=2)
        assert np.abs(poses[:, :2] - poses[2, :2]).max() < 6


@pytest.mark.usefixtures("weights")
def test_a_mirrored_photo_looks_the_other_way_and_has_the_other_eyes(photos: list[Image]) -> None:
    faces = faces_of(photos)
    mirrored = []
    for image, face in zip(photos, faces, strict=True):
        width = image.shape[1]
        box = np.array([width - face.box[2], face.box[1], width - face.box[0], face.box[3]], np.float32)
        mirrored.append((np.ascontiguousarray(image[:, ::-1]), Face(box)))
    before, after = (np.array([v["head_pose"] for v in estimate(pairs)]) for pairs in (
        list(zip(photos, faces, strict=True)), mirrored,
    ))  # fmt: skip
    assert after * (-1, 1, -1) == pytest.approx(before, abs=8)
    assert np.abs(before[:, 0]).max() > 10, "a photo that is not frontal is among them"


@pytest.mark.usefixtures("weights")
def test_smiling_portraits_are_happy_and_neutral_ones_are_not(london: dict[str, list[tuple[Image, Face]]]) -> None:
    """Measured: eight of ten, and one of ten; mouths are open where they are."""
    smiling, neutral = estimate(london["smiling"]), estimate(london["neutral"])
    assert sum(values["expression"] == "happy" for values in smiling) == 8
    assert [values["expression"] for values in neutral].count("happy") == 1
    assert [values["expression"] for values in neutral].count("neutral") == 9
    assert sum(values["mouth_status"] == "open" for values in smiling) == 8
    assert all(values["mouth_status"] == "closed" for values in neutral)
    for values in (*smiling, *neutral):
        assert values["left_eye_status"] == values["right_eye_status"] == "open"
        assert isinstance(values["smile"], float) and 0 <= values["smile"] <= 1


@pytest.mark.usefixtures("weights")
def test_a_closed_eye_is_closed(shared_data: Path) -> None:
    image = read_image(shared_data / "faces" / "lfw_gray" / "Martina_McBride" / "Martina_McBride_0002.jpg")
    assert isinstance(image, np.ndarray)
    (values,) = estimate([(image, *faces_of([image]))])
    assert values["left_eye_status"] == values["right_eye_status"] == "closed"


@pytest.mark.usefixtures("weights")
def test_sessions_are_opened_once_and_used_again(generated: list[Image]) -> None:
    faces = faces_of(generated)
    FaceLandmarker().landmarks(generated, faces)
    sessions = set(map(id, face_mesh._idle.queue))
    FaceLandmarkerAttributes().estimate(generated, faces)
    assert sessions and sessions <= set(map(id, face_mesh._idle.queue))
    assert face_mesh._idle.qsize() <= max(os.cpu_count() or 1, 2)


_SCRIPT = """
import atexit
{first}
atexit.register(lambda: print(*(session._handle for session in face_mesh._idle.queue)))  # runs last
from unveil.models import face_mesh
import numpy as np
from unveil.core.types import Face
whole = Face(np.array([0, 0, 64, 64], np.float32))
(found,) = face_mesh.meshes([np.zeros((64, 64, 3), np.uint8)], [whole])
print(found.reason)
"""


@pytest.mark.parametrize("first", ["", "from mediapipe.tasks import python"])
def test_python_ends_quietly_with_open_sessions(shared_weights: Path, first: str) -> None:
    """Unless MediaPipe was imported first, they are closed before its modules go; else it is MediaPipe's turn."""
    pytest.importorskip("mediapipe", reason="needs the extra landmarks")
    environment = {**os.environ, "UNVEIL_WEIGHTS": str(shared_weights)}
    command = [sys.executable, "-W", "error", "-c", _SCRIPT.format(first=first)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    reason, handles = done.stdout.split()
    assert (done.returncode, reason) == (0, "no_face"), done.stderr
    assert (handles == "None") == (first == "")


@pytest.mark.parametrize("component", [FaceLandmarker(), FaceLandmarkerAttributes()])
def test_without_its_file_it_says_how_to_get_it(
    component: FaceLandmarker | FaceLandmarkerAttributes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mediapipe", reason="needs the extra landmarks")
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path / "cache"))
    with pytest.raises(Unavailable, match=r"unveil weights fetch face_landmarker\.task"):
        component.require()
    (tmp_path / "face_landmarker.task").write_bytes(b"something else")
    with pytest.raises(Unavailable, match=r"is not the known face_landmarker\.task"):
        component.require()


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mediapipe", None)
    with pytest.raises(Unavailable, match=r"pip install 'unveil\[landmarks\]'"):
        FaceLandmarker().require()
