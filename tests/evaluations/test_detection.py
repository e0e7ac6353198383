from __future__ import annotations

import numpy as np
import pytest

from unveil.evaluations.detection import DetectionRate
from unveil.metrics.rates import DETECTION_RATE

from .small import Context, people, template

SAMPLES = people({"a": 3, "": 2})
IDS = list(SAMPLES.index)


def test_every_picture_is_a_unit_whoever_is_shown() -> None:
    units = DetectionRate().units(SAMPLES, "", [], np.random.default_rng(0))
    assert units["unit_id"].tolist() == units["sample_id"].tolist() == IDS


def test_no_face_is_an_answer_and_no_picture_is_none() -> None:
    states = ("ok", "not_acquired", "not_protected", "error", "ok")
    protected = template(SAMPLES, status=dict(zip(IDS, states, strict=True)))
    context = Context(SAMPLES, template(SAMPLES), protected)
    units = DetectionRate().units(SAMPLES, "", [], np.random.default_rng(0))
    observed = DetectionRate().observe(units, "", context)
    assert observed["status"].tolist() == ["ok", "ok", "not_protected", "error", "ok"]
    assert observed["reason"].tolist() == ["", "", "because", "because", ""]
    assert observed["n_faces"].tolist() == [1, 0, 0, 0, 1]
    assert DETECTION_RATE.value(observed) == pytest.approx(2 / 3)
