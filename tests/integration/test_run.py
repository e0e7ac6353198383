"""A whole run on synthetic faces: the tables agree with each other and with common sense."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unveil
from unveil.core.types import Failure, Outcome, Reason
from unveil.metrics.outcomes import Accounting, decide_by_threshold
from unveil.store.run import RunStore


@pytest.fixture(scope="module")
def store(tmp_path_factory, warm_cache) -> RunStore:
    config = unveil.RunConfig.model_validate(
        {
            "name": "whole",
            "output": str(tmp_path_factory.mktemp("runs")),
            "datasets": [{"use": "sample-faces", "params": {"limit": 12}}],
            "methods": ["pixelation", "mask", {"use": "k_same_average", "params": {"k": 3}}],
            "evaluations": [
                "detection",
                "verification",
                {"use": "identification", "threat_models": ["group_unknown", "group_unknown_poisoned"]},
            ],
            "fairness": {"replicates": 200, "minimum_identities": 3},
            "engine": {"shard_size": 32, "cache": str(warm_cache)},
        }
    )
    return unveil.run(config)


def value(measures: pd.DataFrame, **where: str) -> float:
    rows = measures[(measures["grouping"] == "") & (measures[list(where)] == pd.Series(where)).all(axis=1)]
    assert len(rows) == 1, rows
    return float(rows["value"].iloc[0])


def test_the_unprotected_are_recognised_and_the_masked_are_not(store):
    measures = store.read("measures")
    attack = {"evaluation": "verification", "threat_model": "other_photo", "operating_point": "f1"}
    osr = "obfuscation_success_rate_overall"
    assert value(measures, method="original", metric="recognition_rate", **attack) > 0.9
    assert value(measures, method="original", metric="auc", **attack) > 0.95
    assert value(measures, method="mask", metric=osr, **attack) == 1
    assert value(measures, method="pixelation", metric=osr, **attack) > 0.9
    assert value(measures, method="mask", evaluation="detection", metric="detection_rate") == 0
    # With k = 3 the neighbours of a face are mostly photos of the same person: hardly any protection.
    assert value(measures, method="k_same_average", metric="exposure_rate", **attack) > 0.5


def test_every_unit_has_one_outcome_and_rates_follow_from_them(store):
    measures = store.read("measures")
    cell = measures[(measures["method"] == "pixelation") & (measures["threat_model"] == "other_photo")]
    cell = cell[(cell["operating_point"] == "f1") & (cell["grouping"] == "")]
    (cell_id,) = set(cell["cell_id"])
    rows = store.read("observations", "evaluation=verification", cell_id)
    threshold = measures.loc[(measures["metric"] == "threshold") & (measures["operating_point"] == "f1"), "value"]
    outcomes = decide_by_threshold(rows[rows["mated"]], float(threshold.iloc[0]))
    assert set(outcomes) <= set(Outcome)
    counts = Accounting.of(outcomes)
    assert counts.n() == rows["mated"].sum()
    stored = cell.set_index("metric")["value"]
    assert stored["exposure_rate"] == pytest.approx(counts.exposure)
    assert stored["obfuscation_success_rate_overall"] == pytest.approx(counts.osr_overall)
    assert stored["obfuscation_success_rate_conditional"] == pytest.approx(counts.osr_conditional)


def test_every_rate_carries_n_an_interval_and_the_passing_rate(store):
    measures = store.read("measures")
    rates = measures[~measures["metric"].isin(["threshold"]) & measures["value"].notna()]
    assert (rates["n"] > 0).all()
    assert rates["passing_rate"].notna().all()
    inside = (rates["ci_low"] <= rates["value"] + 1e-9) & (rates["value"] <= rates["ci_high"] + 1e-9)
    several_people = rates["n_identities"] > 1
    assert inside[several_people].all(), rates[several_people & ~inside]


def test_groups_are_compared_in_both_definitions(store):
    disparities = store.read("disparities")
    assert set(disparities["definition"]) == {"ratio", "difference"}
    assert set(disparities["grouping"]) == {"gender", "tone", "gender+tone"}
    pairs = disparities[disparities["statistic"] == "pair"]
    assert set(pairs["verdict"]) <= {"biased", "fair within epsilon", "insufficient evidence"}
    average = disparities[disparities["statistic"] == "average_bias"].dropna(subset="value")
    assert average["value"].between(0, 1).all()
    # A larger epsilon tolerates more.
    keys = ["cell_id", "operating_point", "metric", "grouping", "definition"]
    for _, rows in average.sort_values("epsilon").groupby(keys):
        assert (np.diff(rows["value"]) <= 0).all()


def test_the_threshold_says_where_it_comes_from(store):
    measures = store.read("measures")
    rows = measures[measures["metric"] == "threshold"]
    assert set(rows["operating_point"]) == {"f1", "group_fmr=0.01"}
    for detail in rows["detail"]:
        provenance = json.loads(detail)
        assert provenance["dataset"] == "sample-faces"
        assert provenance["n_non_mated"] > 0
        assert provenance["date"]


def test_the_same_pairs_for_every_method(store):
    cells = store.sql("select distinct cell_id, method from observations where threat_model = 'other_photo'")
    plans = [
        store.read("observations", "evaluation=verification", cell)["unit_id"].tolist()
        for cell in cells["cell_id"]
    ]
    assert len(plans) == 4
    assert all(plan == plans[0] for plan in plans)


def test_the_manifest_lets_a_stranger_repeat_the_run(store):
    manifest = store.manifest()
    assert manifest["finished"]
    assert manifest["config"]["methods"][0]["use"] == "original"
    assert {c["status"] for c in manifest["cells"]} == {"finished"}
    models = {c["label"]: c for c in manifest["components"] if c["kind"] in ("detector", "recognizer")}
    assert all(len(digest) == 64 for model in models.values() for digest in model["weights"].values())
    assert manifest["environment"]["packages"]["torch"]
    unveil.RunConfig.model_validate(manifest["config"])


def test_a_second_run_computes_nothing_and_gives_the_same_tables(store):
    before = {name: store.read(name) for name in ("protections", "observations", "measures", "disparities")}
    markers = {path: path.stat().st_mtime_ns for path in store.folder.rglob("cells/*.json")}
    parts = {path: path.stat().st_mtime_ns for path in store.folder.rglob("protections/*.parquet")}
    unveil.run(unveil.RunConfig.model_validate(store.manifest()["config"]))
    for name, table in before.items():
        pd.testing.assert_frame_equal(table, store.read(name))
    assert markers == {path: path.stat().st_mtime_ns for path in markers}
    assert parts == {path: path.stat().st_mtime_ns for path in parts}


def test_another_threshold_needs_no_new_observation(store):
    config = store.manifest()["config"]
    config["evaluations"][1]["params"] = {"thresholds": ["fixed=-0.6", "customary", "fmr=0.1"]}
    markers = {path: path.stat().st_mtime_ns for path in store.folder.rglob("cells/*.json")}
    again = unveil.run(unveil.RunConfig.model_validate(config))
    measures = again.read("measures")
    points = measures[measures["evaluation"] == "verification"]["operating_point"]
    assert set(points) == {"fixed=-0.6", "customary", "fmr=0.1"}
    assert markers == {path: path.stat().st_mtime_ns for path in markers}
    # dlib's customary distance is 0.6, so both are the same decision.
    of_the_recognizer = measures["metric"].isin(["threshold", "auc", "best_f1", "equal_error_rate"])
    rates = measures[~of_the_recognizer & ~measures["metric"].str.startswith("tpr")]
    by_point = rates.set_index(["cell_id", "metric", "grouping", "group"]).groupby("operating_point")["value"]
    fixed, customary = by_point.get_group("fixed=-0.6"), by_point.get_group("customary")
    assert len(fixed) > 0
    pd.testing.assert_series_equal(fixed, customary)


class Brighten:
    """A method from a notebook: not registered anywhere."""

    from unveil.core.protocols import MethodMeta, Source

    meta = MethodMeta("brighten", 1, "image", True, Source("this test"))
    guarantee = None

    def __init__(self, *, by: int = 40) -> None:
        self.by = by

    def protect(self, images, context):
        if any(image.mean() > 253 for image in images):
            raise RuntimeError("too bright to brighten")
        return [self._one(image) for image in images]

    def _one(self, image):
        if image[0, 0, 0] % 7 == 0:
            return Failure(Reason.REFUSED, f"corner pixel {image[0, 0, 0]} is a multiple of 7")
        return np.clip(image.astype(int) + self.by, 0, 255).astype(np.uint8)


def test_a_class_from_python_needs_no_registration(small_config):
    store = unveil.run(small_config(methods=["original"]), methods=[Brighten(by=60)])
    protections = store.read("protections")
    mine = protections[protections["method"] == "brighten"]
    refused = mine[mine["status"] == "failed"]
    assert 0 < len(refused) < len(mine)
    assert set(refused["reason"]) == {"refused"}
    measures = store.read("measures")
    passing = measures[(measures["method"] == "brighten") & (measures["metric"] == "passing_rate")]
    overall = passing[passing["grouping"] == ""].iloc[0]
    assert overall["value"] == pytest.approx(1 - len(refused) / len(mine))
    # A refused photo stands there unprotected: it counts as exposed, and in no rate over protected photos.
    attack = {"method": "brighten", "evaluation": "verification", "threat_model": "same_photo"}
    exposure = value(measures, metric="exposure_rate", operating_point="f1", **attack)
    (row,) = measures.query(
        "method == 'brighten' and threat_model == 'same_photo' and operating_point == 'f1'"
        " and grouping == '' and metric == 'recognition_rate'"
    ).itertuples()
    assert exposure == pytest.approx((row.value * row.n + len(refused)) / len(mine))


class Breaks:
    """Breaks on some photos, as a buggy method does."""

    from unveil.core.protocols import MethodMeta, Source

    meta = MethodMeta("breaks", 1, "image", True, Source("this test"))
    guarantee = None

    def __init__(self, *, every: int = 4) -> None:
        self.every = every

    def protect(self, images, context):
        if any(int(s.content_hash[:4], 16) % self.every == 0 for s in context.samples):
            raise ZeroDivisionError("a bug")
        return list(images)


def test_a_bug_costs_its_pictures_and_not_its_neighbours_and_spends_the_budget(small_config):
    store = unveil.run(small_config(methods=["original"]), methods=[Breaks(every=4)])
    mine = store.read("protections").query("method == 'breaks'")
    broken = mine["reason"] == "exception"
    assert 0 < broken.sum() < len(mine)
    assert mine.loc[broken, "detail"].str.contains(r"ZeroDivisionError: a bug \(test_run.py").all()
    cells = store.manifest()["cells"]
    failed = [c for c in cells if c["status"] == "failed"]
    assert {c["method"] for c in failed} == {"breaks"}
    assert "errors.budget" in failed[0]["reason"]
    assert {c["status"] for c in cells if c["method"] == "original"} == {"finished"}


def test_a_run_without_demographics_or_identity_still_measures_detection(small_config, tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    source = Path(unveil.__file__).parent / "datasets/data/sample_faces"
    for number, path in enumerate(sorted(source.rglob("*.jpg"))[:6]):
        (folder / f"{number}.jpg").write_bytes(path.read_bytes())
    dataset = {"use": "folder", "params": {"root": str(folder), "pattern": "{file}"}}
    store = unveil.run(small_config(datasets=[dataset]))
    measures = store.read("measures")
    assert set(measures["evaluation"]) == {"protection", "detection"}
    assert any("verification" in line and "identity" in line for line in store.manifest()["skipped"])
