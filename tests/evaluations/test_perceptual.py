from __future__ import annotations

import numpy as np
import pytest

from unveil.core.types import Failure, Reason
from unveil.evaluations.perceptual import PerceptualDifference
from unveil.testing.scenes import MeanDifference

from .scenes import MISSING, Album, numbered, observed

BROKEN = Failure(Reason.UNDECODABLE, "damaged")
ORIGINAL = {"a": numbered(10), "b": numbered(20), "c": BROKEN, "d": numbered(40), "e": numbered(50)}
PROTECTED = {"a": numbered(61), "b": MISSING, "c": numbered(1), "d": BROKEN, "e": numbered(50, (7, 9))}


def album(method: str = "mine", original: object = ORIGINAL, protected: object = PROTECTED) -> Album:
    models = {("perceptual_metric", "original"): MeanDifference()}
    return Album(original, protected, models=models, method=method)  # type: ignore[arg-type]


def test_a_row_per_picture() -> None:
    rows = observed(PerceptualDifference(), album())
    assert rows["unit_id"].tolist() == list("abcde")
    assert rows["status"].tolist() == ["ok", "not_protected", "error", "error", "ok"]
    nan = float("nan")
    assert rows["difference"].tolist() == pytest.approx([51 / 255, nan, nan, nan, 0], nan_ok=True)
    assert rows["difference"].dtype == np.float32


def test_originals_are_no_different_from_themselves() -> None:
    rows = observed(PerceptualDifference(), album("original"))
    assert rows["difference"].dropna().tolist() == [0] * 4


def test_without_any_picture_the_metric_is_not_asked() -> None:
    rows = observed(PerceptualDifference(), album(original={"a": BROKEN}, protected={"a": BROKEN}))
    assert rows["status"].tolist() == ["error"] and rows["difference"].isna().all()
