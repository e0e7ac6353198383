"""Sets of embeddings as observations: what takes part, intervals, notes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from unveil.core.fingerprint import rng
from unveil.metrics.cmmd import CMMD
from unveil.metrics.discrepancy import Discrepancy
from unveil.metrics.fid import FID, fid
from unveil.metrics.grouping import Estimate, disaggregate
from unveil.metrics.kid import KID, SAME, kid

METRICS = {"fid": FID, "kid": KID, "cmmd": CMMD}


@pytest.fixture
def pictures() -> pd.DataFrame:
    """Embeddings of 60 pictures of 20 people, five of which have no protected version."""
    draw = np.random.default_rng(0)
    original = draw.normal(0.5, 1, (60, 8)).astype(np.float32)
    protected = (original + draw.normal(0.5, 0.5, original.shape)).astype(np.float32)
    ok = np.arange(60) >= 5
    return pd.DataFrame(
        {
            "status": np.where(ok, "ok", "not_protected"),
            "identity": [f"p{i % 20}" for i in range(60)],
            "sample_id": [str(i) for i in range(60)],
            "gender": ["Female" if i % 3 else "Male" for i in range(60)],
            "original": list(original),
            "protected": [v if here else None for v, here in zip(protected, ok, strict=True)],
        }
    )


def overall(metric: Discrepancy, frame: pd.DataFrame) -> Estimate:
    return disaggregate(metric, frame, "", rng=rng(0)).overall


@pytest.mark.parametrize("name", METRICS)
def test_value_interval_and_groups(name: str, pictures: pd.DataFrame) -> None:
    measured = disaggregate(METRICS[name], pictures, "gender", rng=rng(0))
    estimate = measured.overall
    assert (estimate.n, estimate.n_identities, estimate.n_excluded) == (55, 20, 5)
    assert 0 < estimate.ci_low < estimate.value < estimate.ci_high
    assert estimate.value == METRICS[name].value(pictures) and estimate.note == ""
    assert [e.group for e in measured.groups] == ["Female", "Male"] and all(e.value > 0 for e in measured.groups)


@pytest.mark.parametrize(("name", "function"), [("fid", fid), ("kid", kid)])
def test_the_value_is_that_of_the_function(name: str, function: object, pictures: pd.DataFrame) -> None:
    x, y = (np.array(pictures[column][5:].tolist(), np.float64) for column in ("original", "protected"))
    assert METRICS[name].value(pictures) == pytest.approx(function(x, y))  # type: ignore[operator]


@pytest.mark.parametrize("name", ["fid", "kid"])
def test_equal_folders_are_called_that(name: str, pictures: pd.DataFrame) -> None:
    same = overall(METRICS[name], pictures.assign(protected=pictures["original"], status="ok"))
    assert same.note.startswith(SAME)
    assert same.value <= 1e-6


def test_the_same_pictures_in_another_order_have_fid_zero(pictures: pd.DataFrame) -> None:
    shuffled = pictures.assign(protected=list(pictures["original"])[::-1], status="ok")
    assert overall(FID, shuffled).note.startswith(SAME)


def test_too_few_pictures_are_said(pictures: pd.DataFrame) -> None:
    few = overall(FID, pictures[5:13])
    wanted = "fewer pictures (8) than features (8): biased upwards; compare groups of equal size, or read KID"
    assert few.note == wanted
    assert overall(KID, pictures[5:13]).note == ""
    assert overall(FID, pictures[5:14]).note == ""
    for metric in METRICS.values():
        one = overall(metric, pictures[5:6])
        assert math.isnan(one.value) and one.note == "fewer than 2 pictures"


@pytest.mark.parametrize("name", METRICS)
def test_many_pictures_have_a_value_without_an_interval(name: str, pictures: pd.DataFrame) -> None:
    estimate = overall(replace(METRICS[name], most_drawn=54), pictures)
    assert estimate.value == METRICS[name].value(pictures) and math.isnan(estimate.ci_low)
    assert estimate.note == "more than 54 pictures: no interval"


@pytest.mark.parametrize("bad", [None, [], [math.nan] * 8])
def test_bad_rows_do_not_spoil_the_others(bad: object, pictures: pd.DataFrame) -> None:
    spoilt = pictures.copy()
    spoilt.at[0, "status"] = "ok"
    spoilt.at[0, "protected"] = bad
    assert FID.value(spoilt) == FID.value(pictures) and KID.value(spoilt) == KID.value(pictures)


def test_a_vector_of_zeros_is_a_place_but_no_direction(pictures: pd.DataFrame) -> None:
    pictures.at[9, "protected"] = [0.0] * 8
    assert [overall(metric, pictures).n for metric in (FID, KID, CMMD)] == [55, 55, 54]
