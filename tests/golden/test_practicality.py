"""The published practicality table, from its parts.

Source: Abdulaziz et al., Evaluation of Human Visual Privacy Protection, ICCV Workshops (2025), Table 3. The
normalised parts below were solved by least squares from its 66 printed scores, which they reproduce within
0.0053; they are known to two decimals. The scores themselves were not at hand, except that of HB in the last
row: rows are computed from the parts, rounded as printed, and the tests allow for the rounding of every step.
"""

from __future__ import annotations

import numpy as np
import pytest

from unveil.metrics.practicality import TABLE_3_WEIGHTS, normalise, score, solve_components
from unveil.metrics.weight_simplex import sensitivity

METHODS = ("HB", "HP", "HE", "HM", "HEN", "H2D", "H3D", "HS", "LR+SR", "SPct", "TSD")
ROBUSTNESS = (0.95, 0.95, 0.94, 0.94, 0.96, 0.84, 0.23, 0.0, 1.0, 1.0, 1.0)
INTELLIGIBILITY = (0.72, 0.76, 0.74, 0.77, 0.48, 0.47, 0.42, 1.0, 0.27, 0.0, 0.13)
THROUGHPUT = (0.35, 0.46, 0.41, 0.51, 0.51, 0.10, 0.63, 0.0, 0.32, 0.40, 1.0)

PARTS = np.array([ROBUSTNESS, INTELLIGIBILITY, THROUGHPUT])
ROWS = np.array(TABLE_3_WEIGHTS)
HALF_A_DIGIT = 0.005
OTHERS = [TABLE_3_WEIGHTS[3], (0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6), (0.4, 0.4, 0.2), (0.5, 0.5, 0.0)]
"""The row of thirds, and weights of our own."""


def printed(weights: tuple[float, ...]) -> np.ndarray:
    """A row of the table, as it is printed: two decimals."""
    return np.array([round(score(*parts, weights), 2) for parts in PARTS.T])


def test_three_printed_rows_give_the_parts() -> None:
    table = np.array([printed(row) for row in TABLE_3_WEIGHTS[:3]])
    solved = solve_components(ROWS[:3], table)
    magnified = np.abs(np.linalg.inv(ROWS[:3])).sum(axis=1).max() * HALF_A_DIGIT
    assert np.abs(solved - PARTS).max() <= magnified < 0.008


@pytest.mark.parametrize("weights", OTHERS)
def test_every_other_row_follows_from_the_first_three_within_rounding(weights: tuple[float, ...]) -> None:
    solved = solve_components(ROWS[:3], np.array([printed(row) for row in TABLE_3_WEIGHTS[:3]]))
    from_solved = np.array(weights) @ solved
    magnified = np.abs(np.array(weights) @ np.linalg.inv(ROWS[:3])).sum() * HALF_A_DIGIT
    assert np.abs(from_solved - printed(weights)).max() <= magnified + HALF_A_DIGIT


def test_the_last_row_is_of_thirds_and_not_of_three_tenths() -> None:
    blur = dict(zip(METHODS, PARTS.T, strict=True))["HB"]
    of_thirds, of_three_tenths = score(*blur, TABLE_3_WEIGHTS[3]), 0.3 * blur.sum()
    assert of_thirds == pytest.approx(0.677, abs=HALF_A_DIGIT)
    assert abs(of_thirds - 0.67) <= HALF_A_DIGIT  # as printed
    assert abs(of_three_tenths - 0.67) > 10 * HALF_A_DIGIT
    with pytest.raises(ValueError, match=r"\(0.3, 0.3, 0.3\) with sum 0.9"):
        score(*blur, (0.3, 0.3, 0.3))


def test_the_published_scale_ends_at_the_compared_methods() -> None:
    for part in PARTS:
        values = dict(zip(METHODS, part.tolist(), strict=True))
        assert normalise(values, higher_is_better=True).values == pytest.approx(values)


def test_the_published_winner_depends_on_the_weights() -> None:
    standings = sensitivity(dict(zip(METHODS, PARTS.T.tolist(), strict=True)))
    first = [method for method, standing in standings.items() if standing.share_first > 0.01]
    assert first == ["HP", "HM", "HS", "TSD"]
    assert standings["TSD"].share_first == pytest.approx(0.48, abs=0.01)
    assert standings["HM"].share_first == pytest.approx(0.41, abs=0.01)
    assert (standings["HS"].best_rank, standings["HS"].worst_rank) == (1, len(METHODS))
    assert sum(standing.share_first for standing in standings.values()) == pytest.approx(1)
