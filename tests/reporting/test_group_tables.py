from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from unveil.reporting import figures
from unveil.reporting.group_tables import GroupTable, group_table, groups_frame
from unveil.reporting.number import Number
from unveil.reporting.results import Results
from unveil.reporting.svg import to_svg
from unveil.reporting.writer import Writer

DATASET = "sample-faces"


@pytest.fixture(scope="module")
def table(results: Results) -> GroupTable:
    rows = results.select("measures", dataset=DATASET, metric="detection_rate")
    measured = {str(method): mine for method, mine in rows.groupby("method", sort=False)}
    return group_table(results, DATASET, "Detection", "Method", measured)


def test_groups_stand_under_their_groupings(results: Results, table: GroupTable) -> None:
    assert dict(table.groupings) == {
        "gender": ["Female", "Male"],
        "tone": ["Dark", "Light"],
        "gender+tone": ["Female Dark", "Female Light", "Male Dark", "Male Light"],
    }
    here = {"metric": "detection_rate", "method": "eye_mask", "grouping": "tone", "group": "Dark"}
    assert table.rows["eye_mask"]["tone", "Dark"] == results.number(**here)
    assert table.rows["eye_mask"]["", ""].n == 64


def test_frame_and_figure_have_the_same_numbers(table: GroupTable, tmp_path: Path) -> None:
    shown = table.figure("d1_detection", Writer(tmp_path))
    assert shown is not None and "by gender and tone" in shown.description
    drawn = pd.read_csv(tmp_path / "figures" / "d1_detection.csv")
    frame = table.frame()
    assert drawn["value"].tolist() == frame.loc[frame["grouping"] == "gender+tone", "value"].tolist()
    flat = groups_frame(DATASET, [("mtcnn", table)])
    assert len(flat) == len(frame) == 4 * 9
    assert set(flat["model"]) == {"mtcnn"}
    assert groups_frame(DATASET, []).empty


def test_without_groups_there_is_no_figure(tmp_path: Path) -> None:
    bare = GroupTable("Detection", "Method", {}, {"pixelation": {("", ""): Number(0.5)}})
    assert bare.finest == ""
    assert bare.figure("x", Writer(tmp_path)) is None
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("share", [True, False])
def test_long_labels_leave_room_for_the_axes(share: bool) -> None:
    name = "somebody_elses_plugin.with_a_label_that_is_longer_than_the_figure_is_wide"
    frame = pd.DataFrame({"method": [name], "group": ["a"], "value": [0.5], "low": [-0.4], "high": [0.6]})
    figure = figures.by_group(frame, ["a"], share=share)
    to_svg(figure)  # lays it out
    assert figure.axes[0].get_position().width > 0.4
    assert "".join(label.get_text() for label in figure.axes[0].get_yticklabels()).replace("\n", "") == name
