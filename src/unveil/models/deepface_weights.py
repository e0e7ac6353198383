"""Where the weights of the ``deepface`` library lie. It is never left to download them by itself at first use.

Of its networks in ONNX format no SHA-256 is published. A file of theirs is taken as it is, and its own hash goes
into the identity of the component: another file is another component.
"""

from __future__ import annotations

import os
from pathlib import Path

from unveil.models.weights_files import WeightsRecord, find, hash_of, verify
from unveil.models.weights_records import DEEPFACE


def find_published(file: str) -> Path:
    """A file of which no hash is published: in ``UNVEIL_WEIGHTS``, unveil's cache, or the library's own folder.

    Args:
        file: its name, as the library calls it; one of :data:`unveil.models.weights_records.DEEPFACE`.

    Raises:
        Unavailable: when it is nowhere; with the command that gets it.
    """
    own = _own_folder() / file
    record = DEEPFACE[file]
    if all(state == "missing" for _, state in verify(record)) and own.is_file():
        return own
    return find(record)


def find_recorded(record: WeightsRecord) -> Path:
    """A file with a known hash, also where the library has put it.

    Raises:
        Unavailable: as :func:`unveil.models.weights_files.find`.
    """
    own = _own_folder() / record.name
    if all(state == "missing" for _, state in verify(record)) and own.is_file() and hash_of(own) == record.sha256:
        return own
    return find(record)


def _own_folder() -> Path:
    """Where the library looks for weights and keeps them."""
    return Path(os.environ.get("DEEPFACE_HOME") or Path.home()) / ".deepface" / "weights"
