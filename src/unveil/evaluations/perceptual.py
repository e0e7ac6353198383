"""How different do the protected picture and its original look?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.types import Image, Pair
from unveil.evaluations.fidelity import in_the_size_of
from unveil.evaluations.pictures import of_test_split, sights, table


class PerceptualDifference:
    """A perceptual metric compares every picture of the test split with its original.

    One row per picture; the metric's name stands in the row's component. A protected picture of another size is
    brought to the size of the original.
    """

    meta = EvaluationMeta(
        name="perceptual",
        version=1,
        dimension="quality",
        unit="image",
        roles=("perceptual_metric",),
        threat_models=("",),
        has=frozenset(),
        columns={"difference": pa.float32()},
        metrics=("perceptual_difference",),
        source=Source("Zhang et al., The Unreasonable Effectiveness of Deep Features, CVPR 2018"),
    )

    operating_points = ("",)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture of the test split."""
        return of_test_split(samples)

    def observe(self, units: pd.DataFrame, threat_model: str, context: SceneContext) -> pd.DataFrame:
        """``difference`` of each picture, NaN without a protected one."""
        metric = context.model("perceptual_metric")
        rows: list[dict[str, Any]] = []
        for batch in sights(context, units["sample_id"]):
            both = [
                (sight.original, in_the_size_of(sight.protected, sight.original))
                for sight in batch
                if sight.original is not None and sight.protected is not None
            ]
            found = iter(_differences(metric, both))
            for sight in batch:
                seen = sight.original is not None and sight.protected is not None
                difference = float(next(found)) if seen else None
                rows.append({"unit_id": sight.sample_id, **sight.state, "difference": difference})
        return table(rows, self.meta.columns)


def _differences(metric: Any, both: Sequence[tuple[Image, Image]]) -> Sequence[Any]:
    if not both:
        return ()
    left, right = zip(*both, strict=True)
    differences: Sequence[Any] = metric.differences(left, right)
    return differences
