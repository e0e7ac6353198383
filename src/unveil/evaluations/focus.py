"""Which regions of a face does a recognizer look at, before and after protection?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from unveil.core.face_regions import REGIONS
from unveil.core.protocols import EvaluationMeta, FaceContext, Source
from unveil.core.roles import DifferentiableRecognizer
from unveil.core.types import Pair
from unveil.core.validation import whole
from unveil.evaluations.focus_faces import Look, looks
from unveil.evaluations.focus_pictures import FocusPictures
from unveil.evaluations.heat import region_means, stretched
from unveil.evaluations.pictures import numbered, sights, table


class Focus:
    """Heat of each region of a face, on the original and on the protected picture: 15 rows per picture.

    A region's score is the mean heat (:mod:`unveil.evaluations.saliency`) inside the hull of its landmarks,
    stretched to [0, 1] over the regions of that face; a region outside the recognizer's crop has none. Face,
    landmarks and alignment come from the original for both versions, so that a heat map shows the same place in
    both; a protected picture of another size is first brought to that of the original. On unprotected photos the
    recognizer is compared with nothing: there is no correlation. A picture without a face, or whose landmarks are
    not found, has rows with status ``error``: it says nothing about the method.

    Args:
        overlays_per_group: people of each demographic group of whom one photo is kept for the report; with 0
            there are mean faces of at least five people alone. A run with ``examples_per_group: 0`` keeps neither.
    """

    meta = EvaluationMeta(
        name="focus",
        version=1,
        dimension="privacy",
        unit="label",
        roles=("detector", "recognizer", "landmarker"),
        threat_models=("",),
        has=frozenset(),
        columns={
            "region": pa.string(),
            "verification": pa.float32(),
            "obfuscation": pa.float32(),
            "changed": pa.float32(),
            "rank_verification": pa.int32(),
            "rank_obfuscation": pa.int32(),
            "correlation": pa.float32(),
        },
        metrics=(
            "strongest_region_rate",
            "five_strongest_region_rate",
            "region_focus",
            "region_change",
            "focus_correlation",
        ),
        source=Source("FairDeFace, focus of obfuscation and verification (figures 5 to 7, Table VI)"),
    )
    operating_points = ("",)

    def __init__(self, *, overlays_per_group: int = 2) -> None:
        self.overlays_per_group = whole("overlays_per_group", overlays_per_group, low=0)

    def suits(self, threat_model: str, models: Mapping[str, Any]) -> bool:
        """Only recognizers whose gradients can be had."""
        return isinstance(models["recognizer"], DifferentiableRecognizer)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture; each becomes one row per region."""
        return pd.DataFrame({"unit_id": samples.index, "sample_id": samples.index})

    def observe(self, units: pd.DataFrame, threat_model: str, context: FaceContext) -> pd.DataFrame:
        """Scores of each region, and their order.

        ``verification`` and ``obfuscation``: score on the original and on the protected picture. ``rank_...``: 1
        is the strongest; none where nothing stands out. ``changed``: mean absolute change of the region's pixels,
        1 is from black to white. ``correlation``: Pearson's, of both scores over the regions of the picture; the
        same on all its rows.
        """
        shown = FocusPictures(context, self.overlays_per_group)
        compared = context.method != "original"
        rows: list[dict[str, Any]] = []
        for batch in sights(context, units["sample_id"]):
            for sight, look in looks(batch, context):
                # Without a look, too, each region has a row: so many could not be told.
                regions = ({"region": name} for name in REGIONS) if look is None else _regions(look, compared)
                rows += numbered(sight.sample_id, ({**sight.state, **region} for region in regions))
                if look is not None:
                    shown.add(sight.sample_id, look)
        shown.keep_averages()
        return table(rows, self.meta.columns)


def _regions(look: Look, compared: bool) -> Iterator[dict[str, Any]]:
    """Columns of each region of a face."""
    scores = [stretched(region_means(heat, look.masks)) for heat in (look.verification, look.obfuscation)]
    difference = np.abs(look.protected.astype(np.float32) - look.original).mean(axis=2) / 255
    changed = region_means(difference, look.masks)
    ranks = [ranked(score) for score in scores]
    together = correlation(*scores) if compared else math.nan
    for name, verification, obfuscation, change, first, second in zip(
        REGIONS, *scores, changed, *ranks, strict=True
    ):
        yield {
            "region": name,
            "verification": float(verification),
            "obfuscation": float(obfuscation),
            "changed": float(change),
            "rank_verification": first,
            "rank_obfuscation": second,
            "correlation": together,
        }


def ranked(scores: NDArray[np.float32]) -> list[int | None]:
    """Place of each score, 1 for the greatest, equal ones in their order.

    None for NaN, and for all when all are equal.

    >>> ranked(np.array([0.5, np.nan, 1.0, 0.0], np.float32))
    [2, None, 1, 3]
    """
    known = np.flatnonzero(np.isfinite(scores))
    places: list[int | None] = [None] * len(scores)
    if known.size and np.ptp(scores[known]) > 0:
        for place, index in enumerate(known[np.argsort(-scores[known], kind="stable")], start=1):
            places[index] = place
    return places


def correlation(one: NDArray[np.float32], two: NDArray[np.float32]) -> float:
    """Pearson's correlation over the regions that both know; NaN where there are fewer than two, or no spread."""
    both = np.isfinite(one) & np.isfinite(two)
    if both.sum() < 2 or min(np.ptp(one[both]), np.ptp(two[both])) == 0:
        return math.nan
    return float(np.corrcoef(one[both].astype(np.float64), two[both].astype(np.float64))[0, 1])
