"""Answers of Face++ on this machine: asking again for the same bytes with the same parameters costs nothing.

They lie in ``facepp`` of the user's cache folder (or of ``UNVEIL_CACHE``). The service may change its networks:
delete the folder to ask anew. What it calls ``face_token`` is stored with the rest, but expires after 72 hours
and is never used.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unveil.core.errors import StoreError
from unveil.models.weights_files import cache_folder


def place_of(key: str) -> Path:
    """Where the answer with this key (hex digits) lies, or would lie."""
    return cache_folder().with_name("facepp") / key[:2] / f"{key}.json"


def kept(path: Path) -> Mapping[str, Any] | None:
    """The answer; None where there is none that can be read."""
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def keep(path: Path, answer: Mapping[str, Any]) -> None:
    """Store an answer whole or not at all.

    Raises:
        StoreError: when it cannot be written: it has been paid for.
    """
    temporary = path.with_name(f".part-{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_text(json.dumps(answer), encoding="utf-8")
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error
