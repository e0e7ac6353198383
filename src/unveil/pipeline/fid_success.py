"""FID success: which group is served best, from the FIDs of all groups of a dataset under one method."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from unveil.config import Fairness
from unveil.core.protocols import Source
from unveil.core.schema import CELL_KEYS
from unveil.metrics.fairness import average_bias, demographic_biases
from unveil.metrics.fid import FID, fid_success
from unveil.metrics.kid import SAME
from unveil.metrics.meta import MetricMeta
from unveil.pipeline.protect import UNPROTECTED

FID_SUCCESS = MetricMeta(
    "fid_success",
    1,
    "FID success",
    ("original", "protected"),
    True,
    "share",
    Source("FairDeFace, released code and its tables Quality/FID_success: 1 - FID / largest FID of the groups"),
)

Row = dict[str, Any]


def success_rows(measures: Sequence[Row], fairness: Fairness) -> tuple[list[Row], list[Row]]:
    """Rows of the measures and of the disparities tables for every cell that has FIDs by group.

    There are no intervals and no verdicts: a success has no bootstrap of its own, since the group that the others
    are divided by is itself drawn. Average and demographic bias are the published ones, of exact counts.

    Args:
        measures: rows of the measures table.
        fairness: epsilons, definitions and mode.
    """
    frame = pd.DataFrame([row for row in measures if row["metric"] == FID.meta.name and row["grouping"]])
    successes: list[Row] = []
    disparities: list[Row] = []
    if frame.empty:
        return successes, disparities
    for _, rows in frame[frame["method"] != UNPROTECTED].groupby(["cell_id", "grouping"], sort=False):
        values = rows.set_index("group")["value"].astype(float)
        rates = fid_success(values.to_dict())
        left_out = [group for group, rate in rates.items() if math.isnan(rate)]
        if len(rates) - len(left_out) < 2:  # nobody to compare with, or every group has the originals
            continue
        worst = values.idxmax()
        detail = f"against {worst}, whose FID is {values[worst]:.4g}; equal numbers of pictures"
        if left_out:
            detail += f"; not compared: {', '.join(left_out)}"
        for group, row in zip(rates, rows.to_dict("records"), strict=True):
            own = {"metric": FID_SUCCESS.name, "value": _null(rates[group]), "ci_low": None, "ci_high": None}
            successes.append({**row, **own, "higher_is_better": True, "detail": detail})
        disparities += _biases(rows.iloc[0].to_dict(), rates, fairness)
    return successes, disparities


def _biases(row: Row, rates: Mapping[str, float], fairness: Fairness) -> Iterator[Row]:
    named = {name: row[name] for name in (*CELL_KEYS, "operating_point", "facet", "grouping")}
    for definition in fairness.definitions:
        for epsilon in fairness.epsilons:
            keys = {**named, "metric": FID_SUCCESS.name, "definition": definition, "epsilon": epsilon}
            average = average_bias(rates, epsilon, definition, higher_is_better=True, mode=fairness.mode)
            yield {**keys, "statistic": "average_bias", "value": _null(average)}
            biases = demographic_biases(rates, epsilon, definition, higher_is_better=True, mode=fairness.mode)
            for group, bias in biases.items():
                yield {**keys, "statistic": "demographic_bias", "group": group, "value": _null(bias)}


def _null(value: float) -> float | None:
    return None if math.isnan(value) else value


def unchanged(measures: Sequence[Row]) -> Iterator[str]:
    """The alarm that published tables lacked: a method whose pictures are the originals does nothing, fairly."""
    for row in measures:
        if (
            row["metric"] == FID.meta.name
            and not row["grouping"]
            and row["method"] != UNPROTECTED
            and SAME in row["detail"]
        ):
            yield f"{row['method']} on {row['dataset']}: FID {row['value']:.3g} by {row['component']}: {SAME}"
