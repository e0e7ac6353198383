"""A few people as every method leaves them, small, for people to look at in the report."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image as Pillow

from unveil.core.fingerprint import digest, rng
from unveil.core.types import Failure, Image
from unveil.images import encode_jpeg, read_image
from unveil.pipeline.plan import Plan, PlannedDataset
from unveil.pipeline.protect import UNPROTECTED
from unveil.store.artifacts import Artifacts
from unveil.store.files import write_atomically
from unveil.store.run import RunStore

COLUMNS = 8
"""Most people shown of a dataset."""

SIDE = 160
"""Longest side of an example face, in pixels."""

SCENE_SIDE = 256
"""Longest side of an example scene."""


def write_examples(plan: Plan, store: RunStore, artifacts: Artifacts) -> None:
    """Store ``examples/<dataset>/<method>/<n>.jpg`` and, last, ``examples/examples.json`` that lists them.

    The list has one entry per person and method: ``dataset``, ``method``, ``sample_id``, ``group``, ``status``,
    ``reason`` and ``file`` (relative to ``examples/``; empty where the method gave no picture).
    """
    shutil.rmtree(store.folder / "examples", ignore_errors=True)
    protections = store.read("protections")
    entries = [
        entry for dataset in plan.datasets for entry in _dataset(dataset, plan, protections, store, artifacts)
    ]
    text = json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
    write_atomically(store.folder / "examples" / "examples.json", text.encode())


def _dataset(
    dataset: PlannedDataset, plan: Plan, protections: pd.DataFrame, store: RunStore, artifacts: Artifacts
) -> Iterator[dict[str, Any]]:
    label = dataset.built.label
    per_group = plan.config.report.examples_per_group
    scenes = "splits" in dataset.built.component.meta.has
    frame = dataset.frame
    if scenes:  # what nothing was trained on, and of that what shows people as far as labels tell
        frame = _those(frame, frame["split"] == "test")
        frame = _those(frame, frame["labels"].map(len) > 0)
    chosen = choose(frame, per_group, rng(plan.config.seed, "examples", label))
    mine = protections[protections["dataset"] == label]
    for method in (built.label for built in plan.components.methods):
        rows = mine[mine["method"] == method].set_index("sample_id")
        for number, sample_id in enumerate(chosen.index if len(rows) else (), start=1):
            picture = _read(rows.loc[sample_id], dataset, str(sample_id), method, artifacts)
            failed = isinstance(picture, Failure)
            name = "" if failed else f"{_folder(label)}/{_folder(method)}/{number}.jpg"
            if not isinstance(picture, Failure):
                small = encode_jpeg(_small(picture, SCENE_SIDE if scenes else SIDE))
                write_atomically(store.folder / "examples" / name, small)
            yield {
                "dataset": label,
                "method": method,
                "sample_id": str(sample_id),
                "group": chosen.loc[sample_id, "demographic_group"],
                "status": "failed" if failed else "ok",
                "reason": str(picture.reason) if isinstance(picture, Failure) else "",
                "file": name,
            }


def _those(frame: pd.DataFrame, wanted: pd.Series) -> pd.DataFrame:
    """The wanted rows; all where none is."""
    return frame[wanted] if wanted.any() else frame


def choose(frame: pd.DataFrame, per_group: int, stream: np.random.Generator) -> pd.DataFrame:
    """Different people of each group, at most :data:`COLUMNS` in all.

    Args:
        frame: samples with ``identity`` and ``demographic_group``, indexed by sample id.
        per_group: people of each group; fewer where there are many groups, none for 0.
        stream: decides who.

    Returns:
        The chosen rows, sorted by group.
    """
    shuffled = frame.iloc[stream.permutation(len(frame))]
    known = shuffled["identity"] != ""
    people = shuffled[~(known & shuffled["identity"].duplicated())]
    each = min(per_group, max(1, COLUMNS // max(1, people["demographic_group"].nunique())))
    chosen = people.groupby("demographic_group", sort=False).head(each).head(COLUMNS)
    return chosen.sort_values("demographic_group", kind="stable")


def _read(
    row: Mapping[str, Any], dataset: PlannedDataset, sample_id: str, method: str, artifacts: Artifacts
) -> Image | Failure:
    if row["status"] == "failed":
        return Failure(row["reason"], row["detail"])
    if method == UNPROTECTED:
        return read_image(dataset.built.component.root / sample_id)
    return artifacts.image(row["image_key"])


def _small(picture: Image, side: int) -> Image:
    small = Pillow.fromarray(picture)
    small.thumbnail((side, side))
    return np.asarray(small)


def _folder(label: str) -> str:
    """The label where it is a plain file name, else its hash: a label may hold anything."""
    return label if re.fullmatch(r"\w[\w.-]{0,60}", label, re.ASCII) else digest(label, length=16)
