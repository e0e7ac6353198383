"""One run's folder: tables as Parquet parts, cell markers, and the manifest.

Layout::

    run.json                                manifest
    cells/<cell_id>.json                    marker: written last, so a cell is finished or it is not
    samples/ protections/ observations/evaluation=<e>/ measures/ disparities/    *.parquet
    pictures/<cell_id>/                     what belongs to a cell's results, as PNG
    report/                                 index.html, figures/ and tables/ as CSV
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from unveil.core.errors import StoreError
from unveil.core.schema import ADDED, SCHEMA_VERSION, TABLES
from unveil.store.files import PARTIAL, write_atomically


class RunStore:
    """Reads and writes one run.

    Args:
        folder: of the run; made on the first write.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, folder: Path) -> RunStore:
        """An existing run.

        Raises:
            StoreError: when there is none, or a newer ``unveil`` wrote it.
        """
        store = cls(folder)
        if not (folder / "run.json").is_file():
            raise StoreError(f"{folder}: not a run (it has no run.json); `unveil run CONFIG` makes one")
        version = store.manifest().get("schema_version")
        if version not in range(1, SCHEMA_VERSION + 1):
            raise StoreError(f"{folder}: has schema version {version}, this unveil reads 1 to {SCHEMA_VERSION}")
        return store

    # --- tables ---

    def part(self, table: str, *names: str) -> Path:
        """Path of a part of a table."""
        return self.folder.joinpath(table, *names[:-1], f"{names[-1]}.parquet")

    def write(self, rows: pa.Table, table: str, *names: str) -> None:
        """Write one part, whole or not at all; a part of the same name is replaced."""
        tagged = rows.replace_schema_metadata({"schema_version": str(SCHEMA_VERSION)})
        sink = pa.BufferOutputStream()
        pq.write_table(tagged, sink, compression="zstd")
        write_atomically(self.part(table, *names), sink.getvalue().to_pybytes())

    def clear(self, *tables: str) -> None:
        """Drop whole tables."""
        for table in tables:
            self.prune(table, ())

    def prune(self, table: str, keep: Collection[str]) -> None:
        """Drop parts whose names are not in ``keep`` (of another configuration), and half files of killed runs."""
        for path in (self.folder / table).rglob("*"):
            if path.name.startswith(PARTIAL) or (path.suffix == ".parquet" and path.stem not in keep):
                path.unlink()

    # --- pictures that belong to the results of a cell ---

    def put_picture(self, cell_id: str, name: str, png: bytes) -> None:
        """Store ``pictures/<cell>/<name>.png``."""
        write_atomically(self.folder / "pictures" / cell_id / f"{name}.png", png)

    def pictures(self, cell_id: str) -> dict[str, Path]:
        """Name -> file of every picture of a cell, sorted by name."""
        return {path.stem: path for path in sorted((self.folder / "pictures" / cell_id).glob("[!.]*.png"))}

    def prune_pictures(self, keep: Collection[str]) -> None:
        """Drop the pictures of cells that are not in ``keep``."""
        for path in (self.folder / "pictures").glob("*"):
            if path.name not in keep:
                shutil.rmtree(path)

    # --- reading ---

    def read(self, table: str, *names: str) -> pd.DataFrame:
        """A whole table, or one part of it, as a frame.

        Raises:
            StoreError: when there is no such table in the run, or a file of it is damaged.
        """
        path = self.part(table, *names) if names else self.folder / table
        parts = [path] if names and path.is_file() else sorted(path.rglob("[!.]*.parquet"))
        if not parts:
            raise StoreError(f"{self.folder}: has no table {table!r} yet; the run may be unfinished")
        whole = pa.concat_tables(
            [_completed(_opened(part), table) for part in parts], promote_options="permissive"
        )
        return whole.to_pandas(maps_as_pydicts="strict")

    def sql(self, query: str) -> pd.DataFrame:
        """Answer a DuckDB query over the run's tables, such as ``select * from measures``.

        Raises:
            StoreError: for a query that DuckDB refuses or that has no answer, or a damaged file.
        """
        with duckdb.connect() as connection:
            for table in TABLES:
                if parts := sorted(map(str, (self.folder / table).rglob("[!.]*.parquet"))):
                    frames = ds.dataset(parts, format="parquet", schema=_common_schema(parts))
                    connection.register(table, frames)
            try:
                answer = connection.sql(query)
                if answer is None:
                    raise StoreError(f"{query!r}: has no answer; ask with `select`")
                return answer.df()
            except duckdb.Error as error:
                raise StoreError(f"{query}: {error}") from error

    # --- cells ---

    def finish(self, cell_id: str, summary: Mapping[str, Any]) -> None:
        """Mark a cell as done; call it after its observations are written."""
        write_atomically(self._marker(cell_id), _json(summary))

    def summary(self, cell_id: str) -> dict[str, Any] | None:
        """What was written when the cell was finished; None when it is not.

        Raises:
            StoreError: when the marker is damaged.
        """
        path = self._marker(cell_id)
        return _parse(path) if path.is_file() else None

    def _marker(self, cell_id: str) -> Path:
        return self.folder / "cells" / f"{cell_id}.json"

    # --- manifest ---

    def manifest(self) -> dict[str, Any]:
        """The manifest.

        Raises:
            StoreError: when it is damaged.
        """
        return _parse(self.folder / "run.json")

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest."""
        write_atomically(self.folder / "run.json", _json(manifest))


def _common_schema(parts: list[str]) -> pa.Schema:
    schemas = [_opened(Path(part)).schema_arrow.remove_metadata() for part in parts]
    return pa.unify_schemas(schemas, promote_options="permissive")


def _completed(part: pq.ParquetFile, name: str) -> pa.Table:
    """A part's rows, with the columns that its version of the schema did not have."""
    table = part.read()
    if int((part.schema_arrow.metadata or {}).get(b"schema_version", SCHEMA_VERSION)) == 1:
        for column, value in ADDED.get(name, {}).items():
            field = TABLES[name].field(column)
            table = table.append_column(field, pa.array([value] * table.num_rows, field.type))
    return table


def _opened(part: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(part)
    except (pa.ArrowInvalid, OSError) as error:
        raise StoreError(f"{part}: cannot be read: {error}") from error


def _parse(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise StoreError(f"{path}: must hold a JSON object, not {type(value).__name__}")
    return value


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
