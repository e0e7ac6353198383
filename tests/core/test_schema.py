from __future__ import annotations

import pyarrow as pa

from unveil.core.schema import CELL_KEYS, SCHEMA_VERSION, TABLES

COLUMNS = {
    "samples": "dataset sample_id content_hash identity split attributes labels annotation width height "
    "status reason detail",
    "protections": "dataset method sample_id status reason detail n_unprotected image_key output_hash elapsed_s",
    "observations": "cell_id dataset method evaluation component threat_model unit_id sample_id status reason",
    "measures": "cell_id dataset method evaluation component threat_model operating_point metric facet grouping "
    "group value ci_low ci_high n n_identities n_excluded passing_rate higher_is_better detail",
    "disparities": "cell_id dataset method evaluation component threat_model operating_point metric facet "
    "grouping definition epsilon statistic group other_group value verdict p_value detectable_gap",
}


def test_the_schema_is_pinned() -> None:
    """Stored runs have these columns: a change needs another SCHEMA_VERSION."""
    assert SCHEMA_VERSION == 2
    assert {name: " ".join(schema.names) for name, schema in TABLES.items()} == COLUMNS


def test_cells_are_named_alike_everywhere() -> None:
    for name in ("observations", "measures", "disparities"):
        assert TABLES[name].names[: len(CELL_KEYS)] == list(CELL_KEYS)


def test_shares_are_double_and_counts_are_whole() -> None:
    measures = TABLES["measures"]
    assert {measures.field(n).type for n in ("value", "ci_low", "ci_high", "passing_rate")} == {pa.float64()}
    assert {measures.field(n).type for n in ("n", "n_identities", "n_excluded")} == {pa.int64()}
