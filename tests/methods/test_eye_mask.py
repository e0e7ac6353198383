from __future__ import annotations

import numpy as np

from unveil.methods.eye_mask import EyeMask

from .material import Context, sample


def bar(boxes: list[tuple[float, ...]], landmarks: np.ndarray | None = None, **params: float) -> np.ndarray:
    white = np.full((100, 100, 3), 255, np.uint8)
    (result,) = EyeMask(**params).protect([white], Context([sample()], boxes, landmarks))
    return (result == 0).all(2)


def test_covers_both_eyes_along_their_line() -> None:
    marks = np.array([[[40, 40], [60, 60], [50, 60], [45, 75], [60, 75]]], np.float32)  # turned by 45 degrees
    covered = bar([(20, 20, 80, 90)], marks)
    assert covered[40, 40]
    assert covered[60, 60]
    assert covered[50, 50]
    assert not covered[40, 60]
    assert not covered[60, 40]
    # distance sqrt(800), bar 2.2 by 0.8 distances
    assert abs(covered.sum() - 2.2 * 0.8 * 800) < 130


def test_without_landmarks_takes_the_usual_place() -> None:
    covered = bar([(0, 0, 100, 100)])
    assert covered[40, 30]
    assert covered[40, 70]
    assert not covered[70, 50]
    assert not covered[5, 50]


def test_other_than_five_landmarks_are_not_taken_for_eyes() -> None:
    odd = np.zeros((1, 3, 2), np.float32) + 90
    assert np.array_equal(bar([(0, 0, 100, 100)], odd), bar([(0, 0, 100, 100)]))


def test_eyes_in_one_point_are_not_believed() -> None:
    same = np.full((1, 5, 2), 90, np.float32)
    assert np.array_equal(bar([(0, 0, 100, 100)], same), bar([(0, 0, 100, 100)]))


def test_every_face_gets_a_bar_and_boxes_may_cross_the_border() -> None:
    covered = bar([(0, 0, 40, 40), (60, 60, 130, 130)])
    assert covered[16, 20]
    assert covered[88, 95]


def test_thickness_and_length_are_in_eye_distances() -> None:
    marks = np.array([[[40, 50], [60, 50], [50, 60], [45, 75], [60, 75]]], np.float32)
    rows, columns = np.nonzero(bar([(0, 0, 100, 100)], marks, length=2.0, thickness=0.5))
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (45, 55, 30, 70)
