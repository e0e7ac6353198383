"""How a shard's faces get their status: what breaks is an error, never protection."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from unveil.core.types import Detections, Failure, Reason
from unveil.pipeline.acquire import detections, embeddings
from unveil.pipeline.components import Built
from unveil.pipeline.templates import FaceTemplates
from unveil.store.artifacts import Artifacts

PICTURE = np.full((20, 30, 3), 90, np.uint8)


def detector(*found: object) -> Built:
    def detect(images):
        return [found[int(image[0, 0, 0])] for image in images]

    return Built("d", SimpleNamespace(detect=detect), "detector", "", {})


def recognizer(*vectors: object) -> Built:
    def embed(images, faces):
        return [vectors[int(image[0, 0, 0])] for image in images]

    return Built("r", SimpleNamespace(embed=embed, dimension=3), "recognizer", "", {})


def faces(*boxes: tuple[int, int, int, int]) -> Detections:
    return Detections(
        np.array(boxes, np.float32).reshape(-1, 4), np.linspace(1, 0.5, len(boxes), dtype=np.float32)
    )


def numbered(count: int) -> list[np.ndarray]:
    pictures = [PICTURE.copy() for _ in range(count)]
    for number, picture in enumerate(pictures):
        picture[0, 0, 0] = number
    return pictures


def test_the_largest_face_is_taken_and_that_is_recorded(tmp_path):
    found = faces((0, 0, 5, 5), (0, 0, 15, 20), (3, 3, 6, 6))
    table = detections(Artifacts(tmp_path), ["a"], lambda: numbered(1), detector(found))
    (row,) = table.to_pylist()
    assert row["n_faces"] == 3
    assert row["reason"] == "many_faces_largest_taken"
    assert row["box"] == [0, 0, 15, 20]
    assert row["face_area"] == pytest.approx(0.5)


def test_statuses_and_what_is_cached(tmp_path):
    artifacts = Artifacts(tmp_path)
    pictures = [*numbered(5), Failure(Reason.NO_FACE), Failure(Reason.UNDECODABLE, "x.png: gone bad")]
    keys = ["a", "b", "c", "d", "e", "", "g"]
    one = faces((1, 1, 9, 9))
    found = detections(artifacts, keys, lambda: pictures, detector(one, faces(), one, one, one))
    assert found["status"].to_pylist() == [
        "ok", "not_acquired", "ok", "ok", "ok", "not_protected", "error",
    ]  # fmt: skip
    vectors = (
        np.ones(3, np.float32),
        None,
        np.array([1, np.nan, 0], np.float32),
        Failure(Reason.BAD_OUTPUT, "two results for one face"),
        Failure(Reason.NO_FACE, "the landmarks do not fit"),
    )
    models = (detector(), recognizer(*vectors))
    described = embeddings(artifacts, keys, lambda: pictures, found, models)
    assert described["status"].to_pylist() == [
        "ok", "not_acquired", "error", "error", "not_acquired", "not_protected", "error",
    ]  # fmt: skip
    assert not list(tmp_path.rglob("*.parquet")), "what broke may have broken by chance: the next run tries again"

    templates = FaceTemplates(list("abcdefg"), [found], [described])
    assert np.isfinite(templates.vectors(["a"])).all()
    assert np.isnan(templates.vectors(["b", "c"])).all()
    with pytest.raises(KeyError, match="zzz"):
        templates.vectors(["a", "zzz"])


def test_a_second_look_opens_no_picture(tmp_path):
    artifacts = Artifacts(tmp_path)
    first = detections(artifacts, ["a", "b"], lambda: numbered(2), detector(faces(), faces((1, 1, 5, 5))))
    again = detections(artifacts, ["a", "b"], lambda: pytest.fail("opened"), detector())
    assert again.equals(first)
