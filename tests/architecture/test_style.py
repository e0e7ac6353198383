"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import statistics
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "unveil"
MODULES = sorted(path for path in SOURCE.rglob("*.py"))
LONGEST = 400
MEDIAN = 120
TOLERANCE = 40
FORBIDDEN = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")

ids = [path.relative_to(SOURCE).as_posix() for path in MODULES]


@pytest.mark.parametrize("path", MODULES, ids=ids)
def test_module(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert path.stem not in ("utils", "util", "helpers", "misc", "common")
    assert FORBIDDEN.search(text) is None
    tree = ast.parse(text)
    assert (ast.get_docstring(tree) or "").strip(), "every module says what it is for"
    relative = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    assert relative == [], "imports are absolute"


def test_files_are_small_in_the_median() -> None:
    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES if path.stem != "__init__"]
    assert abs(statistics.median(lengths) - MEDIAN) <= TOLERANCE


def test_unexpected_exceptions_are_caught_in_two_places_only() -> None:
    """The guard about components, and the import of foreign code."""
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException"))
        )
    }
    assert found <= {"engine/guard.py", "registry.py"}
