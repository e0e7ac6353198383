"""The pictures that evaluations of whole scenes look at, a few at a time, and what has become of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import FaceContext, SceneContext
from unveil.core.types import Face, Failure, Image, Reason

BATCH = 16
"""Pictures in memory at once."""


def of_test_split(samples: pd.DataFrame) -> pd.DataFrame:
    """One unit per picture of the split ``test``; of all pictures where the dataset is not split at all."""
    split = samples["split"]
    ids = samples.index[(split == "test") | ~(split != "").any()]
    units = pd.DataFrame({"unit_id": ids, "sample_id": ids})
    if not len(ids):
        units.attrs["notes"] = ["the dataset is split, but no picture belongs to the split 'test'"]
    return units


def batches(sample_ids: Sequence[str]) -> Iterator[list[str]]:
    """The ids in their order, at most :data:`BATCH` at a time."""
    ids = list(sample_ids)
    return (ids[start : start + BATCH] for start in range(0, len(ids), BATCH))


@dataclass(frozen=True, slots=True)
class Sight:
    """One picture as it was and as it is shown.

    Attributes:
        sample_id: whose.
        original, protected: pixels; None where there are none.
        status: ``ok``, ``not_protected`` (the method gave no picture) or ``error``; ``reason``: why not ok.
    """

    sample_id: str
    original: Image | None
    protected: Image | None
    status: str
    reason: str

    @property
    def shown(self) -> Image | None:
        """What others get to see: the original where the method gave no picture."""
        return self.original if self.status == "not_protected" else self.protected

    @property
    def both(self) -> tuple[Image, Image]:
        """Original and protected picture, brought to the size of the original; only where the status is ``ok``."""
        assert self.original is not None and self.protected is not None, f"{self.sample_id} is {self.status}"
        return self.original, _of_size(self.protected, self.original)

    @property
    def state(self) -> dict[str, str]:
        """The columns ``sample_id``, ``status`` and ``reason`` of its rows."""
        return {"sample_id": self.sample_id, "status": self.status, "reason": self.reason}


def sights(context: SceneContext | FaceContext, sample_ids: Sequence[str]) -> Iterator[list[Sight]]:
    """Both versions of the pictures, one batch after the other."""
    for ids in batches(sample_ids):
        originals = list(context.images("original", ids))
        protected = originals if context.method == "original" else list(context.images("protected", ids))
        yield [_sight(*three) for three in zip(ids, originals, protected, strict=True)]


def _sight(sample_id: str, original: Image | Failure, protected: Image | Failure) -> Sight:
    if isinstance(original, Failure):
        return Sight(sample_id, None, None, "error", str(original.reason))
    if isinstance(protected, Failure):
        return Sight(sample_id, original, None, *fate(protected))
    return Sight(sample_id, original, protected, "ok", "")


def faces_in_originals(batch: Sequence[Sight], context: FaceContext) -> dict[int, Face | None]:
    """Position in the batch -> the face in the original, of the pictures of which there are both versions.

    None where there is no face, or none that the cell's recognizer can use.
    """
    there = {position: sight.sample_id for position, sight in enumerate(batch) if sight.status == "ok"}
    templates = context.templates("original")
    found = templates.found(list(there.values()))
    usable = templates.faces.loc[list(there.values()), "status"] == "ok"  # else the recognizer cannot align it
    return {position: face if ok else None for position, face, ok in zip(there, found, usable, strict=True)}


def _of_size(image: Image, like: Image) -> Image:
    import cv2

    if image.shape == like.shape:
        return image
    size = like.shape[1], like.shape[0]
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def fate(protected: Image | Failure) -> tuple[str, str]:
    """Status and reason of a protected picture: ``not_protected`` where the method gave none."""
    if not isinstance(protected, Failure):
        return "ok", ""
    return "not_protected" if protected.reason is Reason.MISSING else "error", str(protected.reason)


def numbered(sample_id: str, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The many rows of one picture, each a unit of its own: ``<sample id>#<n>``."""
    return [{"unit_id": f"{sample_id}#{n}", "sample_id": sample_id, **row} for n, row in enumerate(rows)]


def table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, pa.DataType]) -> pd.DataFrame:
    """Rows as a frame with the four common columns and an evaluation's own, of the right types; None is NaN."""
    common = dict.fromkeys(("unit_id", "sample_id", "status", "reason"), pa.string())
    frame: pd.DataFrame = pa.Table.from_pylist(list(rows), schema=pa.schema({**common, **columns})).to_pandas()
    return frame
