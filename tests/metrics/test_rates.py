from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil import registry
from unveil.metrics import COMPONENTS, rates
from unveil.metrics.cmmd import Discrepancy
from unveil.metrics.outcomes import Accounting, account, decide_by_rank, decide_by_threshold
from unveil.metrics.ranking import Ranking
from unveil.metrics.rates import Rate, cmc
from unveil.metrics.statistic import Statistic


def test_rates_agree_with_the_accounting(verification: pd.DataFrame) -> None:
    frame = verification
    frame["outcome"] = decide_by_threshold(frame, 0.3)
    attack, floor = account(frame)
    assert rates.RECOGNITION_RATE.value(frame) == attack.recognition_rate
    assert rates.OBFUSCATION_SUCCESS_RATE_CONDITIONAL.value(frame) == attack.osr_conditional
    assert rates.OBFUSCATION_SUCCESS_RATE_OVERALL.value(frame) == attack.osr_overall
    assert rates.EXPOSURE_RATE.value(frame) == attack.exposure
    assert rates.STRANGER_REJECTION_RATE_CONDITIONAL.value(frame) == floor.osr_conditional
    assert rates.STRANGER_REJECTION_RATE_OVERALL.value(frame) == floor.osr_overall
    assert floor.osr_conditional > attack.osr_conditional


def test_mated_rates_are_silent_about_strangers_and_exclude_the_rest(verification: pd.DataFrame) -> None:
    frame = verification
    frame["outcome"] = decide_by_threshold(frame, 0.3)
    rate = rates.OBFUSCATION_SUCCESS_RATE_CONDITIONAL
    used, population = rate.denominator(frame), rate.population(frame)
    assert not (used & ~frame["mated"]).any()
    excluded = frame["outcome"][population & ~used]
    assert set(excluded) == {"not_acquired", "not_protected", "error"}


def test_passing_and_detection_rate() -> None:
    frame = pd.DataFrame(
        {
            "status": ["ok", "ok", "not_acquired", "not_protected", "error"],
            "n_faces": pd.array([1, 2, 0, None, None], dtype="Int64"),
        }
    )
    assert rates.PASSING_RATE.value(frame) == 3 / 4
    assert rates.DETECTION_RATE.value(frame) == 2 / 3
    assert np.isnan(rates.PASSING_RATE.value(frame.iloc[4:]))


def test_every_registered_metric_is_an_instance_with_its_own_name() -> None:
    for name in COMPONENTS:
        metric = registry.load(registry.find("metrics", name))
        assert isinstance(metric, Rate | Ranking | Statistic | Discrepancy)
        assert metric.meta.name == name
        assert metric.meta.title
        assert metric.meta.source.citation


def test_directions_are_those_of_the_protected_person() -> None:
    assert rates.OBFUSCATION_SUCCESS_RATE_OVERALL.meta.higher_is_better
    assert rates.DETECTION_RATE.meta.higher_is_better
    assert not rates.EXPOSURE_RATE.meta.higher_is_better
    assert not rates.RECOGNITION_RATE.meta.higher_is_better


def test_cmc_of_a_small_gallery() -> None:
    frame = pd.DataFrame(
        {
            "status": ["ok", "ok", "ok", "not_acquired", "not_protected", "error"],
            "rank": pd.array([1, 3, 1, None, None, None], dtype="Int64"),
            "gallery_size": [4] * 6,
        }
    )
    assert cmc(frame).tolist() == [0.5, 0.5, 0.75, 0.75]
    assert np.isnan(cmc(frame.iloc[4:])).all()


probes = st.lists(
    st.tuples(st.sampled_from(["ok", "not_acquired", "error"]), st.integers(1, 9)), min_size=1, max_size=40
)


@given(probes)
def test_cmc_rises_to_the_share_of_probes_with_a_face_and_is_the_rank_k_rate(
    rows: list[tuple[str, int]],
) -> None:
    frame = pd.DataFrame(rows, columns=["status", "rank"])
    frame["rank"] = frame["rank"].where(frame["status"] == "ok")
    frame["gallery_size"] = 9
    curve = cmc(frame)
    if np.isnan(curve).all():
        assert set(frame["status"]) == {"error"}
        return
    assert (np.diff(curve) >= 0).all()
    for k in (1, 4, 9):
        assert curve[k - 1] == pytest.approx(1 - Accounting.of(decide_by_rank(frame, k)).osr_overall)
