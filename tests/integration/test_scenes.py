"""People in scenes from pictures to practicality: a small run over the bundled scenes, and its bad days."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unveil
from unveil import RunConfig
from unveil.config import Use
from unveil.core.scenes import LABELS
from unveil.datasets.samples import SampleScenes
from unveil.store.run import RunStore

DETECTOR = {"epochs": 20, "width": 8, "side": 128, "learning_rate": 0.01}
"""Learns from sixteen pictures in a second to find some people."""

TIMED = {"use": "throughput", "params": {"sizes": [[160, 120]], "frames": 2, "repeats": 2}}
EVERYTHING = ["privacy", "utility", "robustness", "intelligibility", TIMED]
WATCH = ["elapsed_s", "seconds"]
"""Columns that tell how long something took."""


def rows(store: RunStore, table: str) -> pd.DataFrame:
    """A table without what the clock says, in an order of its own."""
    frame = store.read(table)
    if table == "measures":  # what the clock says ends in practicality
        frame = frame[~frame["evaluation"].isin(["throughput", "practicality"])]
    frame = frame.drop(columns=WATCH, errors="ignore").map(_plain)
    return frame.sort_values(list(frame.columns), key=lambda c: c.map(str), ignore_index=True)


def _plain(value):
    if isinstance(value, np.ndarray | list):
        return tuple(value)
    return str(value) if isinstance(value, dict) else value


def assert_equal(one: RunStore, two: RunStore) -> None:
    for table in ("samples", "protections", "observations", "measures", "disparities"):
        pd.testing.assert_frame_equal(rows(one, table), rows(two, table), obj=table)


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """Settings of a run over bundled scenes; arguments replace whole settings."""
    folder = tmp_path_factory.mktemp("scenes")

    def make(name: str, *, cache: str | None = None, **more) -> RunConfig:
        defaults = {
            "name": name,
            "output": str(folder),
            "datasets": [{"use": "sample-scenes", "params": {"limit": 16}}],
            "methods": ["blur.gaussian.person", "mask.person"],
            "models": {
                "classifier": {"use": "small", "params": {"epochs": 2, "width": 48, "height": 36, "channels": 8}},
                "object_detector": {"use": "small", "params": DETECTOR},
                "image_encoder": "hog",
            },
            "evaluations": EVERYTHING,
            "fairness": {"replicates": 100, "minimum_identities": 2, "groupings": ["gender"]},
            "engine": {"shard_size": 8, "cache": str(folder / f"cache-{cache or name}")},
            "report": {"examples_per_group": 1},
        }
        return RunConfig.model_validate(defaults | more)

    return make


@pytest.fixture(scope="module")
def whole(settings) -> RunStore:
    return unveil.run(settings("whole"))


def value(store: RunStore, **where: str) -> float:
    measures = store.read("measures")
    found = measures[(measures["grouping"] == "") & (measures[list(where)] == pd.Series(where)).all(axis=1)]
    assert len(found) == 1, found
    return float(found["value"].iloc[0])


def test_all_three_dimensions_are_measured_under_both_protocols(whole):
    manifest = whole.manifest()
    assert {cell["status"] for cell in manifest["cells"]} == {"finished"} and manifest["skipped"] == []
    assert len(manifest["cells"]) == 3 * 7
    metrics = set(whole.read("measures")["metric"])
    assert metrics >= {
        *("passing_rate", "cmap", "relative_drop", "person_f1", "object_f1", "similar_match_rate", "cmmd"),
        *("frames_per_second", "practicality", "robustness_normalised"),
    }
    for method in ("original", "blur.gaussian.person", "mask.person"):
        assert value(whole, method=method, metric="passing_rate") == 1


def test_originals_lose_nothing_under_either_protocol(whole):
    observed = whole.read("observations")
    privacy = observed[(observed["method"] == "original") & (observed["evaluation"] == "privacy")]
    assert set(privacy["threat_model"]) == {"trained_on_originals", "trained_on_protected"}
    assert (privacy["score"] == privacy["score_original"]).all()
    assert value(whole, method="original", metric="cmmd") == pytest.approx(0, abs=1e-3)
    for protocol in ("trained_on_originals", "trained_on_protected"):
        assert value(whole, method="original", metric="cmap_drop", threat_model=protocol) == 0
    practical = whole.read("measures").query("metric == 'practicality'")
    assert set(practical["method"]) == {"blur.gaussian.person", "mask.person"}


def test_every_trained_model_is_told_once_per_version(whole):
    trained = [facts for cell in whole.manifest()["cells"] for facts in cell.get("trained", ())]
    versions = {(facts["component"].split(":")[1], facts["version"], facts["sha256"]) for facts in trained}
    assert len({(component, version) for component, version, _ in versions}) == len(versions) == 2 * 3
    assert {facts["label"] for facts in trained} == {"small"}
    assert all(facts["seconds"] > 0 and facts["pictures"]["train"] == 16 for facts in trained)


def test_groups_of_people_are_compared_in_all_dimensions(whole):
    disparities = whole.read("disparities")
    assert set(disparities["grouping"]) == {"gender"}
    assert set(disparities["metric"]) >= {"passing_rate", "cmap_drop", "person_f1", "similar_match_rate"}
    assert not set(disparities["metric"]) & {"cmmd", "frames_per_second", "relative_drop", "practicality"}
    ratios = disparities[(disparities["statistic"] == "pair") & (disparities["definition"] == "ratio")]
    assert (ratios["value"].dropna() >= 0).all()


def test_examples_show_pictures_that_nothing_was_trained_on(whole):
    examples = json.loads((whole.folder / "examples" / "examples.json").read_text(encoding="utf-8"))
    splits = whole.read("samples").set_index("sample_id")["split"]
    assert examples and {splits[example["sample_id"]] for example in examples} == {"test"}


def test_the_same_settings_give_the_same_rows_in_another_cache(whole, settings):
    config = settings("whole", cache="other").model_copy(update={"output": str(whole.folder.parent / "again")})
    again = unveil.run(config)
    assert again.folder != whole.folder
    assert_equal(whole, again)


def test_one_method_has_no_practicality_and_the_run_says_so(whole, settings):
    one = unveil.run(settings("one", cache="whole", methods=["mask.person"]))
    lines = [line for line in one.manifest()["skipped"] if line.startswith("practicality on sample-scenes")]
    assert len(lines) == 3 and all("one method" in line and "anchors" in line for line in lines)
    assert np.isnan(value(one, metric="practicality"))
    anchored = unveil.run(settings("one", cache="whole", methods=["mask.person"],
                                   practicality={"normalisation": "anchors"}))  # fmt: skip
    assert 0 <= value(anchored, metric="practicality") <= 1 and anchored.manifest()["skipped"] == []


def test_faces_in_scenes_are_found_or_their_pictures_are_not_protected(whole, settings):
    config = settings("faces", cache="whole", methods=["mask.face"], evaluations=["privacy", "intelligibility"])
    store = unveil.run(config)
    protections = store.read("protections").query("method == 'mask.face'")
    failed = set(protections.loc[protections["reason"] == "no_face", "sample_id"])
    assert failed, "some scenes show nobody"
    assert value(store, method="mask.face", metric="passing_rate") == pytest.approx(1 - len(failed) / 48)
    observed = store.read("observations").query("method == 'mask.face'")
    left = observed[observed["sample_id"].isin(failed)]
    assert len(left) and set(left["status"]) == {"not_protected"}
    privacy = left[(left["evaluation"] == "privacy") & (left["threat_model"] == "trained_on_originals")]
    assert (privacy["score"] == privacy["score_original"]).all()  # who is left out stands there as before


# --- a dataset that has labels and nothing else ---


@pytest.fixture
def boxless(tmp_path, shared_weights, monkeypatch):
    """The bundled pictures in the layout of HR-VISPR, which has no boxes; the reference detector has weights."""
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    scenes = SampleScenes(limit=8)
    vectors = {"train": {}, "validation": {}, "test": {}}
    for entry in scenes.entries():
        source = scenes.root / entry.path
        folder = tmp_path / "hr" / f"{entry.split.replace('validation', 'val')}2017"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / source.name)
        vectors[entry.split][source.stem] = [int(label in entry.labels) for label in LABELS]
    below = tmp_path / "hr" / "18_class_pkl_labels_with_safe"
    below.mkdir()
    for split, known in vectors.items():
        file = below / f"{split.replace('validation', 'val')}2017_labels.json"
        file.write_text(json.dumps(known), encoding="utf-8")
    return {"use": "hr_vispr", "name": "hr", "params": {"root": str(tmp_path / "hr")}}


def test_without_boxes_the_reference_detector_says_what_is_there(settings, boxless):
    config = settings("boxless", datasets=[boxless], methods=["mask.person"], fairness={"replicates": 100})
    sure = Use(use="yolox_nano", params={"threshold": 0.8})  # so sure that it overlooks people
    models = config.models.model_copy(update={"segmenter": Use(use="grabcut"), "reference_detector": sure})
    store = unveil.run(config.model_copy(update={"models": models}))
    assert {cell["status"] for cell in store.manifest()["cells"]} == {"finished"}
    reference = [c for c in store.manifest()["components"] if c["label"] == "yolox_nano"]
    assert len(reference) == 1 and reference[0]["weights"]
    protections = store.read("protections").query("method == 'mask.person'").set_index("sample_id")
    failed = protections["status"] == "failed"
    assert 0 < failed.sum() < len(failed) and set(protections.loc[failed, "reason"]) == {"no_person"}
    labels = store.read("samples").set_index("sample_id")["labels"]
    assert (labels[failed[failed].index].map(len) > 0).all()  # who shows nothing is no failure
    observed = store.read("observations").query("method == 'mask.person'")
    privacy = observed[observed["evaluation"] == "privacy"]
    assert set(privacy.loc[privacy["status"] == "not_protected", "sample_id"]) == {
        sample_id for sample_id in failed[failed].index if sample_id.startswith("test")
    }
    boxes = observed[(observed["evaluation"] == "utility") & observed["truth"].eq(True)]
    assert boxes["label"].eq("person").any()


# --- bad days, on drawn scenes ---


def test_an_avatar_needs_keypoints_and_says_whom_it_left_out(scene_config, write_scenes, tmp_path):
    def forget(data):
        for annotation in data["annotations"]:
            if annotation["image_id"] % 4 == 0 and "keypoints" in annotation:
                annotation["keypoints"] = [0, 0, 0] * 17

    folder = write_scenes(tmp_path / "forgotten", edit=forget)
    store = unveil.run(scene_config(folder, methods=["avatar_2d.person"], evaluations=["intelligibility"]))
    protections = store.read("protections").query("method == 'avatar_2d.person'")
    partial = protections[protections["status"] == "partial"]
    assert (
        len(partial) and (partial["n_unprotected"] > 0).all() and (partial["reason"] == "unprotected_region").all()
    )
    assert partial["detail"].str.contains("keypoint").all() and (partial["output_hash"] != "").all()
    assert value(store, method="avatar_2d.person", metric="passing_rate") == pytest.approx(1 - len(partial) / 18)
    assert not len(protections[protections["status"] == "failed"])


def test_a_version_that_teaches_nothing_fails_its_cells_and_the_run_goes_on(scene_config):
    class Refuses:
        """Refuses every picture of somebody."""

        from unveil.core.protocols import MethodMeta, Source

        meta = MethodMeta("refuses", 1, "image", True, Source("this test"))
        guarantee = None

        def protect(self, images, context):
            from unveil.core.types import Failure, Reason

            return [Failure(Reason.REFUSED, "no") for _ in images]

    config = scene_config(evaluations=["privacy", "utility", "intelligibility"])
    store = unveil.run(config, methods=[Refuses()])
    status = {(c["method"], c["evaluation"], c["threat_model"]): c for c in store.manifest()["cells"]}
    failed = {key for key, cell in status.items() if cell["status"] != "finished"}
    assert failed == {("refuses", name, "trained_on_protected") for name in ("privacy", "utility")}
    for key in failed:
        assert "no training picture is protected" in status[key]["reason"]
    assert value(store, method="refuses", metric="passing_rate") == 0
    drop = store.read("measures").query("method == 'refuses' and metric == 'cmap' and grouping == ''")
    assert drop["value"].isna().all() and (drop["n_excluded"] > 0).all()


def test_what_cannot_be_learnt_fails_its_cells_alone(scene_config, write_scenes, tmp_path):
    folder = write_scenes(tmp_path / "all alike")
    table = folder / "labels.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    same = [",".join([*line.split(",")[:3], "age"]) if ",validation," in line else line for line in lines]
    table.write_text("\n".join(same), encoding="utf-8")
    store = unveil.run(scene_config(folder, evaluations=["privacy", "intelligibility"]))
    for cell in store.manifest()["cells"]:
        learns = cell["evaluation"] == "privacy"
        assert cell["status"] == ("failed" if learns else "finished")
        assert not learns or "validation split" in cell["reason"]


def test_pictures_made_elsewhere_have_no_speed(scene_config, tmp_path):
    first = unveil.run(scene_config(evaluations=["intelligibility"]))
    cmmd = value(first, method="mask.person", metric="cmmd")
    protections = first.read("protections").query("method == 'mask.person'")
    folder = tmp_path / "elsewhere" / "images"
    folder.mkdir(parents=True)
    cache = tmp_path / "cache" / "images"
    for row in protections.itertuples():
        picture = cache / row.image_key[:2] / f"{row.image_key}.png"
        (folder / row.sample_id.removeprefix("images/")).write_bytes(picture.read_bytes())
    external = {"use": "external.folder", "params": {"folder": str(tmp_path / "elsewhere")}}
    store = unveil.run(scene_config(methods=[external], evaluations=["intelligibility", TIMED]))
    assert value(store, method="external.folder", metric="cmmd") == cmmd
    observed = store.read("observations").query("method == 'external.folder' and evaluation == 'throughput'")
    assert set(observed["status"]) == {"error"} and set(observed["reason"]) == {"missing"}
    assert np.isnan(value(store, method="external.folder", metric="frames_per_second"))


@pytest.mark.slow
def test_killed_in_the_middle_of_training_a_run_continues_to_the_same_tables(whole, settings, tmp_path):
    config = settings("whole", cache="killed").model_copy(update={"output": str(tmp_path)})
    file = tmp_path / "run.yaml"
    file.write_text(config.to_yaml(), encoding="utf-8")
    command = [sys.executable, "-m", "unveil", "run", str(file), "--no-report"]
    cache = Path(config.engine.cache)
    for wanted in (1, 3):  # weights of the originals' classifier; then those of a method
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        deadline = time.monotonic() + 120
        while len(list(cache.glob("weights/*/*.json"))) < wanted and time.monotonic() < deadline:
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(0.3)  # into the training of the next one
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    kept = {path: path.stat().st_mtime_ns for path in cache.glob("weights/*/*.safetensors")}
    assert 3 <= len(kept) < 6 and not list(tmp_path.rglob("measures.parquet"))
    assert_equal(whole, unveil.run(config))
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
