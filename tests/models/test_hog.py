"""Histograms of gradients as an encoder."""

from __future__ import annotations

import numpy as np

from unveil.models.hog import Hog
from unveil.testing import check_image_encoder
from unveil.testing.toy_scenes import scene


def test_keeps_the_promises() -> None:
    check_image_encoder(Hog())
    assert Hog().dimension == 1764


def test_edges_are_seen_and_the_end_of_the_picture_is_none() -> None:
    flat = np.full((40, 90, 3), 77, np.uint8)
    edge = flat.copy()
    edge[:, 45:] = 200
    plain, seen = Hog().encode([flat, edge])
    assert not plain.any() and seen.any()


def test_what_changes_the_picture_more_is_farther_away() -> None:
    import cv2

    images = [scene(number)[0] for number in range(12)]
    distances = []
    for size in (3, 15):
        blurred = [cv2.blur(image, (size, size)) for image in images]
        distances.append(np.linalg.norm(Hog().encode(images) - Hog().encode(blurred), axis=1).mean())
    assert 0 < distances[0] < distances[1]


def test_the_size_of_the_picture_matters_little() -> None:
    image = scene(4, width=96, height=72)[0]
    large = image.repeat(4, axis=0).repeat(4, axis=1)
    small, enlarged, other = Hog().encode([image, large, scene(5)[0]])
    assert np.linalg.norm(small - enlarged) < 0.5 * np.linalg.norm(small - other)
