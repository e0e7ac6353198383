"""From observations to outcomes: every operating point of an evaluation applied to its stored rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from unveil.metrics.outcomes import decide_by_identity, decide_by_rank, decide_by_threshold
from unveil.metrics.similarity import decide_by_similarity, parse_similarity_point
from unveil.metrics.thresholds import (
    Threshold,
    calibrate,
    similarity_of_distance,
    threshold_values,
)
from unveil.pipeline.plan import PlannedCell

Thresholds = Mapping[str, Mapping[str, Threshold]]
"""Operating point -> group (``""`` for everybody) -> threshold."""


def calibrated(planned: PlannedCell, originals: pd.DataFrame, date: str) -> dict[str, dict[str, Threshold]]:
    """The thresholds of an evaluation, from its observations of the unprotected photos.

    Args:
        planned: cell of the unprotected photos.
        originals: its rows, with ``demographic_group``.
        date: ISO date, for the provenance.
    """
    model = planned.models["recognizer"].component  # thresholds are for similarities
    group = originals["demographic_group"]
    if (group != "").any():
        group = group.where(group != "", None)  # people of unknown group have no threshold of a group
    found = {}
    for point in planned.evaluation.component.operating_points:
        found[point] = calibrate(
            point,
            originals,
            dataset=planned.cell.dataset,
            date=date,
            group=group,
            customary=similarity_of_distance(model.customary_threshold, model.distance),
        )
    return found


def decided(
    planned: PlannedCell, frame: pd.DataFrame, thresholds: Thresholds
) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows with their ``outcome``, once per operating point.

    Args:
        planned: the cell.
        frame: its rows with ``demographic_group``.
        thresholds: of the same dataset and models; without one, an operating point is left out.
    """
    for point in planned.evaluation.component.operating_points:
        if point == "":
            yield point, frame
        elif point.startswith("iou="):
            yield point, frame.assign(similar=decide_by_similarity(frame, *parse_similarity_point(point)))
        elif point == "svm":
            yield point, frame.assign(outcome=decide_by_identity(frame))
        elif point.startswith("rank_"):
            yield point, frame.assign(outcome=decide_by_rank(frame, int(point.removeprefix("rank_"))))
        elif point in thresholds:
            value: Any = threshold_values(thresholds[point])
            outcome = decide_by_threshold(frame, value, frame["demographic_group"])
            yield point, frame.assign(outcome=outcome)
