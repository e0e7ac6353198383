"""Weights files: searched in two folders, verified, and downloaded only on demand."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unveil import api
from unveil.cli import app
from unveil.core.errors import Unavailable, UnknownComponent
from unveil.models import weights_records
from unveil.models.weights_files import Archive
from unveil.models.weights_records import DEEPFACE, RECORDS, WeightsRecord, fetch, find, verify

CONTENT = b"weights of a network " * 20_000


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Address of a web server on this machine, and the folder that it serves."""
    folder = tmp_path / "served"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", folder
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The folder that is searched first, and the cache."""
    given, cache = tmp_path / "given", tmp_path / "cache"
    given.mkdir()
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(given))
    monkeypatch.setenv("UNVEIL_CACHE", str(cache))
    return given, cache / "weights"


def record(url: str = "http://127.0.0.1:1/net.onnx", name: str = "net.onnx") -> WeightsRecord:
    known = hashlib.sha256(CONTENT).hexdigest()
    return WeightsRecord(name, url, known, len(CONTENT), "CC0-1.0", "made for this test", "detector:x")


def put(folder: Path, content: bytes = CONTENT, name: str = "net.onnx") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def test_the_named_folder_comes_before_the_cache(places: tuple[Path, Path]) -> None:
    given, cache = places
    with pytest.raises(Unavailable, match=r"not on this machine; get them with: unveil weights fetch net\.onnx"):
        find(record())
    cached = put(cache)
    assert find(record()) == cached
    assert find(record()) != put(given) or find(record()) == given / "net.onnx"
    assert [state for _, state in verify(record())] == ["ok", "ok"]


@pytest.mark.parametrize("content", [b"another file", CONTENT[:-1] + b"?", b""])
def test_another_file_is_never_handed_out(places: tuple[Path, Path], content: bytes) -> None:
    given, cache = places
    path = put(given, content)
    put(cache)
    with pytest.raises(Unavailable, match="is not the known") as refused:
        find(record())
    assert str(path) in str(refused.value) and hashlib.sha256(content).hexdigest() in str(refused.value)
    put(given)
    assert find(record()) == path, "a file that was put right is noticed"


def test_a_file_is_fetched_once_with_progress(server: tuple[str, Path], places: tuple[Path, Path]) -> None:
    address, folder = server
    put(folder)
    told: list[tuple[int, int | None]] = []
    wanted = record(f"{address}/net.onnx")
    path = fetch(wanted, lambda done, total: told.append((done, total)))
    assert path == places[1] / "net.onnx" == find(wanted) and path.read_bytes() == CONTENT
    assert sum(done for done, _ in told) == len(CONTENT) and told[-1][1] == len(CONTENT)
    assert len(told) > 2, "a long download tells how far it is"
    (folder / "net.onnx").unlink()
    assert fetch(wanted, lambda *_: pytest.fail("nothing is downloaded again")) == path


def test_what_cannot_be_had_leaves_nothing(server: tuple[str, Path], places: tuple[Path, Path]) -> None:
    address, folder = server
    put(folder, b"an error page")
    for url, message in (
        (f"{address}/net.onnx", "hash"),
        (f"{address}/gone.onnx", "404"),
        ("http://127.0.0.1:1/net.onnx", "refused"),
    ):
        with pytest.raises(Unavailable, match=message) as refused:
            fetch(record(url), lambda *_: None)
        assert "UNVEIL_WEIGHTS" in str(refused.value) and record().sha256 in str(refused.value)
    assert not places[1].exists() or list(places[1].iterdir()) == []


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def in_archive(address: str, data: bytes, member: str) -> WeightsRecord:
    return replace(record(f"{address}/pack.zip"), archive=Archive(hashlib.sha256(data).hexdigest(), member))


@pytest.mark.parametrize("member", ["net.onnx", "pack/net.onnx", "../../../net.onnx", "/net.onnx"])
def test_one_member_is_taken_out_of_an_archive(
    member: str, server: tuple[str, Path], places: tuple[Path, Path], tmp_path: Path
) -> None:
    """The member's path is only looked up in the archive: nothing is ever written but the file in the cache."""
    address, folder = server
    data = zipped({"other.onnx": b"not wanted", member: CONTENT, "../../escaped": b"never written"})
    put(folder, data, "pack.zip")
    wanted = in_archive(address, data, member)
    told: list[tuple[int, int | None]] = []
    path = fetch(wanted, lambda done, total: told.append((done, total)))
    assert path == places[1] / "net.onnx" == find(wanted) and path.read_bytes() == CONTENT
    assert sum(done for done, _ in told) == len(data)
    assert {path.name for path in places[1].iterdir()} == {"net.onnx", "pack.zip"}
    assert {path.name for path in tmp_path.iterdir()} == {"served", "given", "cache"}
    path.unlink()
    (folder / "pack.zip").unlink()
    assert fetch(wanted, lambda *_: None) == path, "the archive is still there"


