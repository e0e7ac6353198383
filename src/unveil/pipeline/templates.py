"""All faces of one version of a dataset, as the attacker holds them: statuses and one matrix of embeddings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

_FACE_COLUMNS = ["status", "reason", "n_faces", "score", "face_area"]


class FaceTemplates:
    """Implements :class:`unveil.core.protocols.Templates`.

    Args:
        ids: sample ids, in the order of the shards' rows.
        faces: results of :func:`unveil.pipeline.acquire.detections`, one per shard.
        vectors: results of :func:`unveil.pipeline.acquire.embeddings`; empty when only detected.
    """

    def __init__(self, ids: Sequence[str], faces: Sequence[pa.Table], vectors: Sequence[pa.Table] = ()) -> None:
        whole = pa.concat_tables(table.select(_FACE_COLUMNS) for table in faces).to_pandas()
        whole["n_faces"] = whole["n_faces"].fillna(0).astype("int32")
        self.faces = whole.set_index(pd.Index(ids, name="sample_id"))
        if vectors:
            self.faces["status"] = _column(vectors, "status")
            self.faces["reason"] = _column(vectors, "reason")
        self._matrix = _matrix(vectors)

    def vectors(self, sample_ids: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings (n, dimension); rows of NaN where the status is not ``ok``.

        Raises:
            KeyError: for an id that is not in the dataset.
        """
        rows = self.faces.index.get_indexer(pd.Index(sample_ids))
        if (rows < 0).any():
            raise KeyError(list(sample_ids)[int(np.argmin(rows))])
        return self._matrix[rows]


def _column(tables: Sequence[pa.Table], name: str) -> list[str]:
    return [value for table in tables for value in table[name].to_pylist()]


def _matrix(tables: Sequence[pa.Table]) -> NDArray[np.float32]:
    dimension = max((table.schema.field("vector").type.list_size for table in tables), default=1)
    matrix = np.full((sum(table.num_rows for table in tables), dimension), np.nan, np.float32)
    row = 0
    for table in tables:
        column = table["vector"].combine_chunks()
        present = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        if len(present):
            values = column.drop_null().flatten().to_numpy(zero_copy_only=False)
            matrix[row + present] = values.reshape(len(present), -1)
        row += table.num_rows
    return matrix
