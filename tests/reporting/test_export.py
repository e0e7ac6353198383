from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from unveil.core.errors import ConfigError, StoreError
from unveil.core.schema import TABLES
from unveil.reporting.export import as_text, export_table
from unveil.store.run import RunStore


@pytest.mark.parametrize("name", list(TABLES))
def test_csv_keeps_every_row_and_value(store: RunStore, name: str, tmp_path: Path) -> None:
    output = tmp_path / "sub" / "table.csv"
    export_table(store, name, "csv", output)
    frame, stored = pd.read_csv(output, low_memory=False), store.read(name)
    assert list(frame.columns) == list(stored.columns)
    assert len(frame) == len(stored) > 0
    if "value" in stored:
        pd.testing.assert_series_equal(frame["value"], stored["value"], check_dtype=False)


def test_maps_are_json(store: RunStore, capsys: pytest.CaptureFixture[str]) -> None:
    export_table(store, "samples", "csv", None)
    frame = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert set(json.loads(frame["attributes"][0])) == {"gender", "tone"}


@pytest.mark.parametrize("name", list(TABLES))
def test_parquet_has_the_schema(store: RunStore, name: str, tmp_path: Path) -> None:
    output = tmp_path / "table.parquet"
    export_table(store, name, "parquet", output)
    table = pq.ParquetFile(output).read()
    for field in TABLES[name]:
        assert table.schema.field(field.name).type == field.type
    pd.testing.assert_frame_equal(table.to_pandas(maps_as_pydicts="strict"), store.read(name))


def test_parquet_needs_a_file(store: RunStore) -> None:
    with pytest.raises(StoreError, match=r"--output measures\.parquet"):
        export_table(store, "measures", "parquet", None)


def test_unknown_names_suggest_near_ones(store: RunStore) -> None:
    with pytest.raises(ConfigError, match="did you mean measures"):
        export_table(store, "measure", "csv", None)
    with pytest.raises(ConfigError, match="there are: csv, parquet, markdown, latex"):
        export_table(store, "measures", "xlsx", None)


def test_markdown_and_latex_have_all_rows(store: RunStore, capsys: pytest.CaptureFixture[str]) -> None:
    rows = len(store.read("protections"))
    export_table(store, "protections", "markdown", None)
    markdown = capsys.readouterr().out.splitlines()
    assert len(markdown) == rows + 2
    assert {line.count(" | ") for line in markdown} == {len(TABLES["protections"]) - 1}
    export_table(store, "protections", "latex", None)
    latex = capsys.readouterr().out
    assert latex.count(r" \\") == rows + 1
    assert r"sample\_id" in latex


def test_text_forms_escape() -> None:
    frame = pd.DataFrame({"a": ["x|y\nz", "100% & $5_{1}#~^\\"]})
    assert as_text(frame, "markdown").splitlines()[2] == r"| x\|y z |"
    assert as_text(frame, "latex").splitlines()[5] == (
        r"100\% \& \$5\_\{1\}\#\textasciitilde{}\textasciicircum{}\textbackslash{} \\"
    )
