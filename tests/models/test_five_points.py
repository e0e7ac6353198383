"""Alignment by five points: the least squares similarity, what is refused, and where missing points come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from skimage.transform import estimate_transform

from unveil.core.types import Face, Failure, Image, Reason
from unveil.models.dlib_detectors import DlibHog
from unveil.models.five_points import TEMPLATE, five_points, similarity, upright
from unveil.models.mtcnn import Mtcnn

BOX = np.array([0, 0, 112, 112], np.float32)
places = arrays(np.float64, (5, 2), elements=st.floats(-500, 500).map(lambda value: round(value, 2)))


def face(landmarks: object) -> Face:
    return Face(BOX, landmarks=np.array(landmarks, np.float32))


@given(places)
def test_the_matrix_is_that_of_scikit_image(points: np.ndarray) -> None:
    if np.linalg.matrix_rank(points - points.mean(0), tol=1) < 2:
        return  # points on one line: there, scikit-image may choose a reflection
    matrix, fit = similarity(points, TEMPLATE)
    expected = estimate_transform("similarity", points, TEMPLATE).params
    mapped, theirs = (m[:2] @ [*points.T, np.ones(5)] for m in (matrix, expected))
    assert np.sum((mapped - TEMPLATE.T) ** 2) <= np.sum((theirs - TEMPLATE.T) ** 2) + 1e-6
    assert mapped == pytest.approx(theirs, abs=1e-4)
    residual = np.sum((mapped - TEMPLATE.T) ** 2) / np.sum((TEMPLATE - TEMPLATE.mean(0)) ** 2)
    assert fit == pytest.approx(1 - residual, abs=1e-6)


@given(st.floats(0.2, 5), st.floats(-np.pi, np.pi), st.floats(-300, 300), st.floats(-300, 300))
def test_a_moved_template_comes_back(scale: float, angle: float, x: float, y: float) -> None:
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = TEMPLATE @ turn.T + (x, y)
    matrix, fit = similarity(moved, TEMPLATE)
    assert fit == pytest.approx(1)
    assert matrix @ [*moved.T, np.ones(5)] == pytest.approx(TEMPLATE.T, abs=1e-6)


def test_the_template_is_the_published_one() -> None:
    """Its centre is a constant of OpenCV's FaceRecognizerSF; its eyes are 35.24 pixels apart."""
    assert TEMPLATE.mean(0) == pytest.approx([56.0262, 71.9008], abs=1e-4)
    assert np.linalg.norm(TEMPLATE[1] - TEMPLATE[0]) == pytest.approx(35.2377, abs=1e-3)


@pytest.mark.parametrize("side", [112, 160])
def test_marks_in_a_turned_picture_land_on_the_template(side: int) -> None:
    centre, scale, angle = np.array([180.0, 150.0]), 1.7, 0.5
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    points = (TEMPLATE - TEMPLATE.mean(0)) @ turn.T + centre
    rows, columns = np.mgrid[:300, :360]
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (0, 255, 255)]
    image = np.zeros((300, 360, 3), np.uint8)
    for (x, y), colour in zip(points, colours, strict=True):
        image[np.hypot(columns - x, rows - y) < 6] = colour
    crop = upright(image, points, side)
    assert crop.shape == (side, side, 3)
    for (x, y), colour in zip(TEMPLATE * side / 112, colours, strict=True):
        assert crop[round(y), round(x)].tolist() == list(colour)


def test_what_is_beyond_the_border_is_black(generated: list[Image]) -> None:
    crop = upright(np.full_like(generated[0], 255), TEMPLATE + 56, 112)
    assert crop[:50, :50].min() == 255 and crop[60:, 60:].max() == 0


@pytest.mark.parametrize(
    ("landmarks", "message"),
    [
        (np.full((5, 2), np.nan), "finite"),
        (np.where(TEMPLATE > 92.3, np.inf, TEMPLATE), "finite"),
        (np.full((5, 2), 50.0), "spread"),
        (50 + (TEMPLATE - 60) / 1000, "spread"),
        (TEMPLATE * (-1, 1) + (112, 0), "left ones first"),
    ],
)
def test_degenerate_landmarks_are_a_failure(landmarks: np.ndarray, message: str, generated: list[Image]) -> None:
    found = five_points(generated[0], face(landmarks))
    assert isinstance(found, Failure) and found.reason is Reason.BAD_OUTPUT
    assert message in found.detail and "\n" not in found.detail


def test_landmarks_of_another_number_are_as_good_as_none(generated: list[Image]) -> None:
    eyes = five_points(generated[0], face(TEMPLATE[:2]))
    assert np.array_equal(eyes, five_points(generated[0], face(None)))


def test_a_box_of_a_few_pixels_is_a_failure(generated: list[Image]) -> None:
    found = five_points(generated[0], Face(np.array([5, 5, 8, 8], np.float32)))
    assert isinstance(found, Failure) and found.reason is Reason.TOO_SMALL
    found = five_points(generated[0], Face(np.array([5, 5, np.nan, 8], np.float32)))
    assert isinstance(found, Failure) and found.reason is Reason.BAD_OUTPUT


def test_a_profile_is_still_a_face(generated: list[Image]) -> None:
    """Of a face seen from the side one eye and one mouth corner are hidden behind the other."""
    profile = np.array([[53, 34], [59, 31], [93, 69], [56, 107], [55, 108]], np.float32)
    assert similarity(profile, TEMPLATE)[1] < 0.6
    assert not isinstance(five_points(generated[0], face(profile)), Failure)


def test_landmarks_of_the_detector_are_used_as_they_are(generated: list[Image]) -> None:
    marks = TEMPLATE.astype(np.float32) + 3
    assert np.array_equal(five_points(generated[0], face(marks)), marks)


def test_without_landmarks_they_are_found_in_the_box(photos: list[Image]) -> None:
    """Measured on these photos: 0.02 to 0.06 of the distance of the eyes."""
    errors = []
    for image, boxes, marked in zip(photos, DlibHog().detect(photos), Mtcnn().detect(photos), strict=True):
        if not len(boxes) or not len(marked):
            continue
        truth = marked.face(marked.largest()).landmarks
        found = five_points(image, boxes.face(boxes.largest()))
        assert truth is not None and not isinstance(found, Failure)
        eyes = np.linalg.norm(truth[1] - truth[0])
        errors.append(np.linalg.norm(found - truth, axis=1).mean() / eyes)
    assert len(errors) >= 6 and np.median(errors) < 0.06 and max(errors) < 0.15


def test_without_landmarks_generated_faces_too(generated: list[Image]) -> None:
    for image, found in zip(generated, Mtcnn().detect(generated), strict=True):
        known = found.face(0)
        guessed = five_points(image, Face(known.box))
        assert known.landmarks is not None and not isinstance(guessed, Failure)
        eyes = np.linalg.norm(known.landmarks[1] - known.landmarks[0])
        assert np.linalg.norm(guessed - known.landmarks, axis=1).mean() < 0.1 * eyes
