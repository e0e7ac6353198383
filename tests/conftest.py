"""Fixtures that more than one part of the suite uses."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unveil import RunConfig

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


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests that do not test the cache: the same faces are embedded once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def small_config(tmp_path: Path, warm_cache: Path) -> Callable[..., RunConfig]:
    """Settings of a run over eight synthetic people; keyword arguments replace whole settings."""

    def make(**settings: Any) -> RunConfig:
        defaults: dict[str, Any] = {
            "name": "small",
            "output": str(tmp_path / "runs"),
            "datasets": [{"use": "sample-faces", "params": {"limit": 8}}],
            "methods": ["pixelation", "mask"],
            "evaluations": ["detection", "verification"],
            "fairness": {"replicates": 100, "minimum_identities": 2},
            "engine": {"shard_size": 16, "cache": str(warm_cache)},
        }
        return RunConfig.model_validate(defaults | settings)

    return make
