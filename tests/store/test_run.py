from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unveil.core.errors import StoreError
from unveil.core.schema import MEASURES, SAMPLES, SCHEMA_VERSION
from unveil.store.run import RunStore


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    made = RunStore(tmp_path / "run")
    made.write_manifest({"schema_version": SCHEMA_VERSION, "name": "ünïcode"})
    return made


def samples(*ids: str, **more: Any) -> pa.Table:
    return pa.Table.from_pylist(
        [{"sample_id": i, "attributes": {"gender": "Female"}, **more} for i in ids], SAMPLES
    )


# --- tables ---


def test_parts_are_read_as_one_table_in_the_order_of_their_names(store: RunStore) -> None:
    store.write(samples("c"), "samples", "second")
    store.write(samples("a", "b"), "samples", "first")
    assert store.read("samples")["sample_id"].tolist() == ["a", "b", "c"]
    assert store.read("samples", "second")["sample_id"].tolist() == ["c"]
    assert store.read("samples")["attributes"][0] == {"gender": "Female"}
    store.write(samples("z"), "samples", "first")
    assert store.read("samples")["sample_id"].tolist() == ["z", "c"]


def test_parts_with_other_columns_are_read_together(store: RunStore) -> None:
    store.write(pa.table({"unit_id": ["1"], "similarity": [0.5]}), "observations", "evaluation=a", "x")
    store.write(pa.table({"unit_id": ["2"], "rank": [3]}), "observations", "evaluation=b", "y")
    frame = store.read("observations")
    assert frame["unit_id"].tolist() == ["1", "2"] and set(frame) == {"unit_id", "similarity", "rank"}
    assert frame["similarity"].isna().tolist() == [False, True]
    answer = store.sql("select unit_id from observations where rank = 3")
    assert answer["unit_id"].tolist() == ["2"]


def test_every_file_tells_its_schema_version(store: RunStore) -> None:
    store.write(samples("a"), "samples", "x")
    metadata = pq.read_schema(store.part("samples", "x")).metadata
    assert metadata[b"schema_version"] == str(SCHEMA_VERSION).encode()


def test_half_written_files_are_not_read(store: RunStore) -> None:
    store.write(samples("a"), "samples", "x")
    (store.folder / "samples" / ".part-123").write_bytes(b"half")
    (store.folder / "samples" / ".part-124.parquet").write_bytes(b"half")
    assert len(store.read("samples")) == len(store.sql("select * from samples")) == 1


def test_a_damaged_part_is_an_error_that_names_the_file(store: RunStore) -> None:
    store.write(samples("a"), "samples", "x")
    path = store.part("samples", "x")
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(StoreError, match=r"x\.parquet: cannot be read"):
        store.read("samples")
    with pytest.raises(StoreError, match=r"x\.parquet: cannot be read"):
        store.sql("select 1")


def test_a_table_that_is_not_there(store: RunStore) -> None:
    with pytest.raises(StoreError, match="has no table 'measures' yet"):
        store.read("measures")
    (store.folder / "measures").mkdir()
    with pytest.raises(StoreError, match="the run may be unfinished"):
        store.read("measures")
    store.write(MEASURES.empty_table(), "measures", "measures")
    assert list(store.read("measures")) == MEASURES.names and store.read("measures").empty


def test_prune_drops_what_is_not_named(store: RunStore) -> None:
    for cell in ("one", "two", "three.4"):
        store.write(pa.table({"unit_id": [cell]}), "observations", "evaluation=e", cell)
    store.write(samples("a"), "samples", "one")
    store.prune("observations", {"two", "three.4", "never there"})
    assert sorted(store.read("observations")["unit_id"]) == ["three.4", "two"]
    assert len(store.read("samples")) == 1, "other tables stay"
    store.prune("disparities", set())


# --- queries ---


def test_queries(store: RunStore) -> None:
    store.write(samples("a", "b", identity="ann"), "samples", "x")
    store.write(samples("c", identity="bo"), "samples", "y")
    frame = store.sql("select identity, count(*) as n from samples group by identity order by identity")
    assert frame.to_dict("list") == {"identity": ["ann", "bo"], "n": [2, 1]}
    (gender,) = store.sql("select attributes['gender'] as gender from samples where sample_id = 'c'")["gender"]
    assert gender == "Female"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select * from measures", "measures"),
        ("selec 1", "syntax error"),
        ("select nothing from samples", "nothing"),
        ("", "has no answer"),
    ],
)
def test_queries_that_are_refused(store: RunStore, query: str, message: str) -> None:
    store.write(samples("a"), "samples", "x")
    with pytest.raises(StoreError, match=message):
        store.sql(query)


# --- cells ---


def test_a_cell_is_finished_or_it_is_not(store: RunStore) -> None:
    assert store.summary("cell") is None
    store.finish("cell", {"status": "finished", "notes": ["ä"]})
    assert store.summary("cell") == {"status": "finished", "notes": ["ä"]}
    (store.folder / "cells" / "cell.json").write_text('{"status": "fin')
    with pytest.raises(StoreError, match=r"cell\.json: cannot be read"):
        store.summary("cell")


# --- manifest ---


def test_a_run_is_opened_again(store: RunStore) -> None:
    assert RunStore.open(store.folder).manifest() == {"schema_version": SCHEMA_VERSION, "name": "ünïcode"}


@pytest.mark.parametrize("content", ["", '{"schema_version": 1', "[1]", "null", "\xff"])
def test_a_damaged_manifest_is_an_error(store: RunStore, content: str) -> None:
    (store.folder / "run.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(StoreError, match=r"run\.json: (cannot be read|must hold a JSON object)"):
        RunStore.open(store.folder)


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, "1", None])
def test_another_schema_version_is_refused(store: RunStore, version: object) -> None:
    store.write_manifest({"schema_version": version})
    with pytest.raises(StoreError, match=f"has schema version {version}, this unveil reads 1 to {SCHEMA_VERSION}"):
        RunStore.open(store.folder)


def test_a_run_of_version_1_is_still_read() -> None:
    """Columns that came later hold what they would have held then."""
    old = RunStore.open(Path(__file__).parent / "golden" / "schema_1")
    assert old.manifest()["schema_version"] == 1
    assert set(old.read("measures")["facet"]) == {""} == set(old.read("disparities")["facet"])
    samples = old.read("samples")
    assert set(samples["annotation"]) == {""} and all(len(labels) == 0 for labels in samples["labels"])
    assert old.read("protections")["n_unprotected"].eq(0).all() and len(old.read("observations"))


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"not a run .*`unveil run CONFIG` makes one"):
        RunStore.open(tmp_path)


def test_the_manifest_holds_no_nan_and_stays_when_the_next_is_refused(store: RunStore) -> None:
    before = (store.folder / "run.json").read_bytes()
    with pytest.raises(ValueError):
        store.write_manifest({"x": float("nan")})
    assert (store.folder / "run.json").read_bytes() == before
    assert json.loads(before)["name"] == "ünïcode" and "ünïcode".encode() in before


def test_pictures_of_a_cell_are_kept_listed_and_dropped(tmp_path):
    store = RunStore(tmp_path / "run")
    assert store.pictures("a") == {}
    store.put_picture("a", "overlay Female 1", b"one")
    store.put_picture("a", "average Female", b"two")
    store.put_picture("b", "average Female", b"three")
    assert list(store.pictures("a")) == ["average Female", "overlay Female 1"]
    assert store.pictures("a")["average Female"].read_bytes() == b"two"
    store.prune_pictures({"b"})
    assert store.pictures("a") == {} and list(store.pictures("b")) == ["average Female"]
