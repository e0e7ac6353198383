"""Vectors of whole pictures before and after protection, for distances between both sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from unveil.core.protocols import SceneContext
from unveil.core.types import Image
from unveil.evaluations.pictures import sights, table

COLUMNS: Mapping[str, pa.DataType] = {"original": pa.list_(pa.float32()), "protected": pa.list_(pa.float32())}


def embedded(sample_ids: Sequence[str], context: SceneContext) -> pd.DataFrame:
    """One row per picture with the vectors of the cell's image encoder, None where there is no picture."""
    encoder = context.model("image_encoder")
    rows: list[dict[str, Any]] = []
    for batch in sights(context, sample_ids):
        before = _encode(encoder, [sight.original for sight in batch])
        after = before
        if context.method != "original":
            after = _encode(encoder, [sight.protected for sight in batch])
        rows += (
            {"unit_id": sight.sample_id, **sight.state, "original": one, "protected": two}
            for sight, one, two in zip(batch, before, after, strict=True)
        )
    return table(rows, COLUMNS)


def _encode(encoder: Any, images: Sequence[Image | None]) -> list[Any]:
    """A vector (dimension,) per picture; None where there is no picture."""
    seen = [image for image in images if image is not None]
    vectors = iter(encoder.encode(seen) if seen else ())
    return [None if image is None else next(vectors) for image in images]
