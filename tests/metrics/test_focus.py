from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from unveil.core.face_regions import REGIONS
from unveil.core.fingerprint import rng
from unveil.metrics.focus import (
    FIVE_STRONGEST_REGION_RATE,
    FOCUS_CORRELATION,
    REGION_CHANGE,
    REGION_FOCUS,
    STRONGEST_REGION_RATE,
)
from unveil.metrics.grouping import disaggregate

CORRELATIONS = (0.5, -0.1, 0.2, math.nan)
"""Of four pictures; the regions are strongest in their order, each picture starting one further."""


@pytest.fixture
def faces() -> pd.DataFrame:
    rows = []
    for picture, together in enumerate(CORRELATIONS):
        for place, region in enumerate(REGIONS):
            rank = (place - picture) % 15 + 1
            rows.append(
                {
                    "sample_id": f"{picture}.png",
                    "identity": f"person {picture // 2}",
                    "gender": ("Female", "Male")[picture // 2],
                    "status": "ok",
                    "region": region,
                    "obfuscation": 1 - (rank - 1) / 14,
                    "rank_obfuscation": rank,
                    "changed": 0.1 * picture,
                    "correlation": together,
                }
            )
    lost = [{"sample_id": "lost.png", "identity": "x", "status": "not_protected", "region": r} for r in REGIONS]
    return pd.DataFrame([*rows, *lost])


def of(faces: pd.DataFrame, region: str) -> pd.DataFrame:
    return faces[faces["region"] == region]


def test_the_strongest_region_of_each_face(faces: pd.DataFrame) -> None:
    shares = {region: STRONGEST_REGION_RATE.value(of(faces, region)) for region in REGIONS}
    assert list(shares.values()) == [0.25] * 4 + [0.0] * 11
    five = {region: FIVE_STRONGEST_REGION_RATE.value(of(faces, region)) for region in REGIONS}
    assert list(five.values()) == [0.25, 0.5, 0.75, 1.0, 1.0, 0.75, 0.5, 0.25] + [0.0] * 7
    assert sum(shares.values()) == pytest.approx(1) and sum(five.values()) == pytest.approx(5)
    assert STRONGEST_REGION_RATE.meta.facet == FIVE_STRONGEST_REGION_RATE.meta.facet == "region"


def test_a_region_out_of_sight_and_a_face_without_a_picture_do_not_count(faces: pd.DataFrame) -> None:
    first = next(iter(REGIONS))
    hidden = (faces["region"] == first) & (faces["sample_id"] == "1.png")
    faces.loc[hidden, ["rank_obfuscation", "obfuscation"]] = np.nan
    estimate = disaggregate(STRONGEST_REGION_RATE, of(faces, first), "", rng=rng(0)).overall
    assert estimate.value == pytest.approx(1 / 3) and (estimate.n, estimate.n_excluded) == (3, 2)
    assert REGION_FOCUS.value(of(faces, first)) == pytest.approx((1 + 1 / 14 * 1 + 1 / 14 * 2) / 3)


def test_means_of_a_region_by_group(faces: pd.DataFrame) -> None:
    tip = of(faces, "Nose Tip")
    assert REGION_FOCUS.value(tip) == pytest.approx((13 / 14 + 1 + 0 + 1 / 14) / 4)
    found = disaggregate(REGION_CHANGE, tip, "gender", rng=rng(0), replicates=50)
    assert found.overall.value == pytest.approx(0.15) and found.overall.n_identities == 2
    assert found.rates == pytest.approx({"Female": 0.05, "Male": 0.25})
    assert found.overall.ci_low < 0.15 < found.overall.ci_high


def test_a_correlation_counts_once_for_each_picture(faces: pd.DataFrame) -> None:
    estimate = disaggregate(FOCUS_CORRELATION, faces, "", rng=rng(0)).overall
    assert estimate.value == pytest.approx(0.2)
    assert (estimate.n, estimate.n_identities, estimate.n_excluded) == (3, 2, 2)
    assert FOCUS_CORRELATION.meta.facet == ""


def test_weights_are_copies(faces: pd.DataFrame) -> None:
    chin = of(faces, "Chin").iloc[:4]
    columns = REGION_FOCUS.columns(chin)
    twice = pd.concat([chin, chin.iloc[[2]]])
    assert REGION_FOCUS.compute(columns, np.array([1.0, 1, 2, 1])) == pytest.approx(REGION_FOCUS.value(twice))
    assert math.isnan(REGION_FOCUS.compute(columns, np.zeros(4)))


@pytest.mark.parametrize("metric", [REGION_FOCUS, REGION_CHANGE, FOCUS_CORRELATION, STRONGEST_REGION_RATE])
def test_without_a_face_there_is_no_value(metric: object, faces: pd.DataFrame) -> None:
    estimate = disaggregate(metric, faces[faces["status"] != "ok"], "", rng=rng(0)).overall  # type: ignore[arg-type]
    assert math.isnan(estimate.value) and estimate.n == 0 and estimate.n_excluded > 0


def test_neither_direction_is_judged() -> None:
    assert {m.meta.unit for m in (REGION_FOCUS, REGION_CHANGE, FOCUS_CORRELATION)}.isdisjoint({"share"})
