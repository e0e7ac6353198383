from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from unveil import registry
from unveil.config import Fairness
from unveil.core.types import Cell
from unveil.metrics.grouping import Crowd
from unveil.pipeline.measure import NO_COMPARISON, Measurer, Rows

CELL = Cell("c", "d", "mask", "privacy", "small", "trained_on_originals")
FAIRNESS = {"replicates": 100, "minimum_identities": 2, "epsilons": (0.1,)}


def measured(name, frame, *, cell=CELL, **fairness):
    crowd = Crowd.of(frame, ["gender"])
    settings = Fairness(**{**FAIRNESS, **fairness})
    measurer = Measurer(cell, "", ["gender"], settings, 7, {("", ""): 0.5}, crowd)
    rows = Rows()
    measurer.measure(registry.load(registry.find("metrics", name)), frame, rows)
    return pd.DataFrame(rows.measures), pd.DataFrame(rows.disparities)


def labelled(drops):
    """A picture of twenty people of each gender, two labels, of which the second is always there.

    Args:
        drops: gender -> by how much scores of positives are worse on protected pictures.
    """
    rng, rows = np.random.default_rng(0), []
    for gender, drop in drops.items():
        for index in range(20):
            for label, positive in (("age", index % 2 == 0), ("face", True)):
                score = positive + rng.normal(0, 0.7)
                rows.append(
                    {
                        "identity": f"{gender}{index}",
                        "sample_id": f"{gender}{index}",
                        "gender": gender,
                        "status": "ok",
                        "label": label,
                        "positive": positive,
                        "score": score - drop * (2 * positive - 1),
                        "score_original": score,
                    }
                )
    return pd.DataFrame(rows)


def test_a_faceted_metric_is_measured_label_by_label_and_not_by_group():
    measures, disparities = measured("average_precision", labelled({"Female": 0, "Male": 0}))
    assert measures["facet"].tolist() == ["age", "face"] and set(measures["grouping"]) == {""}
    assert disparities.empty
    age, face = measures.to_dict("records")
    assert 0 < age["value"] < 1 and age["n"] == 40 and age["passing_rate"] == 0.5
    assert math.isnan(face["value"]) and "one class" in face["detail"]


def test_a_label_that_is_always_there_is_left_out_of_the_mean_and_counted():
    measures, _ = measured("cmap", labelled({"Female": 0, "Male": 0}))
    assert measures["grouping"].tolist() == ["", "gender", "gender"]
    overall = measures.iloc[0]
    assert overall["n"] == 40 and overall["n_excluded"] == 40 and "face" in overall["detail"]


def test_drops_are_compared_as_shares_and_below_zero_is_no_worse_than_none():
    frame = labelled({"Female": 2.0, "Male": -0.5})
    measures, disparities = measured("cmap_drop", frame)
    drop = measures[measures["grouping"] == "gender"].set_index("group")["value"]
    assert drop["Female"] > 0.2 and drop["Male"] < 0  # what is measured is shown as it is
    pairs = disparities[disparities["statistic"] == "pair"]
    assert set(pairs["definition"]) == {"ratio", "difference"}
    difference = pairs.set_index("definition").loc["difference", "value"]
    assert abs(difference) == pytest.approx(drop["Female"])  # against 0, not against a merit of Female
    bias = disparities[disparities["statistic"] == "demographic_bias"].groupby("group")["value"].max()
    assert bias["Male"] == 1 and bias["Female"] == 0


@pytest.mark.parametrize("name", sorted(NO_COMPARISON & {"cmap_above_chance", "cmap_exposed"}))
def test_the_same_thing_is_judged_once(name):
    measures, disparities = measured(name, labelled({"Female": 2.0, "Male": 0}))
    assert len(measures) == 3 and disparities.empty


def test_the_published_mode_judges_no_scene_metric_of_originals():
    original = Cell("c", "d", "original", "privacy", "small", "")
    frame = labelled({"Female": 2.0, "Male": 0})
    _, published = measured("cmap_drop", frame, cell=original, mode="as_published")
    _, corrected = measured("cmap_drop", frame, cell=original)
    assert published.empty and not corrected.empty


def test_frames_belong_to_nobody():
    frame = pd.DataFrame(
        {
            "identity": [np.nan] * 4,
            "sample_id": "",
            "gender": [np.nan] * 4,
            "status": ["ok", "ok", "error", "ok"],
            "size": ["8x8", "8x8", "8x8", "9x9"],
            "frames": 4,
            "seconds": [1.0, 2.0, np.nan, 4.0],
        }
    )
    measures, disparities = measured("frames_per_second", frame)
    assert disparities.empty and measures["facet"].tolist() == ["8x8", "9x9"]
    assert measures["value"].tolist() == [3.0, 1.0]
    assert measures["n"].tolist() == [2, 1] and measures["n_excluded"].tolist() == [1, 0]


def test_the_bootstrap_is_the_same_every_time_and_another_for_another_cell():
    frame = labelled({"Female": 0.5, "Male": 0.2})
    one, two = (measured("cmap_drop", frame)[0] for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    other, _ = measured("cmap_drop", frame, cell=Cell("other", "d", "mask", "privacy", "small", ""))
    assert (one["value"] == other["value"]).all() and (one["ci_low"] != other["ci_low"]).any()


def test_a_group_with_too_few_pictures_is_not_compared_and_leaves_the_others_their_pictures():
    draw = np.random.default_rng(0)
    gender = ["Female"] * 60 + ["Male"] * 30 + ["Other"] * 2
    frame = pd.DataFrame(
        {
            "status": "ok",
            "identity": [str(i) for i in range(92)],
            "sample_id": [str(i) for i in range(92)],
            "gender": gender,
            "original": list(draw.normal(size=(92, 3))),
            "protected": list(draw.normal(size=(92, 3))),
        }
    )
    measures, _ = measured("fid", frame)
    groups = measures[measures["grouping"] == "gender"].set_index("group")
    assert groups["n"].to_dict() == {"Female": 30, "Male": 30, "Other": 2}
    assert groups["value"].notna().to_dict() == {"Female": True, "Male": True, "Other": False}
    assert groups.loc["Other", "detail"] == "fewer than 20 pictures: not compared"
    assert measures.iloc[0]["n"] == 92 and measures.iloc[0]["value"] > 0
    measures, _ = measured("fid", frame, minimum_identities=40)  # fewer pictures are fewer people
    groups = measures[measures["grouping"] == "gender"].set_index("group")
    assert groups["n"].to_dict() == {"Female": 60, "Male": 30, "Other": 2}
    assert groups["value"].notna().to_dict() == {"Female": True, "Male": False, "Other": False}
