"""`recognizer: best` and `available`: what they stand for, and what becomes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import unveil
from unveil.config import RunConfig, Use
from unveil.core.errors import ConfigError
from unveil.pipeline.candidates import available, with_available
from unveil.pipeline.strongest import choose, contest

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
    ],
)
def test_wrong_choices(recognizer: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        contest(config(models={"recognizer": recognizer}))


def test_two_choices_with_different_candidates_are_refused() -> None:
    evaluation = {"use": "verification", "recognizer": {"use": "best", "params": {"among": ["dlib"]}}}
    with pytest.raises(ConfigError, match="one choice"):
        contest(config(models={"recognizer": "best"}, evaluations=[evaluation]))


def test_the_highest_mean_auc_decides_and_who_was_not_measured_cannot_win() -> None:
    rows = [
        ("mtcnn/weak", 0.7, 10), ("opencv/weak", 0.8, 9), ("mtcnn/strong", 0.75, 10), ("opencv/strong", 0.9, 9),
        ("mtcnn/half", 0.99, 10), ("opencv/half", float("nan"), 0),
    ]  # fmt: skip
    measures = pd.DataFrame(rows, columns=["component", "value", "n"]).assign(metric="auc", grouping="")
    uses = [Use(use=name) for name in ("weak", "strong", "half", "gone")]
    choice = choose(uses, measures, {"gone": "no weights"})
    assert choice.chosen == "strong"
    assert [entry["label"] for entry in choice.candidates] == ["strong", "weak", "half", "gone"]
    assert choice.candidates[0]["pairs"] == 19
    assert choice.candidates[3]["why"] == "no weights"
    with pytest.raises(ConfigError, match="gone: no weights"):
        choose(uses[3:], measures, {"gone": "no weights"})


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
