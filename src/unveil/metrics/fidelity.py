"""Numbers of one picture each, as means: likeness to the original, sharpness, moved landmarks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.metrics.kind import Columns, Mask, Weights, with_status
from unveil.metrics.meta import MetricMeta
from unveil.metrics.outcomes import numbers
from unveil.metrics.rates import Rate
from unveil.metrics.statistic import Measure, Statistic, reader

FAILED = 0.1
"""Normalised mean error above which landmarks count as lost. Source: Burgos-Artizzu, Perona, Dollar, Robust Face
Landmark Estimation under Occlusion, ICCV 2013."""

_WANG = Source(
    "Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment, IEEE Transactions on Image Processing, 2004"
)
_NME = Source("Sagonas, Tzimiropoulos, Zafeiriou, Pantic: 300 Faces in-the-Wild Challenge, ICCV Workshops 2013")


def _measured(column: str) -> Mask:
    return lambda frame: with_status("ok")(frame) & ~np.isnan(numbers(frame, column))


def _mean(column: str) -> Callable[[Columns], Measure]:
    def prepare(columns: Columns) -> Measure:
        values = columns[column]

        def of(weights: Weights | None) -> NDArray[np.float64]:
            each = np.ones(len(values)) if weights is None else weights
            total = each.sum(axis=-1)
            return each @ values / np.where(total > 0, total, np.nan)

        return of

    return prepare


def _mean_of(
    column: str, name: str, title: str, unit: str, source: Source, *, higher_is_better: bool
) -> Statistic:
    """The mean of a column over the pictures that have a value."""
    return Statistic(
        MetricMeta(name, 1, title, (column,), higher_is_better, unit, source),
        reads=reader(**{column: numbers}),
        denominator=_measured(column),
        prepare=_mean(column),
        undefined="no picture could be compared",
        at_once=True,
        proportion=False,
    )


SSIM = _mean_of("ssim", "ssim", "SSIM", "index", _WANG, higher_is_better=True)
"""Mean structural similarity to the original, at most 1."""

PSNR = _mean_of("psnr", "psnr", "PSNR", "dB", _WANG, higher_is_better=True)
"""Mean peak signal-to-noise ratio; that of an unchanged picture counts as 100 dB."""

SHARPNESS = _mean_of(
    "sharpness",
    "sharpness",
    "Sharpness",
    "index",
    Source("Crete, Dolmiere, Ladret, Nicolas: The blur effect, SPIE 6492, 2007"),
    higher_is_better=True,
)
"""Mean of 1 - blur effect of the protected pictures, in [0, 1]. It tells blur alone: noise
and the borders of large pixels are sharp, too."""

PERCEPTUAL_DIFFERENCE = _mean_of(
    "difference",
    "perceptual_difference",
    "Perceptual difference",
    "difference",
    Source("Zhang, Isola, Efros, Shechtman, Wang: The Unreasonable Effectiveness of Deep Features, CVPR 2018"),
    higher_is_better=False,
)
"""Mean difference to the original as the cell's perceptual metric sees it; 0 where nothing has changed."""

LANDMARK_ERROR = _mean_of("nme", "landmark_error", "Landmark error", "eye distance", _NME, higher_is_better=False)
"""Mean NME of the pictures in which the face is found before and after; the others are excluded, so read it
together with the failure rate."""


def _lost(frame: pd.DataFrame) -> NDArray[np.bool_]:
    return with_status("not_acquired")(frame) | (numbers(frame, "nme") > FAILED)


LANDMARK_FAILURE_RATE = Rate(
    MetricMeta(
        "landmark_failure_rate",
        1,
        "Landmarks lost",
        ("nme",),
        False,
        "share",
        Source("Burgos-Artizzu, Perona, Dollar: Robust Face Landmark Estimation under Occlusion, ICCV 2013"),
    ),
    numerator=_lost,
    denominator=with_status("ok", "not_acquired"),
)
"""Pictures whose landmarks moved by more than a tenth of the eye distance or were not found / those in whose
original there is a face."""
