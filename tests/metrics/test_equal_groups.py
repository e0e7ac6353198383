from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.fingerprint import rng
from unveil.metrics.equal_groups import LEAST, of_equal_size
from unveil.metrics.fid import FID
from unveil.metrics.grouping import Crowd, disaggregate


@given(st.integers(0, 10**6), st.lists(st.integers(0, 12), min_size=1, max_size=5))
def test_every_group_has_as_many_as_the_smallest_that_is_compared(seed: int, sizes: list[int]) -> None:
    label = np.repeat(np.arange(len(sizes)), sizes)
    used = np.random.default_rng(seed).random(len(label)) < 0.7
    groups = {str(number): label == number for number in range(len(sizes))}
    least = 2 + seed % 6
    thin = of_equal_size(groups, used, rng(seed), least=least)
    counts = {name: int((rows & used).sum()) for name, rows in groups.items()}
    smallest = min((count for count in counts.values() if count >= least), default=0)
    for name, rows in thin.items():
        assert int((rows & used).sum()) == (smallest if counts[name] >= least else counts[name])
        assert not (rows & ~groups[name]).any() and np.array_equal(rows & ~used, groups[name] & ~used)
    assert list(thin) == list(groups)
    again = of_equal_size(groups, used, rng(seed), least=least)
    assert all(np.array_equal(thin[name], again[name]) for name in thin)


def test_a_group_of_two_does_not_make_all_others_small() -> None:
    label = np.repeat(["two", "some", "many"], [2, LEAST, 100])
    groups = {name: label == name for name in ("two", "some", "many")}
    thin = of_equal_size(groups, np.ones(len(label), bool), rng(0))
    assert {name: int(rows.sum()) for name, rows in thin.items()} == {"two": 2, "some": LEAST, "many": LEAST}


def test_fid_of_one_distribution_is_then_no_longer_larger_for_the_small_group() -> None:
    draw = np.random.default_rng(0)
    gender = ["Female"] * 20 + ["Male"] * 200
    frame = pd.DataFrame(
        {
            "status": "ok",
            "identity": "",
            "sample_id": [str(i) for i in range(220)],
            "gender": gender,
            "original": list(draw.normal(size=(220, 6))),
            "protected": list(draw.normal(size=(220, 6))),
        }
    )
    crowd = Crowd.of(frame, ["gender"])
    thin = of_equal_size(crowd.groups["gender"], FID.denominator(frame), rng(1))
    equal = Crowd(crowd.person, {"gender": thin}, crowd.ungrouped)
    ratios = []
    for chosen in (crowd, equal):
        measured = disaggregate(FID, frame, "gender", rng=rng(0), replicates=2, crowd=chosen)
        ratios.append(measured.rates["Female"] / measured.rates["Male"])
    assert ratios[0] > 4 and 0.3 < ratios[1] < 3
