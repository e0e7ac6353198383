"""The suite for perceptual metrics: each broken promise is found, and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unveil.testing import check_component, check_perceptual_metric
from unveil.testing.scenes import MeanDifference


def shifted(self: Any, left: Any, right: Any) -> Any:
    return MeanDifference().differences(left, right) + np.float32(0.1)


def turned(self: Any, left: Any, right: Any) -> Any:
    return -MeanDifference().differences(left, right)


def of_the_batch(self: Any, left: Any, right: Any) -> Any:
    found = MeanDifference().differences(left, right)
    return found / found.max() if len(found) and found.max() > 0 else found


def saturated(self: Any, left: Any, right: Any) -> Any:
    return (MeanDifference().differences(left, right) > 0).astype(np.float32)


def paints(self: Any, left: Any, right: Any) -> Any:
    found = MeanDifference().differences(left, right)
    for image in right:
        image[...] = 0
    return found


def test_a_good_one_passes() -> None:
    check_component("models", MeanDifference())


@pytest.mark.parametrize(
    ("differences", "message"),
    [
        (shifted, "equal pictures must have the difference 0"),
        (turned, "no difference is below 0"),
        (of_the_batch, "in a batch of its own"),
        (saturated, "strong noise must differ more"),
        (paints, "wrote into the pictures"),
        (lambda self, left, right: [0.0] * len(left), r"must give float32 \(7,\)"),
        (lambda self, left, right: np.full(len(left), np.nan, np.float32), "must be finite"),
    ],
)
def test_a_broken_one_is_told_what_is_broken(differences: Any, message: str) -> None:
    members = {"__doc__": "Breaks a promise.", "differences": differences}
    with pytest.raises(AssertionError, match=message):
        check_perceptual_metric(type("Broken", (MeanDifference,), members)())
