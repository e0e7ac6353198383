"""How good is an attacker on photos that nobody protected? All models on the same pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unveil.core.protocols import EvaluationMeta, FaceContext, Source
from unveil.core.types import Pair
from unveil.evaluations.verification import Verification


class RecognizerQuality:
    """Compares original photos of the same person and of strangers of the same group: F1, AUC, TPR at FPR.

    Only originals are looked at. A method should be judged by the best of these attackers, not by a weak one:
    ``recognizer: best`` takes the one with the highest AUC. A pair in which a detector finds no face is
    excluded, and counted, so the number of pairs belongs to the value.

    Args:
        pairs_per_photo, strangers_per_photo, prescribed_pairs: as of
            :class:`unveil.evaluations.verification.Verification`.
    """

    meta = EvaluationMeta(
        name="recognizer_quality",
        version=1,
        dimension="privacy",
        unit="pair",
        roles=("detector", "recognizer"),
        threat_models=("",),
        has=frozenset({"identity"}),
        columns=Verification.meta.columns,
        metrics=("comparison_rate",),
        source=Source("FairDeFace, choice of recognizers by F1, AUC and TPR at FPR, Tables IV, VII and XV"),
        baseline_metrics=Verification.meta.baseline_metrics,
        originals_only=True,
    )

    operating_points = ("",)

    def __init__(
        self, *, pairs_per_photo: int = 3, strangers_per_photo: int = 3, prescribed_pairs: bool = True
    ) -> None:
        self._verification = Verification(
            pairs_per_photo=pairs_per_photo,
            strangers_per_photo=strangers_per_photo,
            prescribed_pairs=prescribed_pairs,
        )
        self.pairs_per_photo = pairs_per_photo
        self.strangers_per_photo = strangers_per_photo
        self.prescribed_pairs = prescribed_pairs

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Mated and non-mated pairs of originals."""
        return self._verification.units(samples, "other_photo", pairs, rng)

    def observe(self, units: pd.DataFrame, threat_model: str, context: FaceContext) -> pd.DataFrame:
        """``similarity`` of each pair, and its status."""
        return self._verification.observe(units, "other_photo", context)
