"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from unveil.core.errors import StoreError

PARTIAL = ".part-"
"""How the names of files in the making begin; a killed writer leaves one behind."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write under a temporary name in the same folder, then rename: a reader never sees half a file.

    Raises:
        StoreError: when the file cannot be written (a full disk, no permission).
    """
    # Not tempfile: its files are readable by their owner only, and a cache may be shared.
    temporary = path.with_name(f"{PARTIAL}{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(data)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error
