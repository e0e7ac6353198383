from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.metrics.weight_simplex import sensitivity
from unveil.reporting.export import export_table
from unveil.reporting.html import write_report
from unveil.reporting.number import Number
from unveil.reporting.provenance import trained
from unveil.reporting.results import Results, subjects
from unveil.reporting.scenes import frames, heat, weights
from unveil.reporting.scenes.answer import answer
from unveil.reporting.scenes.columns import columns, first
from unveil.reporting.scenes.simplex_map import flat, regions
from unveil.reporting.scenes.standing import SceneStanding, chance, front, within_chance
from unveil.reporting.tables import headline
from unveil.reporting.troubles import troubles, unprotected_regions
from unveil.store.run import RunStore

from .conftest import DATASET, METHODS, Invented


def standing(method: str, cmap: float, f1: float, margin: float = 0.0) -> SceneStanding:
    privacy, utility = (Number(v, v - margin, v + margin) for v in (cmap, f1))
    return SceneStanding(method, "", None, privacy, None, utility, None, None, None)


def test_front_drops_what_another_beats() -> None:
    placed = [
        standing("original", 0.1, 1.0),
        standing("beaten", 0.6, 0.5),
        standing("useful", 0.6, 0.9),
        standing("private", 0.4, 0.2),
        standing("twin", 0.4, 0.2),
    ]
    assert [s.method for s in front(placed)] == ["private", "twin", "useful"]


def test_what_overlaps_in_both_is_within_chance() -> None:
    placed = [standing("best", 0.4, 0.9, 0.1), standing("near", 0.5, 0.85, 0.1), standing("far", 0.9, 0.9, 0.1)]
    assert [s.method for s in within_chance(placed, front(placed))] == ["near"]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_nothing_beats_the_front_and_it_beats_the_rest(points: list[tuple[float, float]]) -> None:
    placed = [standing(str(i), cmap, f1) for i, (cmap, f1) in enumerate(points)]
    best = {s.method for s in front(placed)}
    assert best
    for i, (cmap, f1) in enumerate(points):
        better = [j for j, (c, f) in enumerate(points) if c <= cmap and f >= f1 and (c, f) != (cmap, f1)]
        assert (str(i) in best) == (not better)


def test_chance_leaves_out_labels_of_one_class() -> None:
    assert chance({"face": 0.4, "race": 0.2, "nudity": 0.0, "age": 1.0}) == pytest.approx(0.3)
    assert chance({"nudity": 0.0}) is None


def test_the_strongest_attacker_counts(scene_results: Results) -> None:
    found = columns(scene_results, DATASET)
    told = answer(scene_results, DATASET, found)
    rows = scene_results.select("measures", metric="cmap", grouping="")
    highest = rows.groupby("method")["value"].max()
    assert {s.method: s.cmap.value for s in told.standings if s.cmap} == pytest.approx(highest.to_dict())
    assert told.private is not None
    assert told.private.cmap is not None
    assert told.private.cmap.value == highest.drop("original").min()
    assert any("nudity" in remark for remark in told.remarks)


def test_the_floor_is_that_of_ap_above_chance(scene_results: Results) -> None:
    told = answer(scene_results, DATASET, columns(scene_results, DATASET))
    s = next(s for s in told.standings if s.method == "mask.person")
    assert s.place is not None
    here = scene_results.select("measures", cell_id=s.place[0], grouping="")
    rows = here.set_index(["metric", "facet"])["value"]
    shares = [
        (rows["average_precision", label] - above) / (1 - above)
        for label, above in rows["average_precision_above_chance"].dropna().items()
        if above < 1
    ]
    assert s.floor == pytest.approx(np.mean(shares))


def test_published_training_comes_first(scene_results: Results) -> None:
    found = columns(scene_results, DATASET)
    threats = {metric: [c.threat_model for c in found if c.metric == metric] for metric in ("cmap", "person_f1")}
    assert threats["cmap"] == ["trained_on_originals", "trained_on_protected"]
    assert threats["person_f1"] == ["trained_on_protected", "trained_on_originals"]
    assert [c.title for c in found if c.metric == "cmmd"] == ["CMMD (hog) ×1000"]
    similar = first(found, "similar_match_rate")
    assert similar is not None
    assert similar.operating_point == "iou=0.5,ssim=0.5"


