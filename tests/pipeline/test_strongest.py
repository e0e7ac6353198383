"""`recognizer: best` and `available`: what they stand for, and what becomes of them."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path

import pandas as pd
import pytest

import unveil
from unveil.config import RunConfig, Use
from unveil.core.errors import ConfigError
from unveil.pipeline.candidates import available, with_available
from unveil.pipeline.strongest import choose, contest

from ..models.facepp_server import Reply, running
from ..models.graphs import random_network

FACES = Path(unveil.__file__).parent / "datasets/data/sample_faces"


def config(**changes: object) -> RunConfig:
    settings = {
        "name": "t",
        "datasets": ["sample-faces"],
        "methods": ["pixelation"],
        "evaluations": ["verification"],
        **changes,
    }
    return RunConfig.model_validate(settings)


# --- available ---


def test_available_stands_for_all_that_work_here_and_ask_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACEPP_API_KEY", "key")
    monkeypatch.setenv("FACEPP_API_SECRET", "secret")
    names = available("detector")
    assert {"mtcnn", "opencv", "dlib", "dlib_cnn"} <= set(names)
    assert "facepp" not in names, "photos leave the machine only where a person says so"
    found = with_available(config(models={"detector": ["mtcnn", "available"]}))
    assert [use.label for use in found.models.detector] == ["mtcnn", *(n for n in names if n != "mtcnn")]
    assert found.models.recognizer == config().models.recognizer


def test_available_in_one_evaluation_changes_that_one_only() -> None:
    found = with_available(config(evaluations=[{"use": "detection", "detector": "available"}, "verification"]))
    detection, verification = found.evaluations
    assert len(detection.detector) >= 4 and verification.detector == ()


def test_where_nothing_is_available_the_default_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in ("UNVEIL_WEIGHTS", "UNVEIL_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert available("landmarker") == []
    asked = config(models={"landmarker": "available"}, evaluations=["landmark_error", "quality"])
    assert [use.label for use in with_available(asked).models.landmarker] == ["face_landmarker"]
    planned = unveil.plan(asked)
    assert {cell.cell.evaluation for cell in planned.cells} == {"quality"}
    (line,) = planned.skipped
    assert line.startswith("face_landmarker: ") and ("weights fetch" in line or "pip install" in line)


def test_a_folder_of_weights_that_is_not_there_is_told_and_not_that_nothing_is_available(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match=r"UNVEIL_WEIGHTS must name a folder.*nowhere"):
        with_available(config(models={"detector": "available"}))


def test_available_among_the_candidates_for_the_best_is_all_of_them(tmp_path: Path) -> None:
    random = {"use": "onnx", "name": "random", "params": {"path": str(tmp_path / "random.onnx")}}
    asked = config(models={"recognizer": {"use": "best", "params": {"among": [random, "available"]}}})
    chosen = contest(with_available(asked))
    assert chosen is not None
    first, *others = chosen.candidates
    assert (first.label, first.params) == ("random", random["params"])
    assert [use.label for use in others] == available("recognizer") != []
    named = config(models={"recognizer": {"use": "best", "params": {"among": ["dlib", random]}}})
    assert with_available(named) == named


def test_available_takes_no_parameters() -> None:
    with pytest.raises(ConfigError, match=r"detector.*no parameters"):
        with_available(config(models={"detector": {"use": "available", "params": {"size": 3}}}))


# --- best ---


def test_who_names_recognizers_makes_no_choice() -> None:
    assert contest(config()) is None


def test_the_comparison_looks_at_originals_alone_and_the_run_goes_on_with_the_best() -> None:
    models = {"recognizer": {"use": "best", "params": {"among": ["dlib", "sface"]}}}
    asked = contest(config(models=models))
    assert asked is not None
    assert [use.label for use in asked.comparison.methods] == ["original"]
    assert [use.label for use in asked.comparison.evaluations] == ["recognizer_quality"]
    decided = asked.decided(Use(use="sface"))
    assert [use.label for use in decided.models.recognizer] == ["sface"]
    assert [use.label for use in decided.evaluations] == ["recognizer_quality", "verification"]
    assert decided.evaluations[0] == asked.comparison.evaluations[0], "or it would be observed twice"


@pytest.mark.parametrize(
    ("recognizer", "message"),
    [
        ({"use": "best", "params": {"of": ["dlib"]}}, "'among' only, not 'of'"),
        ({"use": "best", "params": {"among": ["best"]}}, "its own candidates"),
        ({"use": "best", "params": {"among": [3]}}, "recognizer.best.among"),
        ({"use": "best", "params": {"among": []}}, "'among' names no recognizer"),
    ],
)
def test_wrong_choices(recognizer: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        contest(config(models={"recognizer": recognizer}))


def test_two_choices_with_different_candidates_are_refused() -> None:
    evaluation = {"use": "verification", "recognizer": {"use": "best", "params": {"among": ["dlib"]}}}
    with pytest.raises(ConfigError, match="one choice"):
        contest(config(models={"recognizer": "best"}, evaluations=[evaluation]))


def test_the_comparison_is_known_by_what_it_is_and_not_by_its_name() -> None:
    evaluations = [
        {"use": "recognizer_quality", "name": "attackers", "params": {"pairs_per_photo": 2}},
        {"use": "verification", "name": "recognizer_quality"},
    ]
    asked = contest(config(models={"recognizer": "best"}, evaluations=evaluations))
    assert asked is not None
    assert [use.label for use in asked.comparison.evaluations] == ["attackers"]
    decided = asked.decided(Use(use="dlib"))
    assert [use.use for use in decided.evaluations] == ["recognizer_quality", "verification"]


def measured(*rows: tuple[str, str, float, int]) -> pd.DataFrame:
    """AUC of attackers: dataset, component, value, pairs."""
    frame = pd.DataFrame(rows, columns=["dataset", "component", "value", "n"])
    return frame.assign(metric="auc", grouping="")


def test_the_highest_mean_auc_decides_and_who_was_not_measured_cannot_win() -> None:
    measures = measured(
        ("faces", "mtcnn/weak", 0.7, 10), ("faces", "opencv/weak", 0.8, 9),
        ("faces", "mtcnn/strong", 0.75, 10), ("faces", "opencv/strong", 0.9, 9),
        ("faces", "mtcnn/half", 0.99, 10), ("faces", "opencv/half", float("nan"), 0),
        ("faces", "mtcnn/broken", 0.99, 10),
    )  # fmt: skip
    uses = [Use(use=name) for name in ("weak", "strong", "half", "broken", "gone")]
    choice = choose(uses, measures, {"gone": "no weights"})
    assert choice.chosen == "strong"
    assert [entry["label"] for entry in choice.candidates] == ["strong", "weak", "half", "broken", "gone"]
    assert choice.candidates[0]["pairs"] == 19
    assert choice.candidates[4]["why"] == "no weights"
    with pytest.raises(ConfigError, match="gone: no weights"):
        choose(uses[4:], measures, {"gone": "no weights"})
    with pytest.raises(ConfigError, match="weak: not measured"):
        choose(uses[:1], measured(), {})


def test_a_dataset_on_which_nobody_can_be_measured_decides_nothing() -> None:
    nan = float("nan")
    measures = measured(
        ("singles", "mtcnn/weak", nan, 3), ("faces", "mtcnn/weak", 0.7, 10),
        ("singles", "mtcnn/strong", nan, 3), ("faces", "mtcnn/strong", 0.9, 10),
    )  # fmt: skip
    choice = choose([Use(use="weak"), Use(use="strong")], measures, {})
    assert (choice.chosen, choice.candidates[0]["value"], choice.candidates[0]["pairs"]) == ("strong", 0.9, 10)


def test_without_anybody_to_compare_the_run_says_why(tmp_path: Path) -> None:
    here = {"output": str(tmp_path / "runs"), "engine": {"cache": str(tmp_path / "cache")}}
    graph = {"use": "onnx", "params": {"path": str(tmp_path / "nowhere.onnx")}}
    models = {"recognizer": {"use": "best", "params": {"among": [graph]}}}
    with pytest.raises(ConfigError, match=r"no candidate can be compared.*nowhere\.onnx"):
        unveil.run(config(**here, models=models))
    strangers = {"use": "folder", "params": {"root": str(FACES), "pattern": "{group}/{person}/{file}"}}
    with pytest.raises(ConfigError, match=r"no candidate can be compared.*the dataset has no identity"):
        unveil.run(config(**here, datasets=[strangers], models={"recognizer": "best"}))


def test_a_service_that_answers_nothing_cannot_win_and_the_choice_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running() as service:
        service.script = deque([Reply(500, "INTERNAL_ERROR")] * 1000)
        monkeypatch.setenv("FACEPP_API_KEY", service.key)
        monkeypatch.setenv("FACEPP_API_SECRET", service.secret)
        monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path / "cache"))
        params = {"endpoint": service.url, "requests_per_second": 1000, "retries": 0}
        asked = [{"use": "facepp", "params": params}, "dlib"]
        folder = {"root": str(FACES), "pattern": "{group}/{identity}/{file}", "limit": 6}
        store = unveil.run(
            config(
                output=str(tmp_path / "runs"),
                datasets=[{"use": "folder", "params": folder}],
                models={"recognizer": {"use": "best", "params": {"among": asked}}},
            )
        )
    first, last = json.loads((store.folder / "run.json").read_text())["choice"]["candidates"]
    assert first["label"] == "dlib" and first["why"] == ""
    assert last["value"] is None and "Face++ answered 500 INTERNAL_ERROR" in last["why"]


def test_a_run_is_attacked_by_the_best_of_its_candidates(tmp_path: Path) -> None:
    graph = random_network(tmp_path / "random.onnx", 64)
    random = {"use": "onnx", "name": "random", "params": {"path": str(graph)}}
    settings = config(
        output=str(tmp_path / "runs"),
        engine={"cache": str(tmp_path / "cache")},
        datasets=[
            {"use": "folder", "params": {"root": str(FACES), "pattern": "{group}/{identity}/{file}", "limit": 6}}
        ],
        models={"recognizer": {"use": "best", "params": {"among": [random, "dlib", "sface"]}}},
    )
    store = unveil.run(settings)
    manifest = json.loads((store.folder / "run.json").read_text())
    assert manifest["choice"]["chosen"] == "dlib"
    labels = {entry["label"]: entry for entry in manifest["choice"]["candidates"]}
    assert labels["dlib"]["value"] > labels["random"]["value"] > 0
    assert "sface" in labels
    measures = store.read("measures")
    attacked = measures[measures["method"] == "pixelation"]["component"].unique()
    assert {name for name in attacked if "/" in name} == {"mtcnn/dlib"}
    compared = measures[measures["evaluation"] == "recognizer_quality"]
    assert {"mtcnn/dlib", "mtcnn/random"} <= set(compared["component"])
    assert set(compared["method"]) == {"original"}
    written = {path: path.stat().st_mtime_ns for path in (store.folder / "observations").rglob("*.parquet")}
    unveil.run(settings)
    assert {path: path.stat().st_mtime_ns for path in written} == written, "nothing is observed twice"
