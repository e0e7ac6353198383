"""Observation frames as evaluations write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unveil.metrics.outcomes import STATUSES


@pytest.fixture
def verification() -> pd.DataFrame:
    """Half mated, half non-mated pairs of 20 people with every status; mated pairs are more alike."""
    rng = np.random.default_rng(0)
    n = 400
    mated = np.arange(n) % 2 == 0
    status = rng.choice(STATUSES, n, p=[0.7, 0.1, 0.1, 0.1])
    similarity = np.where(status == "ok", rng.normal(np.where(mated, 0.5, 0.1), 0.2), np.nan)
    identity = rng.integers(20, size=n)
    return pd.DataFrame(
        {
            "status": status,
            "mated": mated,
            "similarity": similarity,
            "identity": [f"p{i:02}" for i in identity],
            "gender": np.where(identity % 2 == 0, "Female", "Male"),
            "race": np.where(identity % 4 < 2, "Black", "White"),
        }
    )
