from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from unveil.core.errors import StoreError
from unveil.core.fingerprint import bytes_hash, digest
from unveil.core.types import Failure, Reason
from unveil.store.artifacts import Artifacts

shapes = st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))
KEY = digest("a picture")


@settings(deadline=None)
@given(hnp.arrays(np.uint8, shapes))
def test_pictures_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, image: np.ndarray) -> None:
    artifacts = Artifacts(tmp_path_factory.getbasetemp() / "pictures")
    key = digest(image.shape, image.tolist())
    assert artifacts.put_image(key, image) == bytes_hash(image.tobytes())
    assert artifacts.has_image(key) and np.array_equal(artifacts.image(key), image)


def test_the_same_key_cannot_hold_another_picture(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    image = np.zeros((2, 3, 3), np.uint8)
    artifacts.put_image(KEY, image)
    assert artifacts.put_image(KEY, image.copy()) == bytes_hash(image.tobytes())
    for other in (image + 1, image[:1], image.reshape(3, 2, 3)):
        with pytest.raises(StoreError, match="raise its `version` if it was changed"):
            artifacts.put_image(KEY, other)
    assert np.array_equal(artifacts.image(KEY), image)


def test_what_is_gone_is_missing_and_what_is_damaged_is_replaced(tmp_path: Path) -> None:
    artifacts = Artifacts(tmp_path)
    gone = artifacts.image(KEY)
    assert isinstance(gone, Failure) and gone.reason is Reason.MISSING and KEY in gone.detail
    image = np.full((4, 4, 3), 9, np.uint8)
    artifacts.put_image(KEY, image)
    artifacts.path("images", KEY, ".png").write_bytes(b"\x89PNG half")
    assert isinstance(artifacts.image(KEY), Failure)
    artifacts.put_image(KEY, image)
    assert np.array_equal(artifacts.image(KEY), image)


def test_tables_are_made_once_and_kept_when_worth_it(tmp_path: Path) -> None:
    artifacts, made = Artifacts(tmp_path), []

    def make() -> pa.Table:
        made.append(1)
        return pa.table({"x": [len(made)]})

    def ask(*, keep: bool) -> int:
        return artifacts.table("faces", KEY, make, lambda table: keep)["x"][0].as_py()  # type: ignore[no-any-return]

    assert [ask(keep=False), ask(keep=False), ask(keep=True), ask(keep=False)] == [1, 2, 3, 3]
    path = artifacts.path("faces", KEY, ".parquet")
    path.write_bytes(path.read_bytes()[:-5])
    assert ask(keep=True) == 4, "a damaged file costs time, never an answer"
    assert ask(keep=True) == 4


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNVEIL_CACHE", str(tmp_path / "shared"))
    assert Artifacts().root == tmp_path / "shared"
    assert Artifacts(tmp_path / "own").root == tmp_path / "own"
    monkeypatch.delenv("UNVEIL_CACHE")
    assert Artifacts().root.name == "unveil"
    assert Artifacts(tmp_path).path("faces", "abcd", ".x") == tmp_path / "faces" / "ab" / "abcd.x"
