"""How FairDeFace rounds, and where its published numbers contradict themselves.

The comparison of rates as the released scripts make it is ``mode="as_published"`` of
:mod:`unveil.metrics.fairness`; this module holds what happens to the result, and the errata. Numbers are
facts from the paper and its released tables (commit a8672bc3505a).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

EPSILON_ORDER: Mapping[str, tuple[float, ...]] = {
    "ratio tables": (0.02, 0.05, 0.1, 0.15, 0.2),
    "verification and FID difference files": (0.02, 0.05, 0.1, 0.15, 0.2),
    "detection, identification and attribute difference files": (0.2, 0.15, 0.1, 0.05, 0.02),
}
"""Order of the epsilons inside published lists; here values are always found by their epsilon."""


def whole_per_cent(share: float) -> int:
    """A share in [0, 1] as published: whole per cent, the nearest, halves to even."""
    return round(100 * share)


def one_decimal(share: float) -> float:
    """A group's fraction in the ratio tables of demographic bias: one decimal, the nearest."""
    return round(share, 1)


def mean_of_rounded(per_cents: Iterable[float]) -> int:
    """``mean`` and ``means`` cells: the mean of values that are whole per cents already, halves to even.

    >>> mean_of_rounded([50, 87])
    68
    """
    return int(np.round(np.mean(list(per_cents))))


@dataclass(frozen=True, slots=True)
class Erratum:
    """A published statement that contradicts the data it stands on.

    Attributes:
        key: short name.
        where: table or file.
        published: as it stands there.
        corrected: what the data give.
        evidence: how one can tell.
        kind: ``value`` (a number), ``label`` (names or order) or ``rule`` (a computation).
    """

    key: str
    where: str
    published: str
    corrected: str
    evidence: str
    kind: Literal["value", "label", "rule"]


_GROUP_COUNTS = "biased pairs recounted from Verification__demographics-Version2-ratio.csv"

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "ciagan-within-group",
        "Table III, identification inside the group, CIAGAN",
        "97",
        "87",
        "mean of BFW 84.9 and DemogPairs 90.07 in Identification_total_dataset_mean.csv, weighted by group",
        "value",
    ),
    Erratum(
        "verification-race-exchanged",
        "Table XVI, verification, race, CIAGAN and DP1",
        "columns DemogPairs, RFW",
        "columns RFW, DemogPairs",
        _GROUP_COUNTS,
        "label",
    ),
    Erratum(
        "verification-race-dp2",
        "Table XVI, verification, race, DP2",
        "DemogPairs as BFW (83, 17, 0, 0, 0), RFW as DP1's",
        "DemogPairs 67, 67, 0, 0, 0 and RFW 83, 33, 0, 0, 0",
        _GROUP_COUNTS,
        "value",
    ),
    Erratum(
        "verification-pairs-dp2",
        "Table XVI, verification, pairs, DP2",
        "BFW 71, 54, 11, 0, 0 and DemogPairs 93, 80, 53, 33, 13",
        "BFW 71, 25, 0, 0, 0 and DemogPairs 93, 53, 13, 0, 0",
        _GROUP_COUNTS,
        "value",
    ),
    Erratum(
        "epsilon-order",
        "Table XV, caption",
        "epsilon from 0.2 to 0.02",
        "epsilon from 0.02 to 0.2",
        "bias cannot grow with epsilon, and the values fall from left to right",
        "label",
    ),
    Erratum(
        "scenario-names",
        "released identification script and README",
        "scenario 1 is each group alone, 2 is everybody",
        "scenario 1 (S1) is everybody, 2 (S2) each group",
        "paper, result folders and bias scripts agree with each other and with the rates",
        "label",
    ),
    Erratum(
        "failure-as-success",
        "Detection/bias and Attributes/bias (difference generation), Original in Identification/bias",
        "the best group is listed as disadvantaged",
        "rates of failure are compared with higher_is_better=False",
        "csvs/detection points the other way in 44 of 44 blocks",
        "rule",
    ),
    Erratum(
        "fid-total-mean",
        "Quality/bias, Total MEAN",
        "divides by one data set too many (DP2 at 0.02: 74)",
        "the mean of the data sets (DP2 at 0.02: 92)",
        "an empty block Overall Mean is counted as a data set with bias 0",
        "rule",
    ),
    Erratum(
        "fid-identical",
        "Quality/FIDs, DP1 on CelebA",
        "FID 0.0, called fair",
        "not a measurement",
        "a FID of zero means that identical folders were compared",
        "value",
    ),
    Erratum(
        "sum-of-rfw",
        "text, size of RFW",
        "approximately 80,000 images",
        "40,607 images",
        "sum of the paper's own table of data sets",
        "value",
    ),
)
"""Known contradictions; each is stated beside the number wherever published numbers are shown."""
