"""What a weights file from elsewhere is, where it lies on this machine, and whether it is the known one.

A file is looked for in the folder that the environment variable ``UNVEIL_WEIGHTS`` names, then in the user's
cache, then where a library that uses it keeps it. Where a SHA-256 is published, only a file with it is ever handed
out. Where none is, a file of that name is taken as it is, called ``unverified``, and its own hash belongs to the
identity of the component that uses it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from unveil.core.errors import Unavailable
from unveil.core.fingerprint import file_hash
from unveil.weights_folder import given_folder

State = Literal["ok", "wrong", "missing", "unverified"]


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip in which a file is published together with others.

    Attributes:
        sha256: of the zip, in small hex digits.
        member: the file's path inside it.
    """

    sha256: str
    member: str


@dataclass(frozen=True, slots=True)
class WeightsRecord:
    """One file.

    Attributes:
        name: of the file, the same everywhere.
        url: its official place; that of the zip where it comes in an archive.
        sha256: of its bytes, in small hex digits; ``""`` where none is published.
        size: in bytes; 0 where it is not known.
        licence: SPDX identifier or a short statement.
        citation: who made it: authors, title, venue, year.
        component: registered name of the component that needs it.
        archive: the zip behind ``url``, or None where it leads to the file itself.
        kept_in: the folder in which a library that uses it keeps it, too; None where there is no such library.
    """

    name: str
    url: str
    sha256: str
    size: int
    licence: str
    citation: str
    component: str
    archive: Archive | None = None
    kept_in: Callable[[], Path] | None = None


def cache_folder() -> Path:
    """Where fetched files are kept: in ``UNVEIL_CACHE``, or else in the user's cache folder."""
    import platformdirs

    return Path(os.environ.get("UNVEIL_CACHE") or platformdirs.user_cache_dir("unveil")) / "weights"


def find(record: WeightsRecord) -> Path:
    """The verified file.

    Raises:
        Unavailable: when it is nowhere, with the command that gets it; or when it is another file than the
            known one, with both hashes.
    """
    for path in _places(record):
        if path.is_file():
            if _state(path, record) == "wrong":
                raise Unavailable(
                    f"{path} is not the known {record.name}: its SHA-256 is {hash_of(path)}, not {record.sha256}; "
                    f"remove it and get the right one with: unveil weights fetch {record.name}"
                )
            return path
    raise Unavailable(
        f"the weights {record.name} are not on this machine; get them with: unveil weights fetch {record.name} "
        "(or put the file into a folder that UNVEIL_WEIGHTS names)"
    )


def verify(record: WeightsRecord) -> Iterator[tuple[Path, State]]:
    """Each place where the file may lie, in the order in which they are searched, and what is there."""
    for path in _places(record):
        yield path, _state(path, record)


def _places(record: WeightsRecord) -> list[Path]:
    folders = given_folder(), cache_folder(), record.kept_in and record.kept_in()
    return [folder / record.name for folder in folders if folder]


def _state(path: Path, record: WeightsRecord) -> State:
    if not path.is_file():
        return "missing"
    if not record.sha256:
        return "unverified"
    right = path.stat().st_size == record.size and hash_of(path) == record.sha256
    return "ok" if right else "wrong"


def hash_of(path: Path) -> str:
    """SHA-256 (hex) of a file, computed once as long as its size and time of change stay."""
    facts = path.stat()
    return _remembered(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=64)
def _remembered(path: Path, size: int, changed: int) -> str:
    return file_hash(path)
