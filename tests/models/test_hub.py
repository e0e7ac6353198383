"""Models of the hub: found in folders of this machine, downloaded only on demand, never executed."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from unveil.core.errors import ConfigError, Unavailable
from unveil.models import hub
from unveil.models.hf_encoder import HfEncoder
from unveil.testing.toy_scenes import scene

pytest.importorskip("transformers")

COMMIT = "c" * 40


def test_a_folder_is_searched_by_name(tiny_clip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    with pytest.raises(Unavailable, match=r"get it with: unveil weights fetch some/clip"):
        hub.find_model("some/clip")
    shutil.copytree(tiny_clip, tmp_path / "some--clip")
    assert hub.find_model("some/clip") == tmp_path / "some--clip"
    assert hub.find_model("some/clip", tiny_clip) == Path(tiny_clip)
    with pytest.raises(Unavailable, match=r"has no config\.json and no model\.safetensors"):
        hub.find_model("some/clip", str(tmp_path))


def test_safetensors_come_first_and_other_files_do_not_count(tmp_path: Path) -> None:
    for name in ("pytorch_model.bin", "tf_model.h5", "training_args.bin", "optimizer.pt"):
        (tmp_path / name).touch()
    assert [path.name for path in hub.weights_files(tmp_path)] == ["pytorch_model.bin"]
    for name in ("model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors"):
        (tmp_path / name).touch()
    assert [path.name for path in hub.weights_files(tmp_path)] == [
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
    ]


class Payload:
    """A pickle that creates a folder when it is opened."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return Path.mkdir, (self.target,)


def test_a_foreign_pickle_is_refused_before_it_runs(tiny_clip: str, tmp_path: Path) -> None:
    import torch

    folder = tmp_path / "clip"
    shutil.copytree(tiny_clip, folder)
    (folder / "model.safetensors").unlink()
    weights = folder / "pytorch_model.bin"
    weights.write_bytes(pickle.dumps(Payload(tmp_path / "harm"), 2))
    with pytest.raises(Unavailable, match="cannot be used"):
        HfEncoder(folder=str(folder)).encode([scene(0)[0]])
    torch.save({"key": Payload(tmp_path / "harm")}, weights)
    with pytest.raises(Unavailable, match="cannot be used"):
        HfEncoder(folder=str(folder)).encode([scene(0)[0]])
    assert not (tmp_path / "harm").exists()


def test_pytorch_weights_are_read_as_data(tiny_clip: str, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    folder = tmp_path / "clip"
    shutil.copytree(tiny_clip, folder)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    one, other = HfEncoder(folder=str(folder)), HfEncoder(folder=tiny_clip)
    np.testing.assert_allclose(one.encode([scene(0)[0]]), other.encode([scene(0)[0]]), atol=1e-6)


def test_fetching_needs_a_name() -> None:
    with pytest.raises(ConfigError, match="must be a name"):
        hub.fetch_model("../secrets")


class HubServer(ThreadingHTTPServer):
    """Speaks as much of the hub's interface as a download of ``some/clip`` needs.

    Attributes:
        folder: the files of the model.
        asked: names of the files that were asked for.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.folder = folder
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def tree(self) -> list[dict[str, object]]:
        return [
            {"type": "file", "path": path.name, "size": path.stat().st_size, "oid": "0" * 40}
            for path in sorted(self.folder.iterdir())
        ]


class HubHandler(BaseHTTPRequestHandler):
    server: HubServer

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/api/models/some/clip/tree/"):
            self.answer(json.dumps(self.server.tree()).encode())
        elif path.startswith("/api/models/some/clip"):
            files = [{"rfilename": entry["path"]} for entry in self.server.tree()]
            self.answer(json.dumps({"id": "some/clip", "sha": COMMIT, "siblings": files}).encode())
        elif path.startswith(f"/some/clip/resolve/{COMMIT}/"):
            name = path.rpartition("/")[2]
            self.server.asked.append(name)
            self.answer((self.server.folder / name).read_bytes())
        else:
            self.send_error(404)

    def answer(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)


@pytest.fixture
def server(tmp_path: Path, tiny_clip: str) -> Iterator[HubServer]:
    folder = tmp_path / "served"
    shutil.copytree(tiny_clip, folder)
    for name in ("pytorch_model.bin", "run_me.py", "tf_model.h5"):
        (folder / name).write_bytes(b"not wanted")
    with HubServer(folder) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_download_takes_data_only_and_is_found_afterwards(server: HubServer, tmp_path: Path) -> None:
    kept = {key: value for key, value in os.environ.items() if key not in ("UNVEIL_WEIGHTS", "HF_HUB_OFFLINE")}
    settings = kept | {"HF_ENDPOINT": server.address, "HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": "1"}

    def unveil(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "unveil", "weights", *words]
        return subprocess.run(command, env=settings, capture_output=True, text=True, check=False)

    done = unveil("fetch", "some/clip")
    assert done.returncode == 0, done.stderr
    found = Path(done.stdout.strip())
    assert found.is_relative_to(tmp_path / "home")
    assert set(server.asked) == {"config.json", "model.safetensors", "preprocessor_config.json"}
    assert (found / "model.safetensors").read_bytes() == (server.folder / "model.safetensors").read_bytes()
    code = "from unveil.models import hub; print(hub.find_model('some/clip', also=[hub.PROCESSOR]))"
    again = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=True)
    assert Path(again.stdout.strip()) == found
    gone = unveil("fetch", "some/other")
    assert gone.returncode == 2 and "cannot be had from the hub" in gone.stderr
