from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unveil.weights_folder import given_folder, hub_folder


def test_a_given_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    assert hub_folder("owner/name", str(tmp_path / "nowhere")) == tmp_path / "nowhere"


def test_the_named_folder_comes_before_the_hubs_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("huggingface_hub", reason="the hub's cache is looked for by its library")
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(tmp_path))
    assert hub_folder("nobody-of/this-name") is None
    (tmp_path / "nobody-of--this-name").mkdir()
    assert hub_folder("nobody-of/this-name") == tmp_path / "nobody-of--this-name"


@pytest.mark.parametrize("arguments", [("weights", "list"), ("list", "models")])
def test_a_named_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "file").touch()
    for name in ("nowhere", "file"):
        environment = {**os.environ, "UNVEIL_WEIGHTS": str(tmp_path / name)}
        command = [sys.executable, "-m", "unveil", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode != 0 and done.stdout == ""
        assert "UNVEIL_WEIGHTS must name a folder" in done.stderr and "Traceback" not in done.stderr


def test_without_a_name_there_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNVEIL_WEIGHTS", raising=False)
    assert given_folder() is None
