from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import unveil
from unveil.pipeline.examples import COLUMNS, choose


@pytest.mark.parametrize(("per_group", "expected"), [(0, 0), (1, 3), (2, 6), (8, 6)])
def test_so_many_different_people_of_each_group(per_group, expected):
    frame = pd.DataFrame(
        {
            "identity": [f"p{i // 2}" for i in range(60)],
            "demographic_group": [f"g{i // 20}" for i in range(60)],
        },
        index=[f"{i}.jpg" for i in range(60)],
    )
    chosen = choose(frame, per_group, np.random.default_rng(1))
    assert len(chosen) == expected <= COLUMNS
    assert chosen["identity"].is_unique


def test_no_photo_leaves_a_run_that_must_not_show_any(small_config):
    config = small_config(evaluations=["detection"], report={"examples_per_group": 0})
    store = unveil.run(config)
    assert json.loads((store.folder / "examples" / "examples.json").read_text()) == []
    assert not list(store.folder.rglob("*.jpg"))
    page = unveil.report(store.folder).read_text(encoding="utf-8")
    assert "data:image/jpeg" not in page
