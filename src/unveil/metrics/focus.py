"""Focus: at which regions of a face a recognizer looks, and what a method does to them.

A row is a region of a face in one picture. Of the unprotected photos (method ``original``) the same metrics tell
the focus of recognition itself, which FairDeFace calls verification focus.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.face_regions import REGIONS
from unveil.core.protocols import Source
from unveil.metrics.average_precision import has_scores
from unveil.metrics.kind import Columns, Weights, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.rates import Rate
from unveil.metrics.statistic import Measure, Statistic, reader

_STRONGEST = 5
_ONE_REGION = next(iter(REGIONS))  # what belongs to a picture stands on the rows of all its regions


def _strongest(name: str, title: str, places: int, source: str) -> Rate:
    """How often a region is among so many strongest ones; faces on which it is out of sight do not count."""
    meta = MetricMeta(
        name, 1, title, ("region", "rank_obfuscation"), False, "share", Source(source), facet="region"
    )
    return Rate(
        meta,
        numerator=lambda frame: numbers(frame, "rank_obfuscation") <= places,
        denominator=has_scores(with_status("ok"), "rank_obfuscation"),
    )


def _mean(name: str, title: str, column: str, unit: str, source: str, *, higher_is_better: bool) -> Statistic:
    """Mean of a column over faces; of each region by itself, or of what belongs to the picture."""
    facet = "" if column == "correlation" else "region"
    meta = MetricMeta(name, 1, title, ("region", column), higher_is_better, unit, Source(source), facet=facet)

    def prepare(columns: Columns) -> Measure:
        values = columns[column]

        def measure(weights: Weights | None) -> NDArray[np.float64]:
            counts = np.ones(len(values)) if weights is None else weights
            total = counts.sum(axis=-1)
            return np.divide(counts @ values, total, out=np.full(np.shape(total), np.nan), where=total > 0)

        return measure

    def rows(frame: pd.DataFrame) -> NDArray[np.bool_]:
        return np.full(len(frame), bool(facet)) | frame["region"].eq(_ONE_REGION).to_numpy(dtype=np.bool_)

    known = has_scores(with_status("ok"), column)
    return Statistic(
        meta,
        reader(**{column: numbers}),
        lambda frame: known(frame) & rows(frame),
        prepare,
        "no face on which it is known",
        population=rows,
        at_once=True,
        proportion=False,
    )


STRONGEST_REGION_RATE = _strongest(
    "strongest_region_rate", "Strongest region", 1, "FairDeFace, focus by group, figures 5 to 7: strongest feature"
)
"""Faces on which the recognizer looks at this region most / faces that show it, on protected pictures."""

FIVE_STRONGEST_REGION_RATE = _strongest(
    "five_strongest_region_rate",
    "Among the five strongest regions",
    _STRONGEST,
    "FairDeFace, focus by group, figures 5 to 7: five strongest features",
)
"""Faces on which this region is among the five at which the recognizer looks most / faces that show it."""

REGION_FOCUS = _mean(
    "region_focus",
    "Mean focus",
    "obfuscation",
    "score",
    "FairDeFace, focus scores of the regions, stretched to [0, 1] over each face",
    higher_is_better=False,
)
"""Mean score of a region on protected pictures, in [0, 1]: 1 where it is always the strongest."""

REGION_CHANGE = _mean(
    "region_change",
    "Mean change of pixels",
    "changed",
    "of white",
    "docs/definitions.md, focus analysis",
    higher_is_better=True,
)
"""Mean absolute change of a region's pixels by the method, in [0, 1]: 1 is from black to white."""

FOCUS_CORRELATION = _mean(
    "focus_correlation",
    "Focus, protected against original",
    "correlation",
    "correlation",
    "FairDeFace, Table VI: Pearson correlation of obfuscation and verification focus",
    higher_is_better=False,
)
"""Mean over faces of Pearson's correlation between the regions' scores on the protected and on the original
picture, in [-1, 1]: 1 where the recognizer still looks at the same regions. A recognizer has places to which it
looks whatever is there (dlib's: 0.66 where the protected pictures are black all over), so 0 is not what to compare
with: the floor is the value of a method that leaves nothing to see, such as ``mask``."""
