"""A run over invented observations of people in scenes: real tables and measures, without hours of training."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image

from unveil import RunConfig, registry
from unveil.core.scenes import CLASSES
from unveil.core.schema import DISPARITIES, MEASURES, OBSERVATIONS, PROTECTIONS, SAMPLES
from unveil.core.types import Cell
from unveil.metrics.grouping import Crowd
from unveil.metrics.similarity import decide_by_similarity, parse_similarity_point
from unveil.pipeline.measure import Measurer, Rows
from unveil.pipeline.practicality import practicality_rows
from unveil.reporting.html import write_report
from unveil.reporting.results import Results
from unveil.store.run import RunStore

DATASET = "invented scenes"
METHODS: dict[str, tuple[float, float, float, float, float]] = {
    # what is left of the attributes, of them for an adaptive attacker, of the people, of the likeness; frames/s
    "original": (1.0, 1.0, 1.0, 1.0, 9000.0),
    "blur light": (0.9, 0.95, 0.97, 0.8, 160.0),
    "mask.person": (0.3, 0.45, 0.95, 0.02, 1600.0),
    "avatar_2d.person": (0.35, 0.4, 0.8, 0.05, 80.0),
}
LABELS = ("face", "nudity", "race")
GROUPS = [(gender, tone) for gender in ("Female", "Male") for tone in ("Dark", "Light")]
PHOTOS = 40
EVALUATIONS = {
    "privacy": ("trained_on_originals", "trained_on_protected"),
    "utility": ("trained_on_protected", "trained_on_originals"),
    "robustness": ("",),
    "intelligibility": ("",),
    "throughput": ("",),
}
COMPONENTS = {"intelligibility": "hog", "throughput": ""}


@dataclass(frozen=True)
class Invented:
    """Which methods and evaluations a run is made of."""

    methods: Sequence[str] = tuple(METHODS)
    evaluations: Sequence[str] = tuple(EVALUATIONS)
    failed: Sequence[str] = ()  # evaluations of which every cell failed

    def write(self, folder: Path) -> RunStore:
        """All tables, the manifest and the examples of the run."""
        store, rows, rng = RunStore(folder), Rows(), np.random.default_rng(7)
        photos = _photos(rng)
        store.write(pa.Table.from_pylist(photos.to_dict("records"), schema=SAMPLES), "samples", "samples")
        frame = photos.set_index("sample_id").assign(
            gender=[a["gender"] for a in photos["attributes"]], tone=[a["tone"] for a in photos["attributes"]]
        )
        config = RunConfig.model_validate(
            {"name": "invented", "output": str(folder), "datasets": ["sample-scenes"], "methods": ["mask.person"],
             "evaluations": ["privacy"], "fairness": {"replicates": 100}}
        )  # fmt: skip
        cells = []
        for method in self.methods:
            passing = _protections(store, method, photos)
            passing = passing.join(frame[["identity", "gender", "tone"]], on="sample_id")
            cell = Cell(f"passing {method}", DATASET, method, "protection", "", "")
            self._measure(cell, "", ["passing_rate"], passing, rows, config)
            for evaluation in self.evaluations:
                for threat in EVALUATIONS[evaluation]:
                    name = f"{evaluation} {threat} {method}"
                    cell = Cell(name, DATASET, method, evaluation, COMPONENTS.get(evaluation, "small"), threat)
                    cells.append(self._cell(cell, store, frame, rows, config, rng))
        rows.measures += practicality_rows(config.practicality, DATASET, list(rows.measures))
        store.write(pa.Table.from_pylist(rows.measures, schema=MEASURES), "measures", "measures")
        store.write(pa.Table.from_pylist(rows.disparities, schema=DISPARITIES), "disparities", "disparities")
        if not (folder / "observations").exists():
            store.write(OBSERVATIONS.empty_table(), "observations", "none")
        store.write_manifest(_manifest(config, self, cells))
        _examples(folder, self.methods)
        return store

    def _cell(
        self, cell: Cell, store: RunStore, frame: pd.DataFrame, rows: Rows, config: RunConfig, rng: Any
    ) -> dict[str, Any]:
        if cell.evaluation in self.failed:
            return {**cell.keys(), "status": "failed", "reason": "ValueError: nothing to learn from"}
        seen = OBSERVE[cell.evaluation](cell, frame, rng)
        seen = seen.assign(**cell.keys(), reason="", unit_id=[str(i) for i in range(len(seen))])
        store.write(pa.Table.from_pandas(seen, preserve_index=False), "observations",
                    f"evaluation={cell.evaluation}", cell.id)  # fmt: skip
        meta = registry.load(registry.find("evaluations", cell.evaluation)).meta
        joined = seen.join(frame[["identity", "gender", "tone"]], on="sample_id")
        points = [f"iou={i},ssim={s}" for i in (0.5, 0.3, 0.7) for s in (0.5, 0.3, 0.7)]
        for point in points if cell.evaluation == "robustness" else [""]:
            decided = joined
            if point:
                decided = joined.assign(similar=decide_by_similarity(joined, *parse_similarity_point(point)))
            self._measure(cell, point, meta.metrics, decided, rows, config)
        trained = {
            "label": "small", "component": "unveil.models.small:Small", "params": {}, "dataset": DATASET,
            "version": cell.method if cell.threat_model == "trained_on_protected" else "original",
            "pictures": {"train": 200, "validation": 40}, "seconds": 12.5, "sha256": f"{cell.evaluation:x<64}",
            "learned": {"unveil": json.dumps({"epochs_run": 9, "validation_cmap": [0.2, 0.5, 0.6, 0.7]})},
        }  # fmt: skip
        learned = {"trained": [trained]} if cell.threat_model else {}
        return {**cell.keys(), "status": "finished", "reason": "", "n_units": len(seen), "notes": [], **learned}

    def _measure(
        self, cell: Cell, point: str, metrics: Sequence[str], frame: pd.DataFrame, rows: Rows, config: RunConfig
    ) -> None:
        groupings = ("gender", "tone", "gender+tone")
        crowd = Crowd.of(frame, groupings)
        measurer = Measurer(cell, point, groupings, config.fairness, 7, {}, crowd)
        for name in metrics:
            measurer.measure(registry.load(registry.find("metrics", name)), frame, rows)


def _photos(rng: np.random.Generator) -> pd.DataFrame:
    common = np.linspace(0.3, 0.8, len(LABELS))
    rows = []
    for number in range(PHOTOS):
        gender, tone = GROUPS[number % len(GROUPS)]
        shown = [label for label, share in zip(LABELS, common, strict=True) if rng.random() < share]
        rows.append(
            {"dataset": DATASET, "sample_id": f"{number}.jpg", "content_hash": "", "identity": "", "split": "test",
             "attributes": {"gender": gender, "tone": tone}, "labels": [x for x in shown if x != "nudity"],
             "annotation": "", "width": 320, "height": 240, "status": "ok", "reason": "", "detail": ""}
        )  # fmt: skip
    return pd.DataFrame(rows)


def _protections(store: RunStore, method: str, photos: pd.DataFrame) -> pd.DataFrame:
    partial = np.arange(len(photos)) % 9 == 0 if method.startswith("avatar") else np.zeros(len(photos), bool)
    frame = pd.DataFrame(
        {"dataset": DATASET, "method": method, "sample_id": photos["sample_id"],
         "status": np.where(partial, "partial", "ok"), "reason": np.where(partial, "unprotected_region", ""),
         "detail": np.where(partial, "person 2: no keypoints", ""), "n_unprotected": partial.astype(np.int32),
         "image_key": "", "output_hash": "", "elapsed_s": 0.1}
    )  # fmt: skip
    store.write(pa.Table.from_pandas(frame, schema=PROTECTIONS, preserve_index=False), "protections", method)
    return frame.assign(status=np.where(partial, "not_protected", "ok"))


def _privacy(cell: Cell, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    left = METHODS[cell.method][cell.threat_model == "trained_on_protected"]
    rows = []
    for sample, photo in frame.iterrows():
        for position, label in enumerate(LABELS):
            there, noise = label in photo["labels"], rng.normal(0, 0.25)
            strength = 0.9 - 0.1 * position - (0.15 if photo["tone"] == "Dark" else 0)
            original = there * strength + noise
            score = original if cell.method == "original" else there * strength * left + rng.normal(0, 0.25)
            rows.append((sample, "ok", label, there, score, original))
    return _frame(rows, "label", "positive", "score", "score_original")


def _utility(cell: Cell, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    left = METHODS[cell.method][2] * (0.8 if cell.threat_model == "trained_on_originals" else 0.95)
    rows = []
    for number, sample in enumerate(frame.index):
        for name in ["person", *rng.choice(CLASSES[1:-1], 2, replace=False)]:
            found = rng.random() < left * (1 if name == "person" else 0.8) - 0.02 * (number % 6)
            score = rng.uniform(0.5, 1) if found else np.nan
            rows.append((sample, "ok", name, True, score, 0.8 if found else np.nan, bool(found)))
        if rng.random() < 0.15:
            rows.append((sample, "ok", "person", False, 0.6, np.nan, True))
    return _frame(rows, "label", "truth", "score", "iou", "accepted")


def _robustness(cell: Cell, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    left = METHODS[cell.method][3]
    rows = [(s, "ok", rng.uniform(0.3, 1), min(1.0, left * rng.uniform(0.5, 1.4)), 0.9, 0.8) for s in frame.index]
    return _frame(rows, "iou", "ssim", "score", "score_protected")


def _intelligibility(cell: Cell, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    rows = []
    for sample in frame.index:
        original = rng.normal(0, 1, 16).astype(np.float32)
        protected = original + np.float32(2 * (1 - METHODS[cell.method][3]))
        rows.append((sample, "ok", original, protected))
    return _frame(rows, "original", "protected")


def _throughput(cell: Cell, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    speed = METHODS[cell.method][4]
    rows = [("", "ok", "640x480", 640, 480, 16, 16 / speed * rng.uniform(0.95, 1.05)) for _ in range(5)]
    return _frame(rows, "size", "width", "height", "frames", "seconds")


def _frame(rows: list[tuple[Any, ...]], *columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["sample_id", "status", *columns])


OBSERVE = {
    "privacy": _privacy,
    "utility": _utility,
    "robustness": _robustness,
    "intelligibility": _intelligibility,
    "throughput": _throughput,
}


def _manifest(config: RunConfig, invented: Invented, cells: list[dict[str, Any]]) -> dict[str, Any]:
    component = {"params": {}, "fingerprint": "0" * 32, "version": 1, "citation": "", "licence": ""}
    methods = [{"kind": "method", "label": m, "target": "unveil.methods.pixel:Mask"} for m in invented.methods]
    evaluations = [
        {"kind": "evaluation", "label": e, "target": f"unveil.evaluations.{e}:Any"} for e in EVALUATIONS
    ]
    return {
        "schema_version": 2, "unveil": "0", "git": {}, "started": "2026-01-01", "finished": "2026-01-01",
        "config": config.model_dump(mode="json"), "config_hash": "0" * 32, "skipped": [], "cells": cells,
        "environment": {"python": "3", "platform": "any", "processor": "", "cores": 2, "packages": {}},
        "datasets": [{"label": DATASET, "name": "invented", "index_hash": "0" * 32, "photos": PHOTOS,
                      "unreadable": 0, "identities": 0, "groupings": ["gender", "tone", "gender+tone"],
                      "labels": list(LABELS), "splits": {"test": PHOTOS}, "citation": "", "licence": "",
                      "url": ""}],
        "components": [{**entry, **component} for entry in methods + evaluations],
    }  # fmt: skip


def _examples(folder: Path, methods: Sequence[str]) -> None:
    entries = []
    for number, method in enumerate(methods):
        for column in (1, 2):
            file = io.BytesIO()
            Image.new("RGB", (256, 192), (25 * number, 80 * column, 120)).save(file, "JPEG")
            path = folder / "examples" / f"{number}_{column}.jpg"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(file.getvalue())
            entries.append(
                {"dataset": DATASET, "method": method, "sample_id": f"{column}.jpg", "group": "Female Dark",
                 "status": "ok", "reason": "", "file": path.name}
            )  # fmt: skip
    (folder / "examples" / "examples.json").write_text(json.dumps(entries))


@pytest.fixture(scope="session")
def scene_store(tmp_path_factory: pytest.TempPathFactory) -> RunStore:
    """All methods and evaluations, with the report."""
    store = Invented().write(tmp_path_factory.mktemp("scenes") / "invented")
    write_report(store)
    return store


@pytest.fixture(scope="session")
def scene_results(scene_store: RunStore) -> Results:
    """The same run, read."""
    return Results.load(scene_store)
