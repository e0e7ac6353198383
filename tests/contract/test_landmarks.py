"""The suite for landmarkers, and for evaluations of what is told of faces: broken promises are found and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Failure, Reason
from unveil.evaluations.attributes import Attributes
from unveil.testing import check_component, check_estimator, check_evaluation, check_landmarker
from unveil.testing.telling import Teller

SPREAD = np.random.default_rng(0).random((7, 2), np.float32)


class Spread:
    """Spreads points over the box."""

    meta = ModelMeta("spread", 1, "landmarker", Source("made for this test"))
    points = 7

    def landmarks(self, images: Any, faces: Any) -> list[Any]:
        return [
            Failure(Reason.NO_FACE, f"{image.shape[0]} rows are too few") if len(image) < 9 else self._in(face.box)
            for image, face in zip(images, faces, strict=True)
        ]

    def _in(self, box: Any) -> Any:
        return (box[:2] + SPREAD * (box[2:] - box[:2])).astype(np.float32)


def broken(**members: Any) -> Any:
    return type("Broken", (Spread,), {"__doc__": "Breaks a promise.", **members})()


def in_shares(self: Any, images: Any, faces: Any) -> list[Any]:
    return [SPREAD for _ in faces]


def in_place(self: Any, images: Any, faces: Any) -> list[Any]:
    for image in images:
        image[...] = 0
    return Spread().landmarks(images, faces)


def by_batch(self: Any, images: Any, faces: Any) -> list[Any]:
    return [self._in(face.box * np.float32(1 + len(faces) / 100)) for face in faces]


def test_landmarkers_that_keep_their_promises_pass() -> None:
    check_component("models", Spread())


@pytest.mark.parametrize(
    ("landmarker", "message"),
    [
        (broken(points=0), "points must be a whole number from 1, not 0"),
        (broken(points=8), r"must have the shape \(8, 2\), not \(7, 2\)"),
        (broken(_in=lambda self, box: SPREAD.astype(np.float64)), "must be float32, not float64"),
        (broken(_in=lambda self, box: SPREAD * np.float32(np.nan)), "points must be finite"),
        (broken(landmarks=in_shares), "pixels beside the box"),
        (broken(landmarks=in_place), "wrote into the pictures"),
        (broken(landmarks=by_batch), "other points of face 0 in a batch of its own"),
        (broken(landmarks=lambda self, images, faces: []), "gave 0 results for"),
        (broken(landmarks=lambda self, i, faces: [Failure(Reason.NO_FACE)] * len(faces)), "must be one line"),
        (broken(meta=Teller.meta), "meta.role must be 'landmarker'"),
    ],
)
def test_a_broken_landmarker_is_told_what_is_broken(landmarker: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_landmarker(landmarker)


def test_real_faces_must_be_found() -> None:
    from unveil.testing.people import face_of, portrait

    faces = [(portrait(n, 0), face_of(portrait(n, 0))) for n in range(3)]
    check_landmarker(Spread(), faces=faces)
    blind = broken(landmarks=lambda self, i, faces: [Failure(Reason.NO_FACE, "blind")] * len(faces))
    check_landmarker(blind)
    with pytest.raises(AssertionError, match="found the points of 0 of 3 real faces"):
        check_landmarker(blind, faces=faces)


class WordsForNumbers(Attributes):
    """Gives a word where a number was promised."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        observed = super().observe(units, threat_model, context)
        return observed.assign(preserved="much")


class Twice(Attributes):
    """Gives a row twice."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        observed = super().observe(units, threat_model, context)
        return pd.concat([observed, observed[:1]])


class OnlyFound(Attributes):
    """Keeps silent about the faces that are gone."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        observed = super().observe(units, threat_model, context)
        return observed[observed["status"] == "ok"]


class Hides(Attributes):
    """Calls unprotected photos errors."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        observed = super().observe(units, threat_model, context)
        left = observed["status"] == "not_protected"
        return observed.assign(status=observed["status"].mask(left, "error"))


def test_the_estimator_and_the_evaluation_keep_their_promises() -> None:
    check_estimator(Teller())
    check_evaluation(Attributes())


@pytest.mark.parametrize(
    ("evaluation", "message"),
    [
        (WordsForNumbers(), "column 'preserved' is no float"),
        (Twice(), "unit_id must be unique"),
        (OnlyFound(), "no row for the planned picture"),
        (Hides(), "the rows are not_protected"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_evaluation_of_attributes_is_told_what_is_broken(evaluation: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_evaluation(evaluation)
