"""On which pictures the models behind a number of scenes were trained."""

from __future__ import annotations

from collections.abc import Mapping

ORIGINALS, PROTECTED = "trained_on_originals", "trained_on_protected"

PUBLISHED: Mapping[str, str] = {
    "cmap": ORIGINALS,
    "cmap_drop": ORIGINALS,
    "relative_drop": ORIGINALS,
    "average_precision": ORIGINALS,
    "person_f1": PROTECTED,
    "object_f1": PROTECTED,
}
"""On what the framework trains the model behind a metric. Other trainings are shown beside it."""
