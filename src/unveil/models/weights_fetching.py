"""Getting a weights file from its official place. Nothing is downloaded unless a person asks for it."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from unveil.core.errors import Unavailable
from unveil.core.fingerprint import file_hash
from unveil.models.weights_files import Archive, WeightsRecord, cache_folder, verify

Tell = Callable[[int, int | None], None]

_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, RuntimeError)
# What the zip library raises for damage, a member that is not there, a password, an unknown compression.


@dataclass(slots=True)
class _Bar:
    """A progress bar as pooch wants it.

    It tells a chunk after each chunk, and at the end starts anew and tells everything: what goes beyond what
    was told is passed on, so that the sum is right.
    """

    tell: Tell
    total: int = 0
    done: int = field(default=0, init=False)
    told: int = field(default=0, init=False)

    def update(self, amount: int) -> None:
        self.done = min(self.done + amount, self.total) if self.total else self.done + amount
        if self.done > self.told:
            self.tell(self.done - self.told, self.total or None)
            self.told = self.done

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        """Nothing is held open."""


def fetch(record: WeightsRecord, tell: Tell) -> Path:
    """Download the file into the cache, unless the right one is already found.

    Of an archive, the one member is taken out; the archive stays in the cache, because other files may be wanted
    from it. A member's path never becomes a path on this machine.

    Args:
        record: of the file.
        tell: is called with the bytes that came since the last call, and the number of all when it is known.

    Raises:
        Unavailable: when it cannot be had, or what comes is another file; the cache is left as it was.
    """
    for path, state in verify(record):
        if state in ("ok", "unverified"):
            return path
    folder = cache_folder()
    try:
        if record.archive is None:
            return _download(record.url, record.sha256, record.name, folder, tell)
        name = record.url.rpartition("/")[2]
        return _member(_download(record.url, record.archive.sha256, name, folder, tell), record, record.archive)
    except (OSError, ValueError) as error:  # of requests; of a hash
        raise Unavailable(
            f"{record.name} cannot be had from {record.url}: {error}; get the file in another way, put it into a "
            f"folder, and name the folder in UNVEIL_WEIGHTS (its SHA-256 is {record.sha256 or 'not published'})"
        ) from error


def _download(url: str, sha256: str, name: str, folder: Path, tell: Tell) -> Path:
    """The file behind an address, verified where a hash is known; OSError or ValueError, and it leaves nothing."""
    pooch: Any = import_module("pooch")  # it brings no types

    loader = pooch.HTTPDownloader(progressbar=_Bar(tell), chunk_size=1 << 16, timeout=30)
    pooch.get_logger().setLevel("ERROR")  # what it would say stands in the progress bar
    known = f"sha256:{sha256}" if sha256 else None
    return Path(pooch.retrieve(url, known, name, folder, downloader=loader))


def _member(zipped: Path, record: WeightsRecord, archive: Archive) -> Path:
    """Take the record's file out of its archive; raises OSError or ValueError, and leaves nothing then."""
    handle, name = tempfile.mkstemp(dir=zipped.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as target, zipfile.ZipFile(zipped) as opened:
            if (size := opened.getinfo(archive.member).file_size) != record.size:
                raise ValueError(f"{archive.member} in {zipped.name} has {size} bytes, not {record.size}")
            with opened.open(archive.member) as source:  # it gives no more bytes than it claims to have
                shutil.copyfileobj(source, target)
        if (found := file_hash(part)) != record.sha256:
            raise ValueError(f"{archive.member} in {zipped.name} has SHA-256 {found}")
        return part.replace(zipped.parent / record.name)
    except _BROKEN_ZIP as error:
        raise ValueError(f"{zipped.name}: {error}") from error
    finally:
        part.unlink(missing_ok=True)
