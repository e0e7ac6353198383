from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unveil.core.errors import StoreError
from unveil.reporting import bias, compared, figures, quality
from unveil.reporting.answer import answer
from unveil.reporting.html import write_report
from unveil.reporting.number import Number, percent
from unveil.reporting.results import Results
from unveil.reporting.standing import Standing, frontier, strongest_attack
from unveil.reporting.svg import inline, to_svg
from unveil.reporting.tables import cmc_frame, headline, plane_frame
from unveil.reporting.troubles import failures, troubles
from unveil.store.run import RunStore


def standing(method: str, exposure: float, detection: float) -> Standing:
    return Standing(method, None, "", Number(exposure), None, "", None, {"mtcnn": Number(detection)})


def test_frontier_drops_what_another_beats() -> None:
    placed = [
        standing("original", 1, 1),
        standing("a", 0.1, 0.2),
        standing("b", 0.1, 0.9),
        standing("c", 0.5, 0.95),
    ]
    assert [s.method for s in frontier(placed)] == ["b", "c"]


def test_number_wording() -> None:
    number = Number(0.0421, 0.029, 0.058, 1152)
    assert (number.percent, number.interval) == ("4.2%", "2.9–5.8%")
    assert number.complement.interval == "94.2–97.1%"
    assert Number(float("nan")).percent == "–"
    assert percent(-0.0001) == "0.0%"
    assert not number.overlaps(Number(0.2, 0.1, 0.3))
    assert number.overlaps(Number(0.2)), "without an interval nothing is told apart"


def test_long_lists_do_not_compete() -> None:
    rows = {
        "metric": "exposure_rate",
        "grouping": "",
        "value": [0.9, 0.4, 0.3],
        "operating_point": ["rank_5", "rank_1", "f1"],
    }
    found = strongest_attack(pd.DataFrame(rows))
    assert found is not None
    assert found["operating_point"] == "rank_1"


def test_answer_is_the_lowest_of_the_highest(results: Results) -> None:
    found = answer(results, "sample-faces")
    assert found.best is not None
    assert found.best.exposure is not None
    exposures = results.measures[
        (results.measures["metric"] == "exposure_rate")
        & (results.measures["grouping"] == "")
        & (results.measures["operating_point"] != "rank_5")
        & (results.measures["method"] != "original")
    ]
    highest = exposures.groupby("method")["value"].max()
    assert found.best.exposure.value == highest.min()
    for rival in found.rivals:
        assert rival.exposure is not None
        assert rival.exposure.low <= found.best.exposure.high
    assert found.failing[found.best.method].grouping == "gender+tone"
    verdicts = found.failing[found.best.method].verdicts
    assert verdicts is not None
    assert verdicts.pairs == 6


def test_keeping_faces_is_no_merit_without_protection(results: Results) -> None:
    found = answer(results, "sample-faces")
    assert found.original is not None
    assert replace(found, keeper=found.original).keeper_is_open, "as open as unprotected photos"
    hidden = replace(found.original, exposure=Number(0.0, 0.0, 0.0))
    assert not replace(found, keeper=hidden).keeper_is_open
    worse = replace(found.original, exposure=Number(1.0, 1.0, 1.0))
    assert replace(found, keeper=worse).keeper_is_open
    assert not replace(found, keeper=None).keeper_is_open


def test_headline_agrees(results: Results) -> None:
    frame = headline(results.measures).set_index("method")
    for s in answer(results, "sample-faces").standings:
        assert s.exposure is not None
        assert frame.loc[s.method, "exposure"] == s.exposure.value
        names = (s.attack.evaluation, s.attack.component, s.attack.threat_model, s.attack.operating_point)
        assert frame.loc[s.method, "strongest attack"] == " ".join(names)


def test_floor_is_what_the_attack_makes_of_strangers(results: Results) -> None:
    for s in answer(results, "sample-faces").standings:
        assert s.floor is not None
        if s.floor_is == "strangers":
            rows = results.select(
                "measures", cell_id=s.cell_id, metric="stranger_rejection_rate_overall", grouping=""
            )
            rows = rows[rows["operating_point"] == s.attack.operating_point]
            assert s.floor.value == pytest.approx(1 - rows["value"].iloc[0])
        else:
            assert s.floor.value == pytest.approx(1 / 8, rel=0.2)


def test_bias_counts_come_from_the_disparities(results: Results) -> None:
    placed = answer(results, "sample-faces").standings
    table = bias.bias_tables(results, "sample-faces", compared.judged(results, "sample-faces", placed))[0]
    row = table.sections["gender+tone"][0]
    rows = results.select(
        "disparities", cell_id=placed[0].cell_id, operating_point=placed[0].attack.operating_point,
        metric="exposure_rate", grouping="gender+tone",
    )  # fmt: skip
    for (definition, epsilon), cell in row.cells.items():
        mine = rows[(rows["definition"] == definition) & (rows["epsilon"] == epsilon)]
        average = mine[mine["statistic"] == "average_bias"]["value"].iloc[0]
        assert cell.value == average
        assert cell.pairs == (mine["statistic"] == "pair").sum() == 6
        assert cell.shown == (mine["verdict"] == "biased").sum()


