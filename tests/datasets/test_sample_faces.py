"""The bundled pictures keep what their card promises."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from unveil.core.fingerprint import file_hash
from unveil.core.types import Detections, Image
from unveil.images import read_image, valid_image
from unveil.registry import build

FOLDER = Path(str(files("unveil.datasets") / "data" / "sample_faces"))
GROUPS = {("Female", "Light"), ("Female", "Dark"), ("Male", "Light"), ("Male", "Dark")}


@pytest.fixture(scope="module")
def labels() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "labels.csv")


@pytest.fixture(scope="module")
def images(labels: pd.DataFrame) -> list[Image]:
    pictures = [read_image(FOLDER / path) for path in labels["path"]]
    assert all(valid_image(picture) for picture in pictures)
    return pictures  # type: ignore[return-value]


@pytest.fixture(scope="module")
def faces(images: list[Image]) -> list[Detections]:
    """What MTCNN finds."""
    return build("models", "detector:mtcnn").detect(images)  # type: ignore[no-any-return]


def test_columns_and_groups(labels: pd.DataFrame) -> None:
    assert list(labels.columns) == ["path", "identity", "seed", "gender", "tone", "ita", "photo"]
    people = labels.drop_duplicates("identity")
    assert people.groupby(["gender", "tone"]).size().to_dict() == dict.fromkeys(GROUPS, 12)
    assert people["seed"].is_unique
    assert (labels.groupby("identity")[["gender", "tone", "seed"]].nunique() == 1).all(axis=None)
    assert labels.groupby("identity")["photo"].agg(list).map(lambda photos: photos == list(range(1, 9))).all()


def test_labels_name_the_files_and_no_other(labels: pd.DataFrame) -> None:
    assert sorted(labels["path"]) == sorted(p.relative_to(FOLDER).as_posix() for p in FOLDER.rglob("*.jpg"))
    expected = [f"{r.gender}_{r.tone}/{r.identity}/{r.photo:02}.jpg" for r in labels.itertuples()]
    assert list(labels["path"]) == expected
    others = {p.name for p in FOLDER.rglob("*") if p.is_file() and p.suffix != ".jpg"}
    assert others == {"labels.csv", "CARD.md"}


def test_pictures_are_small_and_all_different(images: list[Image], labels: pd.DataFrame) -> None:
    assert {image.shape for image in images} == {(112, 112, 3)}
    assert len({file_hash(FOLDER / path) for path in labels["path"]}) == len(labels) == 384
    assert sum(p.stat().st_size for p in FOLDER.rglob("*") if p.is_file()) <= 4_000_000


def test_card_says_what_the_set_is_not() -> None:
    card = (FOLDER / "CARD.md").read_text(encoding="utf-8")
    assert "Not evidence about real people" in card
    assert "$" not in card  # every figure of the template was filled in


def test_one_face_each_and_tone_as_measured(
    images: list[Image], faces: list[Detections], labels: pd.DataFrame
) -> None:
    assert {len(found) for found in faces} == {1}
    ita = np.array([_typology_angle(i, f.face(0).landmarks) for i, f in zip(images, faces, strict=True)])
    assert np.allclose(ita, labels["ita"], atol=3)  # degrees; landmarks move by a fraction of a pixel
    assert ((ita > 5.5) == (labels["tone"] == "Light")).all()
    gap = labels.groupby("tone")["ita"].agg(["min", "max"])
    assert gap.loc["Light", "min"] > 41
    assert gap.loc["Dark", "max"] < -30


def test_recognizer_tells_the_people_apart(
    images: list[Image], faces: list[Detections], labels: pd.DataFrame
) -> None:
    from sklearn.metrics import roc_auc_score

    recognizer = build("models", "recognizer:dlib")
    vectors = np.stack(recognizer.embed(images, [found.face(0) for found in faces]))
    first, second = np.triu_indices(len(labels), 1)
    distance = np.linalg.norm(vectors[first] - vectors[second], axis=1)
    person = labels["identity"].to_numpy()
    mated = person[first] == person[second]
    assert mated.sum() == 48 * 28
    assert roc_auc_score(mated, -distance) > 0.97
    between = pd.DataFrame({"a": person[first], "b": person[second], "distance": distance})[~mated]
    assert between.groupby(["a", "b"])["distance"].mean().min() > 0.599  # threshold 0.6, less rounding


def _typology_angle(image: Image, marks: NDArray[np.float32]) -> float:
    """ITA as CARD.md defines it, with the formulas of sRGB (IEC 61966-2-1) and CIELAB (CIE 15)."""
    half = 0.12 * np.hypot(*(marks[0] - marks[1]))
    cheeks = []
    for eye, mouth in ((0, 3), (1, 4)):
        x, y = (marks[eye] + marks[mouth]) / 2
        columns = slice(max(0, int(np.floor(x - half))), int(np.ceil(x + half)))
        rows = slice(max(0, int(np.floor(y - half))), int(np.ceil(y + half)))
        cheeks.append(np.median(_lab(image[rows, columns].reshape(-1, 3)), axis=0))
    lightness, _, blue_yellow = np.mean(cheeks, axis=0)
    return float(np.degrees(np.arctan((lightness - 50) / blue_yellow)))


def _lab(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    value = rgb / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    ratio = linear @ to_xyz.T / [0.9505, 1.0, 1.089]
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)
