"""Fixtures that more than one part of the suite uses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


def _shared(part: str, variable: str) -> Path:
    folder = Path(os.environ.get(variable, REPOSITORY.parent / "shared" / part))
    if not folder.is_dir():
        pytest.skip(f"needs the {part} pack: set {variable} to its folder")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder with real and nasty pictures and published tables; not part of the repository."""
    return _shared("data", "UNVEIL_TEST_DATA")
