"""Small folders of real pictures, one colour each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image


@pytest.fixture
def plant(tmp_path: Path) -> Callable[..., Path]:
    """``plant("a/1.jpg", "a/2.png")`` writes those pictures below a fresh root and returns the root."""

    def make(*paths: str, root: Path = tmp_path / "root") -> Path:
        root.mkdir(exist_ok=True)
        for path in paths:
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            colour = tuple(hashlib.sha256(path.encode()).digest()[:3])
            Image.new("RGB", (12, 8), colour).save(file)
        return root

    return make
