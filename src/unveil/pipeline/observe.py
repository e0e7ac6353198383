"""Answer one cell: plan its units, observe them, write the rows, and mark the cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.fingerprint import rng
from unveil.core.schema import OBSERVATIONS
from unveil.pipeline.plan import PlannedCell
from unveil.pipeline.templates import FaceTemplates
from unveil.store.run import RunStore


@dataclass(frozen=True, slots=True)
class Context:
    """What an evaluation may ask for (:class:`unveil.core.protocols.FaceContext`)."""

    samples: pd.DataFrame
    distance: Literal["cosine", "euclidean"]
    method: str
    seed: int
    versions: Mapping[str, FaceTemplates]

    def templates(self, version: Literal["original", "protected"]) -> FaceTemplates:
        """Faces of the originals or of the protected pictures."""
        return self.versions[version]

    def rng(self, *key: str) -> np.random.Generator:
        """Random stream of this key."""
        return rng(self.seed, *key)


def observe(
    planned: PlannedCell, versions: Mapping[str, FaceTemplates], seed: int, store: RunStore, failed: str
) -> None:
    """Observe a cell.

    Args:
        planned: the cell.
        versions: ``original`` and ``protected`` faces.
        seed: of the run.
        store: where rows and marker go.
        failed: why this cell cannot be trusted (its error budget is spent), or ``""``.
    """
    cell, evaluation = planned.cell, planned.evaluation.component
    frame, pairs = planned.dataset.frame, planned.dataset.pairs
    # Not the method: every method is attacked with the same pairs and splits, so differences are its own.
    stream = rng(seed, "units", evaluation.meta.name, cell.threat_model)
    units = evaluation.units(frame, cell.threat_model, pairs, stream)
    notes = units.attrs.pop("notes", [])
    distance: Literal["cosine", "euclidean"] = "euclidean"
    if planned.recognizer:
        distance = planned.recognizer.component.distance
    context = Context(frame, distance, cell.method, seed, versions)
    observed = evaluation.observe(units, cell.threat_model, context)
    table = _table(observed, planned)
    store.write(table, "observations", f"evaluation={cell.evaluation}", cell.id)
    statuses = Counter(table["status"].to_pylist())
    store.finish(
        cell.id,
        {
            "status": "failed" if failed else "finished",
            "reason": failed,
            "n_units": table.num_rows,
            "statuses": dict(sorted(statuses.items())),
            "notes": notes,
        },
    )


def _table(observed: pd.DataFrame, planned: PlannedCell) -> pa.Table:
    schema = OBSERVATIONS
    for name, kind in planned.evaluation.component.meta.columns.items():
        schema = schema.append(pa.field(name, kind))
    return pa.Table.from_pandas(observed.assign(**planned.cell.keys()), schema=schema, preserve_index=False)