def test_whom_a_method_fails_is_read_in_the_right_direction(scene_results: Results) -> None:
    told = answer(scene_results, DATASET, columns(scene_results, DATASET))
    for whom in told.failing.values():
        assert whom["cMAP"].worst[1].value >= whom["cMAP"].best[1].value
        assert whom["Person F1"].worst[1].value <= whom["Person F1"].best[1].value
        assert whom["Person F1"].grouping == "gender+tone"
        assert whom["Person F1"].verdicts is not None
        assert whom["Person F1"].verdicts.pairs == 6


def test_relative_drop_is_that_of_the_tables(scene_results: Results) -> None:
    table = heat.drop_tables(scene_results, DATASET)[0]
    assert table.note == "small, trained on originals"
    assert "original" not in table.methods
    by_name = {row.name: row for row in table.rows}
    assert not by_name["nudity"].cells
    rows = scene_results.select(
        "measures", metric="relative_drop", threat_model="trained_on_originals", facet="face"
    )
    values = {row["method"]: row["value"] for row in rows.to_dict("records") if row["method"] != "original"}
    assert {m: c.number.value for m, c in by_name["face"].cells.items()} == pytest.approx(values)
    assert heat.class_tables(scene_results, DATASET)[0].rows[0].name == "person"


def test_robustness_falls_with_both_thresholds(scene_results: Results) -> None:
    (frame,) = frames.robustness_frames(scene_results, DATASET).values()
    for other in ("ssim", "iou"):
        one = "iou" if other == "ssim" else "ssim"
        for _, rows in frame.groupby(["method", one]):
            assert (np.diff(rows.sort_values(other)["value"]) <= 0).all()


parts = st.tuples(*[st.floats(0, 1)] * 3)


@given(st.dictionaries(st.sampled_from("abcd"), parts, min_size=1, max_size=4))
def test_regions_agree_with_the_sensitivity(components: dict[str, tuple[float, float, float]]) -> None:
    areas = {}
    for method, corners in regions(components).items():
        assert (corners >= -1e-9).all()
        assert corners.sum(axis=1) == pytest.approx(1)
        scores = corners @ np.array(list(components.values())).T
        assert corners @ components[method] == pytest.approx(scores.max(axis=1), abs=1e-9)
        x, y = flat(corners).T
        areas[method] = abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2 / (math.sqrt(3) / 4)
    if len({tuple(np.round(values, 2)) for values in components.values()}) == len(components):
        for method, told in sensitivity(components, resolution=60).items():
            assert areas.get(method, 0.0) == pytest.approx(told.share_first, abs=0.05)


def test_the_panel_says_what_was_compared(scene_results: Results) -> None:
    (panel,) = weights.panels(scene_results, DATASET)
    assert set(panel.compared) == set(METHODS) - {"original"}
    for practical in panel.ranked:
        assert practical.score == pytest.approx(np.dot(practical.parts, panel.weights))
    assert sum(p.standing.share_first for p in panel.ranked if p.standing) == pytest.approx(1)
    assert panel.scales[1].source == "CMMD (hog) ×1000"
    assert panel.scales[0].ends.endswith("1 at 0.0%")


def test_regions_left_as_they_were_are_counted(scene_results: Results) -> None:
    (row,) = unprotected_regions(scene_results, DATASET)
    assert (row["method"], row["partial"], row["regions"]) == ("avatar_2d.person", 5, 5)
    assert "no keypoints" in row["detail"]
    assert any("wholly or in part" in trouble.text for trouble in troubles(scene_results))


def test_headline_shows_scenes(scene_results: Results) -> None:
    frame = headline(scene_results.measures).set_index("method")
    told = answer(scene_results, DATASET, columns(scene_results, DATASET))
    for s in told.standings:
        assert s.cmap is not None
        assert s.person_f1 is not None
        assert frame.loc[s.method, "cMAP"] == s.cmap.value
        assert frame.loc[s.method, "person F1"] == s.person_f1.value
    assert "exposure" not in frame


def page_of(store: RunStore) -> str:
    return write_report(store).read_text(encoding="utf-8")


