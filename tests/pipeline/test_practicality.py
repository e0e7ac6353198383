from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.config import Practicality
from unveil.pipeline.practicality import PARTS, practicality_rows, undefined

RAW = {"blur": (0.9, 1.0, 40.0), "mask": (0.1, 5.0, 60.0), "avatar": (0.3, 2.0, 10.0)}
"""Similar match rate, CMMD, frames per second."""


def measured(raw=RAW, *, encoder="hog", dataset="d"):
    """Rows of the measures table as the three evaluations leave them."""
    rows = []
    for method, values in {"original": (1.0, 0.0, 9999.0), **raw}.items():
        for part, component, value in zip(PARTS, ("small", encoder, ""), values, strict=True):
            for point, of_point in (("headline", value), ("other", 0.123)):
                rows.append(
                    {
                        "cell_id": f"{method}-{part.name}-{component}",
                        "dataset": dataset,
                        "method": method,
                        "component": component,
                        "metric": part.metric,
                        "operating_point": point,
                        "facet": "",
                        "grouping": "",
                        "value": of_point,
                        "n": 5,
                        "passing_rate": 1.0,
                    }
                )
            rows.append({**rows[-1], "grouping": "gender", "value": -7.0})
    return rows


def by_method(rows, metric="practicality"):
    return {row["method"]: row["value"] for row in rows if row["metric"] == metric}


def test_the_worst_is_0_the_best_is_1_and_the_original_takes_no_part():
    rows = list(practicality_rows(Practicality(), "d", measured()))
    assert by_method(rows, "robustness_normalised") == pytest.approx({"blur": 0, "mask": 1, "avatar": 0.75})
    assert by_method(rows, "intelligibility_normalised") == pytest.approx({"blur": 1, "mask": 0, "avatar": 0.75})
    assert by_method(rows, "throughput_normalised") == pytest.approx({"blur": 0.6, "mask": 1, "avatar": 0})
    assert by_method(rows) == pytest.approx({"blur": 1.6 / 3, "mask": 2 / 3, "avatar": 0.5})
    assert {row["component"] for row in rows} == {"small/hog"} and not list(undefined(rows))
    detail = json.loads(next(row for row in rows if row["metric"] == "robustness_normalised")["detail"])
    assert (detail["low"], detail["high"], detail["compared"]) == (0.1, 0.9, ["avatar", "blur", "mask"])
    assert detail["raw"]["operating_point"] == "headline"


def test_weights_count():
    only_speed = Practicality(weights={"robustness": 0, "intelligibility": 0, "throughput": 1})
    rows = list(practicality_rows(only_speed, "d", measured()))
    assert by_method(rows) == by_method(rows, "throughput_normalised")


def test_one_method_has_no_practicality_and_it_is_said_why():
    rows = list(practicality_rows(Practicality(), "d", measured({"blur": RAW["blur"]})))
    assert by_method(rows) == {"blur": None}
    assert len(list(undefined(rows))) == 3
    assert "practicality on d, robustness: one method: min-max is undefined, use anchors" in undefined(rows)
    anchored = list(practicality_rows(Practicality(normalisation="anchors"), "d", measured({"blur": RAW["blur"]})))
    assert 0 < by_method(anchored)["blur"] < 1 and not list(undefined(anchored))


def test_what_was_not_measured_is_named_and_the_others_go_on():
    raw = {**RAW, "slow": (0.5, 3.0, None)}
    rows = list(practicality_rows(Practicality(), "d", measured(raw)))
    values = by_method(rows)
    assert values.pop("slow") is None and None not in values.values()
    assert list(undefined(rows)) == ["practicality on d, throughput: not measured: slow"]


def test_without_one_of_the_parts_there_is_no_row():
    rows = [row for row in measured() if row["metric"] != "cmmd"]
    assert list(practicality_rows(Practicality(), "d", rows)) == []
    assert list(practicality_rows(Practicality(), "elsewhere", measured())) == []


def test_encoders_are_never_mixed():
    clip = [row for row in measured(encoder="clip") if row["metric"] == "cmmd"]
    rows = list(practicality_rows(Practicality(), "d", measured() + clip))
    assert {row["component"] for row in rows} == {"small/hog", "small/clip"}
    assert len({row["cell_id"] for row in rows}) == 6


def test_the_company_is_part_of_the_identity():
    def identity(settings, raw=RAW):
        rows = practicality_rows(settings, "d", measured(raw))
        return {row["cell_id"] for row in rows if row["method"] == "blur"}

    plain = identity(Practicality())
    assert len(plain) == 1 and plain == identity(Practicality())
    assert plain != identity(Practicality(normalisation="anchors"))
    assert plain != identity(Practicality(), {name: RAW[name] for name in ("blur", "mask")})


raw = st.tuples(st.floats(0, 1), st.floats(0, 50), st.floats(0.1, 1e4))


@given(st.dictionaries(st.sampled_from("abcdef"), raw, min_size=2))
def test_scores_stay_between_0_and_1(values):
    for row in practicality_rows(Practicality(), "d", measured(values)):
        assert row["value"] is None or -1e-9 <= row["value"] <= 1 + 1e-9
        json.loads(row["detail"], parse_constant=pytest.fail)  # no NaN in what is stored
