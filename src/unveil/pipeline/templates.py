"""All faces of one version of a dataset, as the attacker holds them: statuses and what describes each face."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from unveil.core.types import Face, Value
from unveil.pipeline.acquire import face_of

_FACE_COLUMNS = ["status", "reason", "n_faces", "score", "face_area"]


class FaceTemplates:
    """Implements :class:`unveil.core.protocols.Templates`.

    Args:
        ids: sample ids, in the order of the shards' rows.
        faces: results of :func:`unveil.pipeline.acquire.detections`, one per shard.
        described: results of :func:`unveil.pipeline.acquire.embeddings`, or of
            :func:`unveil.pipeline.acquire.attributes`; empty when only detected.
    """

    def __init__(self, ids: Sequence[str], faces: Sequence[pa.Table], described: Sequence[pa.Table] = ()) -> None:
        whole = pa.concat_tables(table.select(_FACE_COLUMNS) for table in faces).to_pandas()
        whole["n_faces"] = whole["n_faces"].fillna(0).astype("int32")
        self.faces = whole.set_index(pd.Index(ids, name="sample_id"))
        self._detected, self._described = faces, described
        if described:
            self.faces["status"] = _column(described, "status")
            self.faces["reason"] = _column(described, "reason")

    def vectors(self, sample_ids: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings (n, dimension); rows of NaN where the status is not ``ok``.

        Raises:
            KeyError: for an id that is not in the dataset.
        """
        return self._matrix[self._rows(sample_ids)]

    def attributes(self, sample_ids: Sequence[str]) -> list[Mapping[str, Value]]:
        """What the estimator says of each face; nothing where the status is not ``ok``.

        Raises:
            KeyError: as :meth:`vectors`.
        """
        return [_values(self._attributes[row]) for row in self._rows(sample_ids)]

    def found(self, sample_ids: Sequence[str]) -> list[Face | None]:
        """The face taken of each picture; None where the detector found none.

        Raises:
            KeyError: as :meth:`vectors`.
        """
        rows = [self._places[row] for row in self._rows(sample_ids)]
        return [face_of(row) if row["box"] is not None else None for row in rows]

    def _rows(self, sample_ids: Sequence[str]) -> NDArray[np.intp]:
        rows = self.faces.index.get_indexer(pd.Index(sample_ids))
        if (rows < 0).any():
            raise KeyError(list(sample_ids)[int(np.argmin(rows))])
        return rows

    @cached_property
    def _matrix(self) -> NDArray[np.float32]:
        return _matrix(self._described)

    @cached_property
    def _attributes(self) -> Sequence[str | None]:
        return _column(self._described, "attributes")

    @cached_property
    def _places(self) -> list[dict[str, object]]:
        return [row for table in self._detected for row in table.select(["box", "landmarks", "score"]).to_pylist()]


def _values(text: str | None) -> Mapping[str, Value]:
    """Attributes as :func:`unveil.pipeline.acquire.attributes` stores them."""
    stored = json.loads(text) if text else {}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()}


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
