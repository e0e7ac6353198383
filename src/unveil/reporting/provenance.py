"""Where trained models come from: what each learned from, how long, and how well."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from unveil.reporting.results import Results


def trained(results: Results) -> list[dict[str, Any]]:
    """Every model that the run trained, once.

    Returns:
        The records of the manifest: ``label, component, dataset, version`` (method whose pictures it learned
        from), ``seed, pictures`` (split -> number), ``seconds, sha256``; and ``learned``: name -> text.
    """
    found: dict[str, dict[str, Any]] = {}
    for cell in results.manifest["cells"]:
        for record in cell.get("trained", ()):
            found.setdefault(record["sha256"] + record["version"], {**record, "learned": _learned(record)})
    return list(found.values())


def _learned(record: Mapping[str, Any]) -> dict[str, str]:
    """What the weights say of themselves, flat; what the record says already is left out."""
    known = {*record, *record["params"], "unveil", "model", "classes", "labels"}
    facts: dict[str, Any] = {}
    for name, text in record["learned"].items():
        try:
            inner = json.loads(text)
        except ValueError:
            inner = text
        facts |= inner if isinstance(inner, dict) else {name: inner}
    return {name.replace("_", " "): _short(value) for name, value in facts.items() if name not in known}


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(map(_short, value)) if len(value) <= 3 else f"{_short(value[0])} … {_short(value[-1])}"
    return str(value)
