"""What a reader must know before trusting the numbers: what is missing, what failed, what is weak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from unveil.core.types import Reason
from unveil.metrics.kid import SAME
from unveil.reporting.number import count, percent
from unveil.reporting.picture_quality.columns import columns, unchanged
from unveil.reporting.results import Results
from unveil.reporting.wording import models, threat_model

Severity = Literal["serious", "notice"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing to know. ``about`` names what it concerns; ``text`` says what is the case."""

    severity: Severity
    about: str
    text: str


def troubles(results: Results) -> list[Trouble]:
    """All of a run, serious ones first."""
    found = [
        *_unfinished(results),
        *_failed_cells(results),
        *_skipped(results),
        *_unchanged(results),
        *_passing(results),
        *_unreadable(results),
        *_notes(results),
        *_small_groups(results),
    ]
    return sorted(found, key=lambda trouble: trouble.severity != "serious")


def _unfinished(results: Results) -> Iterator[Trouble]:
    missing = sum(cell["status"] == "missing" for cell in results.manifest["cells"])
    if missing or not results.manifest["finished"]:
        text = f"{missing} of {len(results.manifest['cells'])} cells are missing; run the same command again"
        yield Trouble("serious", "unfinished run", text)


def _failed_cells(results: Results) -> Iterator[Trouble]:
    for cell in results.manifest["cells"]:
        if cell["status"] == "failed":
            names = [cell["dataset"], cell["method"], cell["evaluation"], threat_model(cell["threat_model"])]
            yield Trouble("serious", " · ".join([*filter(None, names), models(cell["component"])]), cell["reason"])


def _skipped(results: Results) -> Iterator[Trouble]:
    for line in results.manifest["skipped"]:
        if line.endswith(SAME):  # was computed, and is told with what else says so
            continue
        about, _, text = line.partition(": ")
        yield Trouble("serious", about, f"not computed: {text}" if text else "not computed")


def _unchanged(results: Results) -> Iterator[Trouble]:
    for dataset in results.datasets:
        for method, told in unchanged(columns(results, dataset)).items():
            yield Trouble("serious", f"{method} on {dataset}", told.text)


_STAND = "the others stand there unprotected"


def _passing(results: Results) -> Iterator[Trouble]:
    for (dataset, method), rows in results.protections.groupby(["dataset", "method"], sort=False):
        failed = rows[rows["status"] != "ok"]
        if failed.empty:
            continue
        reasons = ", ".join(f"{reason}: {n:,}" for reason, n in failed["reason"].value_counts().items())
        share = percent(1 - len(failed) / len(rows))
        broke = (failed["reason"] == Reason.EXCEPTION).any()
        partly = (failed["status"] == "partial").any()
        rest = "in the others people stand unprotected, wholly or in part" if partly else _STAND
        text = f"passes {share} of {count(len(rows), 'photo')} ({reasons}); {rest}"
        yield Trouble("serious" if broke else "notice", f"{method} on {dataset}", text)


def _unreadable(results: Results) -> Iterator[Trouble]:
    for dataset, rows in results.samples.groupby("dataset", sort=False):
        if len(broken := rows[rows["status"] != "ok"]):
            reasons = ", ".join(f"{reason}: {n:,}" for reason, n in broken["reason"].value_counts().items())
            first = broken.iloc[0]["detail"]
            text = f"{count(len(broken), 'photo')} of {len(rows):,} cannot be read ({reasons}), such as {first}"
            yield Trouble("notice", str(dataset), f"{text}; they are left out of every number")


def _notes(results: Results) -> Iterator[Trouble]:
    notes = Counter(
        (cell["dataset"], cell["evaluation"], cell["threat_model"], note)
        for cell in results.manifest["cells"]
        for note in cell.get("notes", ())
    )
    for dataset, evaluation, threat, note in notes:
        where = ", ".join(filter(None, [evaluation, threat_model(threat)]))
        yield Trouble("notice", f"{where} on {dataset}", note)


def _small_groups(results: Results) -> Iterator[Trouble]:
    minimum = results.manifest["config"]["fairness"]["minimum_identities"]
    for dataset in results.datasets:
        rows = results.select("measures", dataset=dataset, metric="passing_rate")
        rows = rows[(rows["grouping"] != "") & (rows["n_identities"] < minimum)]
        for grouping, groups in rows.drop_duplicates(["grouping", "group"]).groupby("grouping", sort=False):
            names = ", ".join(f"{row['group']} ({row['n_identities']})" for _, row in groups.iterrows())
            text = f"fewer than {minimum} people, so no fairness verdict: {names}"
            yield Trouble("notice", f"{dataset} by {grouping.replace('+', ' and ')}", text)


def failures(results: Results) -> pd.DataFrame:
    """Failed photos by dataset, method and reason: ``photos``, ``share``, and one ``detail`` as an example."""
    rows = results.protections
    attempted = rows.groupby(["dataset", "method"], sort=False).size()
    failed = rows[rows["status"] != "ok"].groupby(["dataset", "method", "reason"], sort=False)
    table = failed.agg(photos=("sample_id", "size"), example=("sample_id", "first"), detail=("detail", "first"))
    table = table.reset_index()
    total = [attempted[dataset, method] for dataset, method in zip(table["dataset"], table["method"], strict=True)]
    table.insert(4, "share", table["photos"] / pd.Series(total, index=table.index, dtype=float))
    return table


def unprotected_regions(results: Results, dataset: str) -> list[dict[str, Any]]:
    """Methods that left regions as they were: ``method, photos, partial, regions, detail`` (one example)."""
    mine = results.protections[results.protections["dataset"] == dataset]
    found = []
    for method in results.methods(dataset):
        rows = mine[mine["method"] == method]
        partial = rows[rows["status"] == "partial"]
        if len(partial):
            example = f"{partial['sample_id'].iloc[0]}: {partial['detail'].iloc[0]}"
            regions = int(partial["n_unprotected"].sum())
            found.append({"method": method, "photos": len(rows), "partial": len(partial), "regions": regions,
                          "detail": example})  # fmt: skip
    return found


def unusable(results: Results) -> pd.DataFrame:
    """Attempts that say nothing about a method: observations with status ``error``, by reason."""
    cells = pd.DataFrame(
        results.manifest["cells"], columns=["cell_id", "dataset", "method", "evaluation", "threat_model"]
    )
    errors = results.outcomes[results.outcomes["status"] == "error"].merge(cells, on="cell_id")
    keys = ["dataset", "evaluation", "threat_model", "method", "reason"]
    return errors.groupby(keys, sort=False)["count"].sum().reset_index(name="attempts")
