"""FID success from measures, and the alarm for pictures that were never protected."""

from __future__ import annotations

import math

import pytest

from unveil.config import Fairness
from unveil.core.schema import MEASURES
from unveil.metrics.kid import SAME
from unveil.pipeline.fid_success import success_rows, unchanged


def row(method: str, group: str, value: float, detail: str = "", cell: str = "c") -> dict[str, object]:
    filled = dict.fromkeys(MEASURES.names, "")
    grouping = "gender" if group else ""
    known = {
        "cell_id": f"{cell}-{method}",
        "method": method,
        "metric": "fid",
        "grouping": grouping,
        "group": group,
    }
    return {**filled, **known, "value": value, "n": 10, "higher_is_better": False, "detail": detail}


MEASURED = [row("blur", "", 30.0), row("blur", "A", 10.0), row("blur", "B", 40.0), row("original", "A", 0.0)]


def test_the_worst_group_has_no_success_and_the_others_are_measured_against_it() -> None:
    successes, disparities = success_rows(MEASURED, Fairness())
    assert {entry["group"]: entry["value"] for entry in successes} == {"A": 0.75, "B": 0.0}
    assert all(entry["metric"] == "fid_success" and entry["higher_is_better"] for entry in successes)
    assert all("against B" in entry["detail"] and entry["method"] == "blur" for entry in successes)
    averages = [d for d in disparities if d["statistic"] == "average_bias"]
    assert len(averages) == 10 and all(entry["value"] == 1 for entry in averages)
    against = {d["group"]: d["value"] for d in disparities if d["statistic"] == "demographic_bias"}
    assert against == {"A": 0, "B": 1}


def test_a_group_without_fid_has_no_values_rather_than_nan() -> None:
    successes, disparities = success_rows([*MEASURED, row("blur", "C", math.nan)], Fairness())
    assert {entry["group"]: entry["value"] for entry in successes} == {"A": 0.75, "B": 0.0, "C": None}
    assert {d["value"] for d in disparities if d.get("group") == "C"} == {None}
    assert all(entry["detail"].endswith("; not compared: C") for entry in successes)


def test_one_group_that_is_compared_is_compared_with_nobody() -> None:
    assert success_rows([row("blur", "A", 10.0), row("blur", "B", math.nan)], Fairness()) == ([], [])


def test_where_nothing_changed_there_is_an_alarm_and_no_success() -> None:
    measured = [row("copy", "", 0.0, SAME), row("copy", "A", 0.0, SAME), row("copy", "B", 1e-9, SAME)]
    assert success_rows(measured, Fairness()) == ([], [])
    (alarm,) = unchanged([*measured, row("original", "", 0.0, SAME)])
    assert alarm.startswith("copy on") and SAME in alarm


@pytest.mark.parametrize("measured", [[], [row("blur", "", 3.0)], [row("blur", "A", math.nan)]])
def test_without_groups_or_values_there_is_nothing(measured: list[dict[str, object]]) -> None:
    assert success_rows(measured, Fairness()) == ([], [])
