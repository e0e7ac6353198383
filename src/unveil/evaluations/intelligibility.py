"""How far are the protected pictures, as a whole, from looking like the originals?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.types import Pair
from unveil.evaluations.embeddings import COLUMNS, embedded
from unveil.evaluations.pictures import of_test_split


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
        columns=COLUMNS,
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
        return embedded(units["sample_id"].tolist(), context)
