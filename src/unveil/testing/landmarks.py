"""The promises of a face landmarker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unveil.core.types import Face, Failure, Image
from unveil.testing.people import AWKWARD, PEOPLE, face_of, portrait
from unveil.testing.rules import check_failure, check_untouched, expect
from unveil.testing.sight import check_model

_TOLERANCE = 0.5
"""Pixels by which a point may move in another batch."""

_NEAR = 0.5
"""How far the middle of the points may lie from that of the box, in sides of the box: inside of it."""


def check_landmarker(landmarker: Any, *, faces: Sequence[tuple[Image, Face]] = ()) -> None:
    """Check a landmarker on drawn faces, on one that reaches over the border, and on boxes of a pixel.

    It must find the same points again, in every batch; in pixels of the whole picture, near the box that it was
    given; and no point at all of nothing.

    Args:
        landmarker: an instance.
        faces: pictures with the place of a real face; the points of most of them must be found. Drawn faces fool
            no landmarker, so without faces nothing has to be found.

    Raises:
        AssertionError: says which promise is broken.
    """
    check_model(landmarker, "landmarker")
    number = landmarker.points
    whole = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    expect(whole, landmarker, f"points must be a whole number from 1, not {number!r}")
    seen = [*faces, *_drawn()]
    images = [image for image, _ in seen]
    copies = [image.copy() for image in images]
    found = landmarker.landmarks(images, [face for _, face in seen])
    check_untouched(landmarker, images, copies)
    expect(len(found) == len(seen), landmarker, f"gave {len(found)} results for {len(seen)} faces")
    expect(list(landmarker.landmarks([], [])) == [], landmarker, "must give nothing for no face")
    for (_, face), points in zip(seen, found, strict=True):
        _check_points(landmarker, face, points)
    for position, ((image, face), points) in enumerate(zip(seen, found, strict=True)):
        (alone,) = landmarker.landmarks([image], [face])
        expect(_same(points, alone), landmarker, f"other points of face {position} in a batch of its own")
    hits = sum(not isinstance(points, Failure) for points in found[: len(faces)])
    expect(2 * hits >= len(faces), landmarker, f"found the points of {hits} of {len(faces)} real faces")


def _drawn() -> list[tuple[Image, Face]]:
    portraits = [portrait(person, 0) for person in range(min(4, PEOPLE))]
    height, width = portraits[0].shape[:2]
    over = Face(np.array([-width / 3, -height / 3, width / 2, height / 2], np.float32))
    awkward = [np.full((*size, 3), 200, np.uint8) for size in AWKWARD.values()]
    everything = [Face(np.array([0, 0, image.shape[1], image.shape[0]], np.float32)) for image in awkward]
    return [
        *((image, face_of(image)) for image in portraits),
        (portraits[0], over),
        *zip(awkward, everything, strict=True),
    ]


def _check_points(landmarker: Any, face: Face, points: Any) -> None:
    if isinstance(points, Failure):
        check_failure(landmarker, points)
        return
    shape, wanted = np.shape(points), (landmarker.points, 2)
    expect(shape == wanted, landmarker, f"the points of a face must have the shape {wanted}, not {shape}")
    expect(points.dtype == np.float32, landmarker, f"points must be float32, not {points.dtype}")
    expect(bool(np.isfinite(points).all()), landmarker, "points must be finite")
    left_top, right_bottom = face.box[:2], face.box[2:]
    apart = np.abs(points.mean(axis=0) - (left_top + right_bottom) / 2).max()
    near = apart <= _NEAR * (right_bottom - left_top).max()
    expect(bool(near), landmarker, f"the points lie {apart:.0f} pixels beside the box they were asked for")


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Failure) or isinstance(b, Failure):
        return isinstance(a, Failure) and isinstance(b, Failure) and a.reason is b.reason
    return np.shape(a) == np.shape(b) and np.allclose(a, b, atol=_TOLERANCE)
