from __future__ import annotations

import numpy as np
import pytest

from unveil.core.types import Failure, Reason, Sample
from unveil.pipeline.pictures import Pictures

SAMPLES = {name: Sample(name, "d", "") for name in ("a.png", "b.png")}


def test_pictures_are_read_when_they_are_asked_for():
    opened = []

    def load(sample, key):
        opened.append((sample.id, key))
        return np.zeros((2, 2, 3), np.uint8)

    pictures = Pictures(SAMPLES, {"a.png": "k1", "b.png": "k2"}, load)
    lazy = pictures.images(["b.png", "a.png"])
    assert opened == []
    next(lazy)
    assert opened == [("b.png", "k2")]


def test_what_the_method_left_out_is_missing_and_never_loaded():
    pictures = Pictures(SAMPLES, {"a.png": "", "b.png": "k"}, lambda sample, key: pytest.fail(key))
    found = pictures.read("a.png")
    assert isinstance(found, Failure) and found.reason is Reason.MISSING and "a.png" in found.detail
    with pytest.raises(KeyError):
        pictures.read("c.png")
