"""One of the five tables for other programs or for a paper."""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from unveil.core.errors import ConfigError, StoreError
from unveil.core.schema import TABLES
from unveil.store.files import write_atomically
from unveil.store.run import RunStore

FORMS = ("csv", "parquet", "markdown", "latex")


def export_table(store: RunStore, name: str, form: str, output: Path | None) -> None:
    """Write a table.

    Args:
        store: of the run.
        name: one of the five tables.
        form: one of :data:`FORMS`. In the text forms maps and lists are JSON, and nothing is empty.
        output: file to write, whole or not at all; standard output when None.

    Raises:
        ConfigError: for a table or form that does not exist; suggests near names.
        StoreError: for Parquet without a file, or a table that the run does not have.
    """
    _known("table", name, tuple(TABLES))
    _known("form", form, FORMS)
    frame = store.read(name)
    if form == "parquet":
        if output is None:
            raise StoreError(f"{name}: parquet is no text; give a file with --output {name}.parquet")
        write_atomically(output, _parquet(frame, name))
        return
    text = as_text(frame, form)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text.encode())


def as_text(frame: pd.DataFrame, form: str) -> str:
    r"""A frame as CSV, Markdown or LaTeX, ending in a line break.

    >>> as_text(pd.DataFrame({"a": [1.5, None], "b": ["x|y", ""]}), "csv")
    'a,b\n1.5,x|y\n,\n'
    """
    plain = frame.map(_plain)
    if form == "csv":
        return str(plain.to_csv(index=False, lineterminator="\n"))
    escape, line = {"markdown": (_markdown, "| {} |"), "latex": (_latex, r"{} \\")}[form]
    between = " | " if form == "markdown" else " & "
    head = line.format(between.join(map(escape, plain.columns)))
    body = [line.format(between.join(map(escape, row))) for row in plain.itertuples(index=False, name=None)]
    if form == "markdown":
        rule = line.format(between.join("---" for _ in plain.columns))
        return "\n".join([head, rule, *body]) + "\n"
    start = rf"\begin{{tabular}}{{{'l' * len(plain.columns)}}}"
    return "\n".join([start, r"\hline", head, r"\hline", *body, r"\hline", r"\end{tabular}"]) + "\n"


def _known(noun: str, name: str, names: tuple[str, ...]) -> None:
    if name not in names:
        near = difflib.get_close_matches(name, names, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names)}"
        raise ConfigError(f"unknown {noun} {name!r}; {hint}")


def _parquet(frame: pd.DataFrame, name: str) -> bytes:
    schema = TABLES[name]
    for column in frame.columns.difference(schema.names, sort=False):  # an evaluation's own columns
        schema = schema.append(pa.Schema.from_pandas(frame[[column]], preserve_index=False).field(0))
    table = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(None), sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _plain(value: object) -> str:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if pd.isna(value):
        return ""
    return str(value)


def _markdown(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").splitlines())


_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "&%$#_{}"},
    }
)  # fmt: skip


def _latex(text: str) -> str:
    return " ".join(text.translate(_LATEX).splitlines())
