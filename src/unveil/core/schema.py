"""Arrow schemas of the five tables of a run. Long form; wide tables are made in the report.

===============  ==========================================
table            one row per
===============  ==========================================
samples          picture of a dataset
protections      picture x method
observations     unit of a cell (a picture, a pair, a probe)
measures         cell x operating point x metric x group
disparities      measure x definition x epsilon x statistic
===============  ==========================================

Demographics live in ``samples`` and are joined, never copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

SCHEMA_VERSION = 2

ADDED: Mapping[str, Mapping[str, Any]] = {
    "samples": {"labels": [], "annotation": ""},
    "protections": {"n_unprotected": 0},
    "measures": {"facet": ""},
    "disparities": {"facet": ""},
}
"""Columns that version 2 added, and what they hold for runs of version 1, which are still read."""

_text = pa.string()

SAMPLES = pa.schema(
    {
        "dataset": _text,
        "sample_id": _text,
        "content_hash": _text,
        "identity": _text,
        "split": _text,
        "attributes": pa.map_(_text, _text),
        "labels": pa.list_(_text),
        "annotation": _text,
        "width": pa.int32(),
        "height": pa.int32(),
        "status": _text,  # ok | failed
        "reason": _text,
        "detail": _text,
    }
)

PROTECTIONS = pa.schema(
    {
        "dataset": _text,
        "method": _text,
        "sample_id": _text,
        "status": _text,  # ok | partial (some region could not be protected) | failed
        "reason": _text,
        "detail": _text,
        "n_unprotected": pa.int32(),  # regions that show what they showed before
        "image_key": _text,  # name in the cache; content hash of the original for `original`
        "output_hash": _text,  # of the pixels
        "elapsed_s": pa.float64(),  # of the batch, divided by its pictures
    }
)

CELL_KEYS = {
    "cell_id": _text,
    "dataset": _text,
    "method": _text,
    "evaluation": _text,
    "component": _text,
    "threat_model": _text,
}

OBSERVATIONS = pa.schema({**CELL_KEYS, "unit_id": _text, "sample_id": _text, "status": _text, "reason": _text})

MEASURES = pa.schema(
    {
        **CELL_KEYS,
        "operating_point": _text,
        "metric": _text,
        "facet": _text,  # the label, object class or frame size that the value is about; "" for all
        "grouping": _text,  # "" for everybody
        "group": _text,
        "value": pa.float64(),
        "ci_low": pa.float64(),
        "ci_high": pa.float64(),
        "n": pa.int64(),  # units in the denominator
        "n_identities": pa.int64(),
        "n_excluded": pa.int64(),
        "passing_rate": pa.float64(),
        "higher_is_better": pa.bool_(),
        "detail": _text,  # JSON: provenance of a threshold, the set a score was normalised over
    }
)

DISPARITIES = pa.schema(
    {
        **CELL_KEYS,
        "operating_point": _text,
        "metric": _text,
        "facet": _text,  # the label, object class or frame size that the value is about; "" for all
        "grouping": _text,
        "definition": _text,  # ratio | difference
        "epsilon": pa.float64(),
        "statistic": _text,  # pair | demographic_bias | average_bias
        "group": _text,
        "other_group": _text,
        "value": pa.float64(),  # pair: the ratio or difference; else the bias in [0, 1]
        "verdict": _text,  # biased | fair within epsilon | insufficient evidence
        "p_value": pa.float64(),  # Holm-corrected over the pairs of the grouping
        "detectable_gap": pa.float64(),  # smallest gap this data could have shown
    }
)

TABLES: Mapping[str, pa.Schema] = {
    "samples": SAMPLES,
    "protections": PROTECTIONS,
    "observations": OBSERVATIONS,
    "measures": MEASURES,
    "disparities": DISPARITIES,
}
