"""One look at every file of a dataset: which bytes, which size, and whether it is a picture at all.

The finished table is kept, so that each file is opened once in its life.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from unveil.core.errors import DataError, StoreError
from unveil.core.fingerprint import bytes_hash, digest
from unveil.core.protocols import Dataset, Entry
from unveil.core.schema import SAMPLES
from unveil.core.types import Failure, Sample
from unveil.datasets.tree import Tree
from unveil.images import decode, decoder, read_bytes

if TYPE_CHECKING:
    import pandas as pd

_WORKERS = min(8, os.cpu_count() or 1)
_BATCH = 64 * _WORKERS  # files given to the workers at once

FACTS = tuple(name for name in SAMPLES.names if name not in ("sample_id", "attributes"))
"""Columns of :func:`samples_frame` that are not attributes."""


@dataclass(frozen=True, slots=True)
class _File:
    entry: Entry
    path: Path
    size: int
    mtime_ns: int


def scan(
    dataset: Dataset,
    *,
    cache: Path | None,
    progress: Callable[[int, int], None] | None = None,
    name: str | None = None,
) -> pa.Table:
    """The samples table of a dataset: one row per entry, in the order of its entries.

    Each file is read and decoded once, several at a time; a decoded picture is dropped at once. A file that
    cannot be decoded has a row with status ``failed``, size 0 x 0, and what was wrong; its content hash is
    ``""`` when it could not even be read.

    Args:
        dataset: what to look at.
        cache: folder for finished tables (``index/<key>.parquet`` below it), or None. The key changes with
            the path, size or date of a file, with what is known about it, the dataset's class and version, and
            the decoder.
        progress: told (files done, files in all) from time to time and at the end.
        name: of the dataset in the run; default: its own.

    Returns:
        Table with the schema :data:`unveil.core.schema.SAMPLES`.

    Raises:
        DataError: for the layout of the dataset, never for the content of a file.
        StoreError: when the cache cannot be written.
    """
    name = name or dataset.meta.name
    files = list(_list_files(dataset))
    stored = None if cache is None else cache / "index" / f"{_key(dataset, files)}.parquet"
    table = None if stored is None else _load(stored)
    if table is None:
        table = pa.Table.from_pylist(list(_look(files, progress)), schema=SAMPLES)
        if stored is not None:
            _save(table, stored)
    elif progress is not None:
        progress(len(files), len(files))
    return table.set_column(0, SAMPLES.field("dataset"), pa.repeat(pa.scalar(name), len(table)))


def index_hash(table: pa.Table) -> str:
    """Identity of a dataset's content: ids, bytes, labels, annotations, and what could be decoded.

    Neither the folder nor the order of the rows has a part in it.
    """
    columns = ["sample_id", "content_hash", "identity", "split", "status", "attributes", "labels", "annotation"]
    rows = zip(*(table[column].to_pylist() for column in columns), strict=True)
    facts = []
    for *known, attributes, labels, annotation in rows:
        scene = [sorted(labels), annotation] if labels or annotation else []  # faces have neither
        facts.append([*known, sorted(attributes), *scene])
    return digest("index", sorted(facts))


def samples_frame(table: pa.Table) -> pd.DataFrame:
    """The samples table as a frame.

    Returns:
        Frame indexed by ``sample_id`` with the columns :data:`FACTS` and one column per attribute, sorted by
        name; ``""`` where a picture lacks the attribute. ``labels`` holds tuples, sorted.
    """
    import pandas as pd

    attributes = [dict(pairs) for pairs in table["attributes"].to_pylist()]
    names = sorted({name for known in attributes for name in known})
    data: dict[str, Any] = {fact: table[fact].to_pylist() for fact in FACTS}
    data["labels"] = [tuple(labels) for labels in data["labels"]]
    data |= {name: [known.get(name, "") for known in attributes] for name in names}
    return pd.DataFrame(data, index=pd.Index(table["sample_id"].to_pylist(), name="sample_id"))


def to_samples(samples: pa.Table | pd.DataFrame) -> list[Sample]:
    """One sample per row, in order, also for those that failed; unknown attributes are left out."""
    frame = samples_frame(samples) if isinstance(samples, pa.Table) else samples
    names = [column for column in frame.columns if column not in FACTS]
    return [
        Sample(
            id=str(sample_id),
            dataset=row["dataset"],
            content_hash=row["content_hash"],
            identity=row["identity"],
            split=row["split"],
            attributes={name: row[name] for name in names if row[name]},
            labels=frozenset(row["labels"]),
            annotation=row["annotation"],
            width=row["width"],
            height=row["height"],
        )
        for sample_id, row in zip(frame.index, frame.to_dict("records"), strict=True)
    ]


def _list_files(dataset: Dataset) -> Iterator[_File]:
    tree = Tree(dataset.root, dataset.meta.name)
    seen: set[str] = set()
    for entry in dataset.entries():
        where = f"{dataset.meta.name}: entry"
        path = tree.locate(entry.path, where)
        if entry.path in seen:
            raise DataError(f"{where} {entry.path!r} is listed twice")
        if clash := sorted({*entry.attributes} & {*SAMPLES.names}):
            raise DataError(f"{where} {entry.path!r}: {clash[0]!r} cannot be an attribute, samples have it anyway")
        seen.add(entry.path)
        try:
            facts = path.stat()
            yield _File(entry, path, facts.st_size, facts.st_mtime_ns)
        except OSError:  # gone or a broken link: reading it will say so
            yield _File(entry, path, -1, -1)


def _key(dataset: Dataset, files: Sequence[_File]) -> str:
    cls = type(dataset)
    listing = [(f.entry.path, f.size, f.mtime_ns, *_known(f.entry)) for f in files]
    return digest("index", f"{cls.__module__}:{cls.__qualname__}", dataset.meta.version, decoder(), listing)


def _known(entry: Entry) -> tuple[Any, ...]:
    attributes = sorted(entry.attributes.items())
    return entry.identity, entry.split, attributes, sorted(entry.labels), entry.annotation


def _look(files: Sequence[_File], progress: Callable[[int, int], None] | None) -> Iterator[dict[str, Any]]:
    done = 0
    with ThreadPoolExecutor(_WORKERS) as workers:
        for start in range(0, len(files), _BATCH):
            for row in workers.map(_row, files[start : start + _BATCH]):
                done += 1
                if progress is not None:
                    progress(done, len(files))
                yield row


def _row(file: _File) -> dict[str, Any]:
    data = read_bytes(file.path)
    picture = data if isinstance(data, Failure) else decode(data, file.path.name)
    failure = picture if isinstance(picture, Failure) else None
    height, width = (0, 0) if isinstance(picture, Failure) else picture.shape[:2]
    return {
        "sample_id": file.entry.path,
        "content_hash": "" if isinstance(data, Failure) else bytes_hash(data),
        "identity": file.entry.identity,
        "split": file.entry.split,
        "attributes": sorted((name, value) for name, value in file.entry.attributes.items() if value),
        "labels": sorted(file.entry.labels),
        "annotation": file.entry.annotation,
        "width": width,
        "height": height,
        "status": "failed" if failure else "ok",
        "reason": str(failure.reason) if failure else "",
        "detail": failure.detail if failure else "",
    }


def _load(stored: Path) -> pa.Table | None:
    try:
        return pq.read_table(stored).cast(SAMPLES)
    except (OSError, ValueError, KeyError):  # not there, or not written by this version: look again
        return None


def _save(table: pa.Table, stored: Path) -> None:
    temporary = stored.with_suffix(f".{uuid.uuid4().hex}.tmp")
    try:
        stored.parent.mkdir(parents=True, exist_ok=True)
        try:
            pq.write_table(table, temporary)
            os.replace(temporary, stored)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write the index {str(stored)!r}: {error.strerror or error}") from error