def test_a_wrong_archive_or_member_leaves_nothing(server: tuple[str, Path], places: tuple[Path, Path]) -> None:
    address, folder = server
    changed = CONTENT[:-1] + b"?"
    damaged = bytearray(zipped({"net.onnx": CONTENT}))
    damaged[60] ^= 255
    for data, message in (
        (zipped({"net.onnx": changed}), f"net.onnx in pack.zip has SHA-256 {hashlib.sha256(changed).hexdigest()}"),
        (zipped({"net.onnx": CONTENT * 2}), f"has {2 * len(CONTENT)} bytes, not {len(CONTENT)}"),
        (zipped({"x/net.onnx": CONTENT}), "no item named"),
        (bytes(damaged), "pack.zip: "),
        (b"no zip at all", "not a zip file"),
    ):
        put(folder, data, "pack.zip")
        with pytest.raises(Unavailable, match=message) as refused:
            fetch(in_archive(address, data, "net.onnx"), lambda *_: None)
        assert record().sha256 in str(refused.value)
        assert {path.name for path in places[1].iterdir()} == {"pack.zip"}
        (places[1] / "pack.zip").unlink()
    with pytest.raises(Unavailable, match="hash"):
        fetch(in_archive(address, b"another archive", "net.onnx"), lambda *_: None)
    assert list(places[1].iterdir()) == []


def test_the_records_are_complete() -> None:
    for name, known in RECORDS.items():
        if known.archive:
            assert known.url.endswith(".zip") and known.archive.member.endswith(name)
            assert len(known.archive.sha256) == 64 and int(known.archive.sha256, 16)
        assert name == known.name and "/" not in name
        assert known.url.startswith("https://") and known.citation and known.licence
        if name not in DEEPFACE:
            assert known.size > 0 and len(known.sha256) == 64 and int(known.sha256, 16)


def test_where_no_hash_is_published_the_file_is_taken_and_called_unverified(
    server: tuple[str, Path], places: tuple[Path, Path]
) -> None:
    address, folder = server
    put(folder)
    unknown = replace(record(f"{address}/net.onnx"), sha256="", size=0)
    with pytest.raises(Unavailable, match="unveil weights fetch"):
        find(unknown)
    path = fetch(unknown, lambda *_: None)
    assert path.read_bytes() == (folder / unknown.name).read_bytes()
    assert find(unknown) == path
    assert {state for _, state in verify(unknown)} == {"missing", "unverified"}
    assert fetch(unknown, lambda *_: pytest.fail("fetched twice")) == path


def test_the_command_line(
    server: tuple[str, Path], places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, folder = server
    put(folder)
    monkeypatch.setattr(weights_records, "RECORDS", {"net.onnx": record(f"{address}/net.onnx")})
    monkeypatch.setenv("COLUMNS", "200")
    call = partial(CliRunner().invoke, app)
    assert "missing" in call(["weights", "list"]).output
    assert call(["weights", "verify"]).exit_code == 0
    fetched = call(["weights", "fetch", "net.onnx"])
    assert fetched.exit_code == 0 and str(places[1] / "net.onnx") in fetched.output
    (row,) = [row for row in api.list_weights() if row["name"] == "net.onnx"]
    assert row["status"] == str(places[1] / "net.onnx")
    put(places[0], b"another")
    checked = call(["weights", "verify"])
    assert checked.exit_code == 1 and "wrong" in checked.output
    assert "wrong" in call(["weights", "list"]).output
    with pytest.raises(UnknownComponent, match=r"did you mean 'net\.onnx'"):
        api.fetch_weights("net.onx")


def test_the_real_files_are_the_known_ones(shared_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    there = {path.name for path in shared_weights.iterdir()} & set(RECORDS)
    assert {find(RECORDS[name]).name for name in there} == there
    assert {"yolox_nano.onnx", "yunet_2026may.onnx", "face_landmarker.task"} <= there
