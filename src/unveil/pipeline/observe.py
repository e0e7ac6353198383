"""Answer one cell: plan its units, observe them, write the rows, and mark the cell."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pyarrow as pa

from unveil.core.errors import ConfigError, DataError, Unavailable
from unveil.core.fingerprint import rng
from unveil.core.schema import OBSERVATIONS
from unveil.core.types import Failure, Reason
from unveil.engine.guard import guarded
from unveil.pipeline.acquire import BROKEN
from unveil.pipeline.plan import PlannedCell
from unveil.store.run import RunStore


def plan_units(planned: PlannedCell, seed: int) -> pd.DataFrame:
    """What the evaluation wants to observe; under ``attrs["notes"]`` what it had to leave out."""
    cell, evaluation = planned.cell, planned.evaluation.component
    # Not the method: every method is attacked with the same pairs and splits, so differences are its own.
    stream = rng(seed, "units", evaluation.meta.name, cell.threat_model)
    units: pd.DataFrame = evaluation.units(planned.dataset.frame, cell.threat_model, planned.dataset.pairs, stream)
    return units


def observe(
    planned: PlannedCell, units: pd.DataFrame, context: Any, store: RunStore, failed: str, budget: float
) -> None:
    """Observe a cell.

    Args:
        planned: the cell.
        units: from :func:`plan_units`.
        context: what the evaluation may ask for.
        store: where rows and marker go.
        failed: why this cell cannot be trusted (its error budget is spent), or ``""``.
        budget: share of rows that a component may break on.
    """
    cell, evaluation = planned.cell, planned.evaluation.component
    notes = units.attrs.pop("notes", [])
    try:
        answer = guarded(lambda _: [evaluation.observe(units, cell.threat_model, context)], [0])[0]
    except (ConfigError, DataError, Unavailable) as error:  # such as nothing to learn: the other cells go on
        answer = Failure(Reason.MISSING, str(error))
    if isinstance(answer, Failure):  # a bug or a device fault: the other cells go on
        store.finish(cell.id, {"status": "failed", "reason": answer.detail, "n_units": len(units), "notes": notes})
        return
    table = _table(answer, planned)
    store.write(table, "observations", f"evaluation={cell.evaluation}", cell.id)
    statuses = Counter(table["status"].to_pylist())
    failed = failed or _over_budget(answer, budget)
    store.finish(
        cell.id,
        {
            "status": "failed" if failed else "finished",
            "reason": failed,
            "n_units": table.num_rows,
            "statuses": dict(sorted(statuses.items())),
            "notes": notes,
            **({"trained": context.trained} if getattr(context, "trained", None) else {}),
            **({"withheld": len(context.withheld)} if getattr(context, "withheld", None) else {}),
        },
    )


_LOST = frozenset({*map(str, BROKEN), "reference_broken"}) - {str(Reason.MISSING)}
"""Reasons of rows that may have an answer another time."""


def _over_budget(observed: pd.DataFrame, budget: float) -> str:
    """Why too many rows say nothing: of pairs that a service did not compare there is no other account."""
    reasons = observed.loc[observed["status"] == "error", "reason"].astype(str)
    broken = [reason for reason in reasons if reason.partition(":")[0] in _LOST]
    if len(broken) <= budget * len(observed):
        return ""
    return f"{len(broken)} of {len(observed)} rows broke, first: {broken[0]}; errors.budget allows {budget:.1%}"


def _table(observed: pd.DataFrame, planned: PlannedCell) -> pa.Table:
    schema = OBSERVATIONS
    for name, kind in planned.evaluation.component.meta.columns.items():
        schema = schema.append(pa.field(name, kind))
    return pa.Table.from_pandas(observed.assign(**planned.cell.keys()), schema=schema, preserve_index=False)
