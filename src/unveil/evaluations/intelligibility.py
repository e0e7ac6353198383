"""How far are the protected pictures, as a whole, from looking like the originals?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.types import Image, Pair
from unveil.evaluations.pictures import of_test_split, sights, table


class Intelligibility:
    """An image encoder describes every picture of the test split before and after protection.

    One row per picture. The distance between both sets of vectors is computed later, in one piece; the
    encoder's name stands in the row's component, because the distance means nothing without it.
    """

    meta = EvaluationMeta(
        name="intelligibility",
        version=1,
        dimension="practicality",
        unit="image",
        roles=("image_encoder",),
        threat_models=("",),
        has=frozenset(),
        columns={"original": pa.list_(pa.float32()), "protected": pa.list_(pa.float32())},
        metrics=("cmmd",),
        source=Source("HR-VISPR, practicality: intelligibility as CMMD; Jayasumana et al., CVPR 2024"),
    )

    operating_points = ("",)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture of the test split."""
        return of_test_split(samples)

    def observe(self, units: pd.DataFrame, threat_model: str, context: SceneContext) -> pd.DataFrame:
        """``original`` and ``protected``: vectors of the encoder, None where there is no picture."""
        encoder = context.model("image_encoder")
        rows: list[dict[str, Any]] = []
        for batch in sights(context, units["sample_id"]):
            before = _encode(encoder, [sight.original for sight in batch])
            after = before
            if context.method != "original":
                after = _encode(encoder, [sight.protected for sight in batch])
            rows += (
                {"unit_id": sight.sample_id, **sight.state, "original": one, "protected": two}
                for sight, one, two in zip(batch, before, after, strict=True)
            )
        return table(rows, self.meta.columns)


def _encode(encoder: Any, images: Sequence[Image | None]) -> list[Any]:
    """A vector (dimension,) per picture; None where there is no picture."""
    seen = [image for image in images if image is not None]
    vectors = iter(encoder.encode(seen) if seen else ())
    return [None if image is None else next(vectors) for image in images]
