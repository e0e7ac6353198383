"""Published preserving rates of FairDeFace: what of them can be recomputed.

Of attributes the paper and its released tables give rates per data set and method, but none per photo and none per
group. So only the last step can be checked: that the mean over the data sets pools photos, as
``attribute_preserving_rate`` does, and is no mean of four rates. Source: csvs/attribute/
Attribute_total_dataset_mean.csv at commit a8672bc3505a; DeepFace's estimators; per cent.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unveil.metrics.attributes import ATTRIBUTE_PRESERVING_RATE

PHOTOS = {"BFW": 20_000, "RFW": 40_607, "DemogPairs": 10_800, "CelebA": 72_480}
"""Photos of each data set (Table I); how many pairs were compared is not published."""

PUBLISHED: dict[tuple[str, str], tuple[int, ...]] = {
    ("gender", "CIAGAN"): (72, 77, 71, 78, 77),
    ("gender", "DP1"): (69, 82, 79, 88, 83),
    ("gender", "DP2"): (75, 82, 79, 87, 84),
    ("emotion", "CIAGAN"): (42, 39, 38, 49, 45),
    ("emotion", "DP1"): (28, 35, 42, 49, 42),
    ("emotion", "DP2"): (26, 34, 39, 45, 39),
    ("race", "CIAGAN"): (30, 35, 27, 62, 50),
    ("race", "DP1"): (30, 45, 44, 61, 52),
    ("race", "DP2"): (31, 43, 44, 64, 52),
    ("age", "CIAGAN"): (86, 84, 86, 86, 85),
    ("age", "DP1"): (84, 84, 86, 86, 85),
    ("age", "DP2"): (81, 84, 85, 86, 84),
}
"""Attribute and method -> rate on each data set, and the published mean."""


def pooled(rates: tuple[int, ...]) -> float:
    """The metric over one row per hundred photos, in per cent."""
    counts = [number // 100 for number in PHOTOS.values()]
    frame = pd.DataFrame({"status": "ok", "preserved": np.repeat(np.array(rates) / 100, counts)})
    return 100 * ATTRIBUTE_PRESERVING_RATE.value(frame)


def test_the_published_means_pool_photos() -> None:
    """Within three points: in how many of the photos a face was found, so that they count, is not published."""
    off = {key: abs(pooled(tuple(rates)) - mean) for key, (*rates, mean) in PUBLISHED.items()}
    assert max(off.values()) < 3 and np.median(list(off.values())) < 0.7, off
    plain = {key: abs(np.mean(rates) - mean) for key, (*rates, mean) in PUBLISHED.items()}
    assert max(plain.values()) > 10, "a mean of the four rates would be another number"
    assert sum(off.values()) < sum(plain.values()) / 4


def test_the_excerpt_is_the_released_table(shared_data: Path) -> None:
    path = shared_data / "reference" / "fairdeface" / "csvs" / "attribute" / "Attribute_total_dataset_mean.csv"
    if not path.is_file():
        pytest.skip("needs reference/fairdeface in the data pack")
    found, attribute = {}, ""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            if len(row) == 1:
                attribute = row[0]
            elif row and row[0]:
                found[attribute, row[0]] = tuple(int(value) for value in row[1:])
    assert found == PUBLISHED
