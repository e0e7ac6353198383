"""How much of the picture is left: likeness to the original, and sharpness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.types import Image, Pair, Reason
from unveil.evaluations.fidelity import WINDOW, in_the_size_of, psnr, sharpness, ssim
from unveil.evaluations.pictures import Sight, of_test_split, sights, table


class ImageQuality:
    """Compares every picture with its original pixel by pixel, and tells how sharp both are.

    One row per picture of the test split, of all where the dataset is not split. A protected picture of another
    size is brought to the size of the original before anything is measured, so that what a smaller picture has
    lost is seen. The PSNR of equal pictures is 100 dB instead of infinite.
    """

    meta = EvaluationMeta(
        name="quality",
        version=1,
        dimension="quality",
        unit="image",
        roles=(),
        threat_models=("",),
        has=frozenset(),
        columns={
            "ssim": pa.float32(),
            "psnr": pa.float32(),
            "sharpness_original": pa.float32(),
            "sharpness": pa.float32(),
        },
        metrics=("ssim", "psnr", "sharpness"),
        source=Source("Wang et al., Image Quality Assessment, 2004 (SSIM, PSNR); Crete et al., 2007 (sharpness)"),
    )

    operating_points = ("",)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture of the test split."""
        return of_test_split(samples)

    def observe(self, units: pd.DataFrame, threat_model: str, context: SceneContext) -> pd.DataFrame:
        """The four numbers of each picture, NaN without a protected one.

        An original below 11 pixels in either direction is an ``error`` with the reason ``too_small``.
        """
        rows = [_measured(sight) for batch in sights(context, units["sample_id"]) for sight in batch]
        return table(rows, self.meta.columns)


def _measured(sight: Sight) -> dict[str, Any]:
    row: dict[str, Any] = {"unit_id": sight.sample_id, **sight.state}
    original = sight.original
    if original is None or sight.status == "error":
        return row
    if min(original.shape[:2]) < WINDOW:
        return row if sight.protected is None else row | {"status": "error", "reason": str(Reason.TOO_SMALL)}
    row["sharpness_original"] = sharpness(original)
    return row if sight.protected is None else row | _compared(original, sight.protected)


def _compared(original: Image, protected: Image) -> dict[str, float]:
    shown = in_the_size_of(protected, original)
    return {"ssim": ssim(original, shown), "psnr": psnr(original, shown), "sharpness": sharpness(shown)}
