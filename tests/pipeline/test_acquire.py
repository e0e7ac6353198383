"""How a shard's faces get their status: what breaks is an error, never protection."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from unveil.core.types import Detections, Failure, Reason
from unveil.pipeline.acquire import attributes, detections, embeddings
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


# --- attributes ---


def estimator(*answers: object) -> Built:
    def estimate(images, faces):
        return [answers[int(image[0, 0, 0])] for image in images]

    return Built("e", SimpleNamespace(estimate=estimate), "estimator", "", {})


def test_every_picture_has_attributes_of_its_own_or_none(tmp_path):
    """The collector of FairDeFace kept the attributes of the picture before where it found no face."""
    artifacts, keys = Artifacts(tmp_path), list("abcde")
    found = detections(artifacts, keys, lambda: numbered(5), detector(*[faces((1, 1, 9, 9))] * 4, faces()))
    answers = (
        {"age": 31.5, "gender": "Female", "head_pose": (1.0, -2.0, 0.5)},
        Failure(Reason.NO_FACE, "the landmarks do not fit"),
        {"age": float("nan")},
        {"gender": "Male"},
        {"age": 99.0},
    )
    told = attributes(artifacts, keys, lambda: numbered(5), found, (detector(), estimator(*answers)))
    assert told["status"].to_pylist() == ["ok", "not_acquired", "error", "ok", "not_acquired"]
    templates = FaceTemplates(keys, [found], [told])
    assert templates.attributes(keys) == [answers[0], {}, {}, {"gender": "Male"}, {}]
    assert [face is None for face in templates.found(keys)] == [False] * 4 + [True]
    assert templates.found(["b"])[0].box.tolist() == [1, 1, 9, 9]


def test_a_service_that_refuses_says_nothing_of_the_picture(tmp_path):
    artifacts = Artifacts(tmp_path)
    found = detections(artifacts, ["a"], lambda: numbered(1), detector(faces((1, 1, 9, 9))))
    refused = Failure(Reason.REFUSED, "413")
    told = attributes(artifacts, ["a"], lambda: numbered(1), found, (detector(), estimator(refused)))
    assert told["status"].to_pylist() == ["error"]
    assert told["reason"].to_pylist() == ["refused: 413"]
