from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unveil.core.errors import StoreError
from unveil.store.files import write_atomically

WRITER = """
import sys
from pathlib import Path
from unveil.store.files import write_atomically

path, number = Path(sys.argv[1]), 0
while True:
    number += 1
    write_atomically(path, f"{number:08}".encode() * 400_000)
"""


def test_a_file_appears_with_its_folder_and_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two" and list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permission bits")
def test_a_shared_folder_can_be_read_by_others(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", b"x")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~umask


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(StoreError, match="file/below: cannot be written"):
        write_atomically(tmp_path / "file" / "below", b"new")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="folder: cannot be written"):
        write_atomically(tmp_path / "folder", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_writer_leaves_whole_files_only(tmp_path: Path) -> None:
    path = tmp_path / "file"
    seen = set()
    for attempt in range(6):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path])
        before = path.stat().st_mtime_ns if path.exists() else 0
        deadline = time.monotonic() + 30
        while not path.exists() or path.stat().st_mtime_ns == before:
            assert time.monotonic() < deadline and writer.poll() is None
            time.sleep(0.002)
        time.sleep(0.003 * attempt)  # killed at another moment of its work each time
        writer.send_signal(signal.SIGKILL)
        assert writer.wait() == -signal.SIGKILL
        data = path.read_bytes()
        assert len(data) == 3_200_000 and data == data[:8] * 400_000
        seen.add(data[:8])
    assert len(seen) > 1, "it was killed at different files"
    assert not list(tmp_path.glob("[!.]*.parquet")), "what is left over has no name that a reader looks for"
