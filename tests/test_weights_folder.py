from __future__ import annotations

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


def test_without_a_name_there_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNVEIL_WEIGHTS", raising=False)
    assert given_folder() is None
