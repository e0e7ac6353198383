from __future__ import annotations

from unveil.metrics.as_published import EPSILON_ORDER, ERRATA, mean_of_rounded, one_decimal, whole_per_cent
from unveil.metrics.fairness import EPSILONS


def test_roundings() -> None:
    assert whole_per_cent(2 / 3) == 67
    assert whole_per_cent(1 / 8) == 12  # halves to even
    assert whole_per_cent(3 / 8) == 38
    assert one_decimal(5 / 7) == 0.7
    assert mean_of_rounded([50, 87]) == 68
    assert mean_of_rounded([51, 88]) == 70


def test_epsilons_are_the_same_in_every_order() -> None:
    assert all(sorted(order) == sorted(EPSILONS) for order in EPSILON_ORDER.values())


def test_errata_have_distinct_names_and_evidence() -> None:
    assert len({erratum.key for erratum in ERRATA}) == len(ERRATA)
    assert all(e.published != e.corrected and e.evidence and e.where for e in ERRATA)