def test_only_scenes_are_reported_for_scenes(scene_store: RunStore, scene_results: Results) -> None:
    assert subjects(scene_results, DATASET) == (False, True)
    page = (scene_store.folder / "report" / "index.html").read_text(encoding="utf-8")
    for word in ("No attack was carried out", "Verification was not evaluated", "Exposure"):
        assert word not in page
    for anchor in ("methods", "privacy", "utility", "practicality", "groups", "bias"):
        assert f'id="d1_scenes-{anchor}"' in page
    assert "left out: one class only" in page
    for name in ("overview", "attributes", "classes", "practicality", "bias"):
        assert len(pd.read_csv(scene_store.folder / "report" / "tables" / f"d1_scenes_{name}.csv"))


def test_the_page_is_the_same_every_time(scene_store: RunStore) -> None:
    page = scene_store.folder / "report" / "index.html"
    before = page.read_bytes()
    write_report(scene_store)
    assert page.read_bytes() == before


def test_faces_are_no_scenes(results: Results) -> None:
    assert subjects(results, "sample-faces") == (True, False)


def test_failed_privacy_is_survived_and_said(tmp_path: Path) -> None:
    store = Invented(("original", "mask.person"), ("privacy", "utility"), failed=("privacy",)).write(tmp_path)
    page = page_of(store)
    assert "nothing can be said about privacy" in page
    assert "ValueError: nothing to learn from" in page
    assert "Practicality needs robustness" in page


def test_everything_failed_is_survived(tmp_path: Path) -> None:
    store = Invented(("original", "mask.person"), ("privacy",), failed=("privacy",)).write(tmp_path)
    assert "Neither privacy nor utility was measured" in page_of(store)


def test_a_single_method_has_no_practicality(tmp_path: Path) -> None:
    evaluations = ("robustness", "intelligibility", "throughput")
    page = page_of(Invented(("original", "mask.person"), evaluations).write(tmp_path))
    assert "one method: min-max is undefined, use anchors" in page
    assert "compare at least two methods" in page
    assert 'class="weights"' not in page


def test_trained_models_are_told_once(scene_store: RunStore) -> None:
    told = trained(Results.load(scene_store))
    assert len(told) == len({(t["sha256"], t["version"]) for t in told}) == 2 * len(METHODS)
    assert told[0]["learned"] == {"epochs run": "9", "validation cmap": "0.2 … 0.7"}
    assert json.dumps(told)


@pytest.mark.parametrize("name", ["samples", "observations", "measures"])
def test_lists_and_facets_are_exported(scene_store: RunStore, name: str, tmp_path: Path) -> None:
    export_table(scene_store, name, "csv", tmp_path / "table.csv")
    frame, stored = pd.read_csv(tmp_path / "table.csv", low_memory=False), scene_store.read(name)
    assert list(frame.columns) == list(stored.columns)
    assert len(frame) == len(stored)
    for column in {"labels", "original"} & set(frame.columns):
        known = frame[column].notna()
        assert known.any()
        assert [json.loads(text) for text in frame.loc[known, column]] == [
            pytest.approx(row.tolist()) if column == "original" else row.tolist()
            for row in stored.loc[known, column]
        ]


def test_a_dataset_of_both_gets_both(tmp_path: Path) -> None:
    store = Invented(("original", "mask.person"), ("utility",)).write(tmp_path)
    manifest = store.manifest()
    verification = {**manifest["components"][-1], "label": "verification"}
    manifest["components"].append({**verification, "target": "unveil.evaluations.verification:Verification"})
    keys = {"dataset": DATASET, "method": "mask.person", "evaluation": "verification"}
    manifest["cells"].append(
        {**manifest["cells"][0], **keys, "status": "failed", "reason": "no face in any photo"}
    )
    store.write_manifest(manifest)
    page = page_of(store)
    for anchor in ("d1-methods", "d1-attacker", "d1_scenes-methods", "d1_scenes-utility", "d1-examples"):
        assert page.count(f'id="{anchor}"') == 1
        assert f'href="#{anchor}"' in page
    assert "Methods · scenes" in page
    assert "Objects, class by class, scenes" in page
