"""What an evaluation of faces is given, and the pictures that it may keep."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import unveil
from unveil.images import read_image
from unveil.pipeline.face import FaceView
from unveil.store.run import RunStore

PICTURE = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)


def view(store: RunStore | None, **models: Any) -> FaceView:
    built = {role: SimpleNamespace(component=model) for role, model in models.items()}
    planned: Any = SimpleNamespace(cell=SimpleNamespace(id="c", method="blur"), models=built)
    return FaceView(planned, 7, {}, {}, store, lambda number: None)


def test_a_kept_picture_is_the_same_to_the_pixel(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    view(store).keep("average Female Dark", PICTURE)
    assert np.array_equal(read_image(store.pictures("c")["average Female Dark"]), PICTURE)


def test_where_no_photo_may_leave_the_run_none_is_kept_and_that_is_remembered(tmp_path: Path) -> None:
    seen = view(None)
    seen.keep("overlay 1", PICTURE)
    assert seen.withheld == ["overlay 1"]


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a\n", "x" * 200])
def test_names_stay_in_their_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        view(RunStore(tmp_path)).keep(name, PICTURE)
    assert not list(tmp_path.rglob("*.png"))


def test_pictures_that_were_withheld_are_made_when_they_may_be_kept(
    small_config: Any, shared_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mediapipe", reason="landmarks come with mediapipe (extra: landmarks)")
    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    settings = {"evaluations": ["focus"], "methods": ["pixelation"]}
    silent = unveil.run(small_config(**settings, report={"examples_per_group": 0}))
    cells = [cell["cell_id"] for cell in silent.manifest()["cells"]]
    assert len(cells) == 2 and not any(silent.pictures(cell) for cell in cells)
    shown = unveil.run(small_config(**settings, report={"examples_per_group": 1}))
    assert [cell["cell_id"] for cell in shown.manifest()["cells"]] == cells
    assert all(shown.pictures(cell) for cell in cells)
    unveil.run(small_config(**settings, report={"examples_per_group": 0}))
    assert not any(shown.pictures(cell) for cell in cells), "what was kept is taken away again"
