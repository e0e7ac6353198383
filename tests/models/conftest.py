"""Pictures for the tests of models: generated faces always, real photos where the data pack is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unveil.core.types import Image
from unveil.images import read_image

GOLDEN = Path(__file__).parent / "golden"
TILE = 112


def read(path: Path) -> Image:
    image = read_image(path)
    assert isinstance(image, np.ndarray), image
    return image


@pytest.fixture(scope="session")
def sheet() -> Image:
    """Two rows of three generated faces, 112 pixels each."""
    return read(GOLDEN / "faces.png")


@pytest.fixture(scope="session")
def generated(sheet: Image) -> list[Image]:
    """The six generated faces, one by one."""
    return [sheet[y : y + TILE, x : x + TILE] for y in (0, TILE) for x in (0, TILE, 2 * TILE)]


@pytest.fixture(scope="session")
def photos(shared_data: Path) -> list[Image]:
    """Real photos of one face each, of different sizes, at most 400 pixels."""
    import cv2

    files = [
        path
        for folder in ("london", "lfw_gray", "celeba_wild")
        for path in sorted((shared_data / "faces" / folder).rglob("*.jpg"))[::40][:3]
    ]
    images = []
    for image in map(read, files):
        scale = min(1.0, 400 / max(image.shape[:2]))
        images.append(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    return images


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder of small files with what the reference implementations compute."""
    return GOLDEN
