"""The drawn faces and models with which evaluations that look into a recognizer are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from unveil.core.roles import DifferentiableRecognizer
from unveil.core.types import Failure
from unveil.evaluations.focus import Focus
from unveil.testing import check_evaluation, check_recognizer
from unveil.testing.gaze import FACE_MODELS, SmallRecognizer, drawn_face, drawn_picture
from unveil.testing.people import face_of, portrait


def test_the_recognizer_keeps_its_promises() -> None:
    assert isinstance(FACE_MODELS["recognizer"], DifferentiableRecognizer)
    images = [portrait(person, 0) for person in range(4)]
    check_recognizer(SmallRecognizer(), faces=[(image, face_of(image)) for image in images])


def test_pictures_are_there_broken_missing_and_dark() -> None:
    pictures = [drawn_picture("original", f"{n}.png", "error") for n in range(40)]
    meshes = [FACE_MODELS["landmarker"].landmarks([picture], [drawn_face()])[0] for picture in pictures]
    seen = [mesh for mesh in meshes if not isinstance(mesh, Failure)]
    assert 20 < len(seen) < 40
    assert all(mesh.shape == (468, 2) for mesh in seen)
    reasons = {
        status: getattr(drawn_picture("protected", "1.png", status), "reason", None)
        for status in ("ok", "not_acquired", "not_protected", "error")
    }
    assert reasons == {"ok": None, "not_acquired": None, "not_protected": "missing", "error": "exception"}


def test_the_suite_sees_every_end_of_a_face() -> None:
    seen: set[tuple[str, str]] = set()

    class Watched(Focus):
        """As it is, but remembers how pictures ended."""

        def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
            observed = super().observe(units, threat_model, context)
            seen.update(observed[["status", "reason"]].itertuples(index=False, name=None))
            return observed

    check_evaluation(Watched())
    expected = {
        ("ok", ""),
        ("not_protected", "missing"),
        ("error", "exception"),
        ("error", "no_face_in_original"),
        ("error", "landmarks: no_face"),
    }
    assert seen == expected


def test_a_picture_that_is_none_is_not_kept() -> None:
    class Careless(Focus):
        """Keeps numbers instead of a picture."""

        def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
            context.keep("mean face", np.zeros((3, 3)))
            return super().observe(units, threat_model, context)

    with pytest.raises(AssertionError, match="picture 'mean face' must be uint8"):
        check_evaluation(Careless())
