"""Is a face still found in the protected picture? Read as image quality (FairDeFace, section IV-B)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import EvaluationMeta, FaceContext, Source
from unveil.core.types import Pair


class DetectionRate:
    """Counts the faces a detector finds in each protected picture."""

    meta = EvaluationMeta(
        name="detection",
        version=1,
        dimension="quality",
        unit="image",
        roles=("detector",),
        threat_models=("",),
        has=frozenset(),
        columns={"n_faces": pa.int32(), "score": pa.float32(), "face_area": pa.float32()},
        metrics=("detection_rate",),
        source=Source("FairDeFace, face detection rate (FDR), Table III and Table XV"),
    )

    operating_points = ("",)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture."""
        return pd.DataFrame({"unit_id": samples.index, "sample_id": samples.index})

    def observe(self, units: pd.DataFrame, threat_model: str, context: FaceContext) -> pd.DataFrame:
        """``n_faces``, ``score`` and ``face_area`` of the largest face; status ``ok`` without a face too."""
        faces = context.templates("protected").faces.loc[units["sample_id"]].reset_index(drop=True)
        observed = units.reset_index(drop=True).join(faces[["status", "reason", "n_faces", "score", "face_area"]])
        # That no face was found is what this evaluation wants to know, not a reason to have no answer.
        observed.loc[observed["status"] == "not_acquired", ["status", "reason"]] = ["ok", ""]
        return observed