def test_quality_and_thresholds(results: Results) -> None:
    (row,) = quality.recognizers(results, "sample-faces")
    assert {"auc", "best_f1", "equal_error_rate"} <= set(row.numbers)
    records = quality.thresholds(results, "sample-faces")
    assert {record["policy"] for record in records} == {"f1", "group_fmr=0.01"}
    assert len([record for record in records if record["group"]]) == 4


def test_cmc_rises(results: Results) -> None:
    frame = cmc_frame(results, "sample-faces")
    assert frame.groupby("method")["found"].apply(lambda found: (np.diff(found) >= 0).all()).all()
    assert frame.groupby("method")["rank"].apply(lambda rank: (np.diff(rank) > 0).all()).all()


def test_figures_are_the_same_every_time(results: Results) -> None:
    placed = answer(results, "sample-faces").standings
    exposure = compared.group_frame(results, "sample-faces", compared.strongest_exposure(placed), "tone")
    for make in (
        lambda: figures.plane(plane_frame(placed)),
        lambda: figures.by_group(exposure, ["Dark", "Light"]),
    ):
        first = to_svg(make())
        assert first == to_svg(make())
        ET.fromstring(first)
        assert "k_same_average" in first, "text stays text"


def test_inlined_figures_share_no_id(results: Results) -> None:
    svg = to_svg(figures.plane(plane_frame(answer(results, "sample-faces").standings)))
    ids = [{e.get("id") for e in ET.fromstring(inline(svg, name, 'a "b" <c>')).iter()} - {None} for name in "xy"]
    assert ids[0].isdisjoint(ids[1])


@pytest.mark.parametrize("amount", [1, 25])
def test_plane_takes_few_and_many_methods(amount: int) -> None:
    rng = np.random.default_rng(1)
    rows = {"method": [f"method_{i}" for i in range(amount)]}
    for name in ("exposure", "detection"):
        value = np.round(rng.random(amount) ** 3, 2)
        rows |= {
            name: value,
            f"{name}_low": np.maximum(value - 0.1, 0),
            f"{name}_high": np.minimum(value + 0.1, 1),
        }
    svg = to_svg(figures.plane(pd.DataFrame(rows)))
    assert all(f"method_{i}" in svg for i in range(amount))


def test_troubles_tell_what_is_weak(hostile: RunStore) -> None:
    results = Results.load(hostile)
    texts = [trouble.text for trouble in troubles(results)]
    assert any("cannot be read" in text and "broken.jpg" in text for text in texts)
    assert any("no fairness verdict" in text for text in texts)
    assert failures(results).empty


def test_failures_are_counted_by_reason(results: Results) -> None:
    table = results.protections.copy()
    mine = table.index[table["method"] == "pixelation"][:16]
    table.loc[mine, ["status", "reason", "detail"]] = ["failed", "no_face", "0 faces found"]
    broken = Results(**{**{name: getattr(results, name) for name in Results.__slots__}, "protections": table})
    (row,) = failures(broken).to_dict("records")
    assert (row["method"], row["reason"], row["photos"], row["detail"]) == (
        "pixelation",
        "no_face",
        16,
        "0 faces found",
    )
    assert row["share"] == pytest.approx(16 / 64)
    assert any("75.0%" in trouble.text and "no_face: 16" in trouble.text for trouble in troubles(broken))


def test_report_is_whole(store: RunStore) -> None:
    folder = store.folder / "report"
    figures = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert {path.stem for path in (folder / "figures").glob("*.csv")} == figures
    assert {"d1_plane", "d1_gender_tone_exposure", "d1_cmc_1"} <= figures
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert all(f'id="{figure}"' in page for figure in figures)
    before = (folder / "index.html").read_bytes()
    write_report(store)
    assert (folder / "index.html").read_bytes() == before


def test_an_unfinished_run_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        write_report(RunStore(tmp_path))


def test_examples_are_the_same_people(store: RunStore, results: Results) -> None:
    shown = pd.DataFrame(results.examples)
    assert set(shown["method"]) == {"original", "pixelation", "eye_mask", "k_same_average"}
    people = shown.groupby("method")["sample_id"].apply(list)
    assert len(set(map(tuple, people))) == 1
    assert shown["group"].value_counts().nunique() == 1
    assert all(jpeg[:2] == b"\xff\xd8" for jpeg in shown["jpeg"])
