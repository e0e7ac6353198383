"""What a report reads: the stored tables, counts of the observations, the manifest and the example pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unveil.core.errors import StoreError
from unveil.reporting.number import Number
from unveil.store.run import RunStore

ORIGINAL = "original"
"""What every run calls the unprotected photos."""

CELL = ("evaluation", "component", "threat_model")


@dataclass(frozen=True, slots=True)
class Results:
    """One run, read once.

    Attributes:
        manifest: as stored.
        samples, protections, measures, disparities: the tables.
        outcomes: cell -> counts of its observations by status and reason: ``cell_id, status, reason, count``.
        enrolled: cell -> mean number of people among whom an identification chooses.
        prevalence: cell -> privacy attribute -> share of the protected pictures that show it.
        told: what estimators said of the originals' faces, counted: ``cell_id, attribute, kind, told_original,
            true_value``, ``photos``, and how many of them count in the preserving rate (``compared``) and in the
            accuracy (``judged``).
        examples: rows of ``examples/examples.json``, each with the JPEG's bytes in ``jpeg`` (None where the
            method gave no picture).
        pictures: cell -> name -> file of the pictures that belong to its results.
    """

    manifest: Mapping[str, Any]
    samples: pd.DataFrame
    protections: pd.DataFrame
    measures: pd.DataFrame
    disparities: pd.DataFrame
    outcomes: pd.DataFrame
    enrolled: Mapping[str, float]
    prevalence: Mapping[str, Mapping[str, float]]
    told: pd.DataFrame
    examples: Sequence[Mapping[str, Any]]
    pictures: Mapping[str, Mapping[str, Path]]

    @classmethod
    def load(cls, store: RunStore) -> Results:
        """Read a run.

        Raises:
            StoreError: when a table is missing, because the run was never finished.
        """
        measures = store.read("measures")  # the last table to be written: without it, nothing else is asked for
        columns = set(store.sql("describe observations")["column_name"])
        return cls(
            manifest=store.manifest(),
            samples=store.read("samples"),
            protections=store.read("protections"),
            measures=measures,
            disparities=store.read("disparities"),
            outcomes=store.sql(
                "select cell_id, status, reason, count(*) as count from observations group by all order by all"
            ),
            enrolled=_enrolled(store) if "gallery_size" in columns else {},
            prevalence=_prevalence(store) if {"label", "positive"} <= columns else {},
            told=_told(store) if {"told_original", "true_value"} <= columns else pd.DataFrame(columns=_TOLD),
            examples=_examples(store),
            pictures={cell: found for cell in measures["cell_id"].unique() if (found := store.pictures(cell))},
        )

    @property
    def datasets(self) -> list[str]:
        """Labels in the run's order."""
        return [entry["label"] for entry in self.manifest["datasets"]]

    def methods(self, dataset: str) -> list[str]:
        """Labels in the run's order, the unprotected photos first."""
        present = set(self.protections.loc[self.protections["dataset"] == dataset, "method"])
        planned = [entry["label"] for entry in self.manifest["components"] if entry["kind"] == "method"]
        return [label for label in planned if label in present]

    def evaluations(self, module: str) -> set[str]:
        """Labels of the evaluations of a module of :mod:`unveil.evaluations`."""
        return {
            entry["label"]
            for entry in self.manifest["components"]
            if entry["kind"] == "evaluation"
            and entry["target"].partition(":")[0] == f"unveil.evaluations.{module}"
        }

    def groupings(self, dataset: str) -> list[str]:
        """Divisions of people, the finest last."""
        return next(list(entry["groupings"]) for entry in self.manifest["datasets"] if entry["label"] == dataset)

    def select(self, table: str, **keys: Any) -> pd.DataFrame:
        """Rows of ``measures`` or ``disparities`` with these values, in stored order."""
        frame: pd.DataFrame = getattr(self, table)
        for column, value in keys.items():
            frame = frame[frame[column] == value]
        return frame

    def number(self, **keys: Any) -> Number | None:
        """One value of the measures table; None when it was not measured."""
        rows = self.select("measures", **keys)
        return Number.of(rows.iloc[0]) if len(rows) else None


SCENE_EVALUATIONS = frozenset(
    f"unveil.evaluations.{name}" for name in ("privacy", "utility", "robustness", "intelligibility", "throughput")
)
"""Modules of the evaluations of people in scenes."""

PICTURE_EVALUATIONS = frozenset(
    f"unveil.evaluations.{name}" for name in ("quality", "landmark_error", "perceptual", "fid")
)
"""Modules of the evaluations of any pictures; every other one is about faces."""


def subjects(results: Results, dataset: str) -> tuple[bool, bool]:
    """Whether a dataset was evaluated on faces, and on people in scenes: also where every attempt failed."""
    targets = {entry["label"]: entry["target"] for entry in results.manifest["components"]
               if entry["kind"] == "evaluation"}  # fmt: skip
    planned = {cell["evaluation"] for cell in results.manifest["cells"] if cell["dataset"] == dataset}
    modules = {str(targets.get(name, "")).partition(":")[0] for name in planned}
    about_scenes = bool(modules & SCENE_EVALUATIONS)
    return bool(modules - SCENE_EVALUATIONS - PICTURE_EVALUATIONS) or not about_scenes, about_scenes


def _enrolled(store: RunStore) -> dict[str, float]:
    frame = store.sql(
        "select cell_id, avg(gallery_size) as people from observations "
        "where gallery_size > 0 and side = 'probe' group by cell_id"
    )
    return dict(zip(frame["cell_id"], frame["people"].astype(float), strict=True))


def _prevalence(store: RunStore) -> dict[str, dict[str, float]]:
    frame = store.sql(
        "select cell_id, label, avg(cast(positive as integer)) as share from observations "
        "where status = 'ok' and positive is not null group by cell_id, label order by cell_id, label"
    )
    by_cell = frame.groupby("cell_id", sort=False)
    return {str(cell): dict(zip(rows["label"], rows["share"], strict=True)) for cell, rows in by_cell}


_TOLD = ["cell_id", "attribute", "kind", "told_original", "true_value", "photos", "compared", "judged"]


def _told(store: RunStore) -> pd.DataFrame:
    return store.sql(
        "select cell_id, attribute, kind, told_original, true_value, count(*) as photos, "
        "count(*) filter (status = 'ok' and not isnan(preserved)) as compared, "
        "count(*) filter (status in ('ok', 'error') and not isnan(correct)) as judged "
        "from observations where attribute is not null group by all order by all"
    )


def _examples(store: RunStore) -> list[dict[str, Any]]:
    folder = store.folder / "examples"
    index = folder / "examples.json"
    if not index.is_file():
        return []
    try:
        entries = json.loads(index.read_text(encoding="utf-8"))
    except ValueError as error:
        raise StoreError(f"{index}: cannot be read: {error}") from error
    return [{**entry, "jpeg": _jpeg(folder, entry["file"])} for entry in entries]


def _jpeg(folder: Any, name: str) -> bytes | None:
    path = (folder / name).resolve()
    inside = bool(name) and path.is_relative_to(folder.resolve()) and path.is_file()
    return path.read_bytes() if inside else None
