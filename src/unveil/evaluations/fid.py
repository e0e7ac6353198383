"""How far are the protected pictures from the originals, as FID and KID measure it?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.types import Pair
from unveil.evaluations.embeddings import COLUMNS, embedded
from unveil.evaluations.pictures import of_test_split


class FrechetDistance:
    """An image encoder describes every picture before and after protection; FID and KID compare the two sets.

    One row per picture of the test split, of all where the dataset is not split. The encoder's name stands in
    the row's component: only with the encoder ``inception-2015`` is the number the FID of the literature.
    """

    meta = EvaluationMeta(
        name="fid",
        version=1,
        dimension="quality",
        unit="image",
        roles=("image_encoder",),
        threat_models=("",),
        has=frozenset(),
        columns=COLUMNS,
        metrics=("fid", "kid"),
        source=Source("FairDeFace, FID per group (released code); Heusel et al., NeurIPS 2017"),
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
