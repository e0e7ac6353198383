"""One dataset of drawn scenes in the middle of a run: its truth, its training, a cell's view of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

import unveil
from unveil import RunConfig
from unveil.core.scenes import LABELS
from unveil.engine.progress import Silent
from unveil.pipeline.execute import Execution
from unveil.pipeline.plan import Plan
from unveil.pipeline.scene import SceneView
from unveil.pipeline.training import Training
from unveil.pipeline.truth import Truth
from unveil.pipeline.work import MethodWork
from unveil.store.artifacts import Artifacts
from unveil.store.run import RunStore


class Stage:
    """A planned run whose steps a test takes one by one."""

    def __init__(self, config: RunConfig) -> None:
        self.plan: Plan = unveil.plan(config)
        (self.dataset,) = self.plan.datasets
        self.artifacts = Artifacts(Path(config.engine.cache))
        self.execution = Execution(self.plan, RunStore(config.folder), self.artifacts, Silent())
        self.truth = Truth(self.dataset, self.execution._reference(), self.artifacts)

    def training(self) -> Training:
        return Training(self.truth, self.plan.config.seed, self.artifacts, Silent())

    def work(self, method: str) -> MethodWork:
        """A method that has protected everything."""
        (built,) = (built for built in self.plan.components.methods if built.label == method)
        work = self.execution._work(self.truth, built, [])
        for position in range(len(work.shards)):
            work.run(position)
        return work

    def view(self, method: str, evaluation: str, told: Callable[[int], Any] = lambda done: None) -> SceneView:
        """The first cell of an evaluation of a method."""
        cell = next(c for c in self.plan.cells if (c.cell.method, c.cell.evaluation) == (method, evaluation))
        work = self.work(method)
        versions = {"original": self.work("original").pictures(), "protected": work.pictures()}
        return SceneView(cell, self.plan.config.seed, versions, work.protector, self.training(), told)


@pytest.fixture
def stage(scene_config: Callable[..., RunConfig]) -> Callable[..., Stage]:
    """Plans a run over drawn scenes; arguments as for the fixture ``scene_config``."""
    return lambda *arguments, **settings: Stage(scene_config(*arguments, **settings))


@pytest.fixture
def labelled_folder(tmp_path: Path) -> Path:
    """The layout of HR-VISPR without boxes: grey pictures that show nobody whom a detector could find."""
    folder = tmp_path / "hr"
    (folder / "18_class_pkl_labels_with_safe").mkdir(parents=True)
    for split in ("train", "val", "test"):
        (folder / f"{split}2017").mkdir()
        for name in ("face", "safe"):
            Pillow.new("RGB", (64, 48), (90, len(split) * 9, 9)).save(folder / f"{split}2017" / f"{name}.jpg")
        vectors = {"face": [int(label == "face") for label in LABELS], "safe": [0] * len(LABELS)}
        file = folder / "18_class_pkl_labels_with_safe" / f"{split}2017_labels.json"
        file.write_text(json.dumps(vectors))
    return folder
