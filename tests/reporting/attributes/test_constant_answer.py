from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.reporting.attributes.constant_answer import constant_answers
from unveil.reporting.results import Results
from unveil.store.run import RunStore

COLUMNS = ["cell_id", "attribute", "kind", "told_original", "photos", "compared"]


def constants(*rows: tuple[str, str, str, str, int, int]):  # type: ignore[no-untyped-def]
    return constant_answers(pd.DataFrame(rows, columns=COLUMNS), "told_original", "compared")


def test_the_most_frequent_word_whatever_its_case() -> None:
    found = constants(
        ("a", "expression", "categorical", "Neutral", 5, 1),
        ("a", "expression", "categorical", "neutral", 2, 2),
        ("a", "expression", "categorical", "happy", 6, 1),
        ("b", "expression", "categorical", "happy", 3, 0),
        ("b", "expression", "categorical", "", 9, 0),
    )
    assert found["a", "expression"].answer == "Neutral"
    assert found["a", "expression"].rate == pytest.approx(3 / 4), "of the faces that count, not of all"
    assert ("b", "expression") not in found, "none counts"


def test_it_is_found_in_the_faces_on_which_it_is_scored() -> None:
    """A method that hides most women leaves an easy guess: Male."""
    found = constants(
        ("a", "gender", "categorical", "Female", 48, 2), ("a", "gender", "categorical", "Male", 48, 12)
    )
    assert found["a", "gender"].answer == "Male"
    assert found["a", "gender"].rate == pytest.approx(12 / 14)


def test_of_equally_frequent_words_the_first() -> None:
    rows = [("a", "gender", "categorical", word, 4, 4) for word in ("Male", "Female")]
    assert constants(*rows) == constants(*rows[::-1])
    assert constants(*rows)["a", "gender"].answer == "Female"


def test_the_median_of_numbers_and_the_mean_of_angles() -> None:
    found = constants(
        ("a", "age", "numeric", "20.0", 1, 1),
        ("a", "age", "numeric", "40.0", 3, 3),
        ("a", "age", "numeric", "20-29", 7, 7),
        ("a", "pose", "angles", "10.0,0.0,0.0", 1, 1),
        ("a", "pose", "angles", "0.0,10.0,0.0", 1, 1),
    )
    assert found["a", "age"].words == "40.0"
    assert found["a", "age"].rate == pytest.approx((0.5 + 3) / 4)
    assert found["a", "pose"].answer == "5.0,5.0,0.0"
    assert found["a", "pose"].rate == pytest.approx(math.sqrt(0.5))
    assert found["a", "pose"].words == "5.0, 5.0, 0.0"


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 50)), min_size=1, max_size=8))
def test_no_other_word_scores_more_over_everybody(said: list[tuple[str, int]]) -> None:
    rows = [("c", "x", "categorical", word, photos, photos) for word, photos in said]
    total = sum(photos for _, photos in said)
    shares = {word: sum(p for w, p in said if w == word) / total for word, _ in said}
    assert constants(*rows)["c", "x"].rate == pytest.approx(max(shares.values()))


def test_an_estimator_that_always_says_it_would_score_it(told_store: RunStore, told: Results) -> None:
    rows = told_store.sql("select * from observations where attribute = 'gender' and status = 'ok'")
    found = constant_answers(told.told, "told_original", "compared")
    for cell, mine in rows.groupby("cell_id"):
        answer = told_store.sql(
            f"select told_original, count(*) as n from observations where cell_id = '{cell}' "
            "and attribute = 'gender' and status = 'ok' group by 1 order by n desc, told_original"
        )["told_original"][0]
        assert found[cell, "gender"].answer == answer
        assert found[cell, "gender"].rate == pytest.approx((mine["told_original"] == answer).mean())
