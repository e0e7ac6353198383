"""Is the face still drawn where it was, with the same contours?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from unveil.core.errors import ConfigError
from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.types import Face, Failure, Image, Pair, Reason
from unveil.core.validation import whole
from unveil.evaluations.pictures import Sight, of_test_split, sights, table

Points = NDArray[np.float32]


class LandmarkError:
    """A landmarker finds the points of the face in both versions of a picture; they should not have moved.

    The normalised mean error (NME) of a picture is the mean distance between corresponding points of original
    and protected face, divided by the distance of the outer eye corners in the original. No detector takes part:
    the landmarker finds a face in the whole original, and then looks at its place in both versions, so that two
    people in one picture are not taken for each other. In a wide picture it may not find anybody. Points of a
    protected picture of another size are brought to the size of the original.

    Args:
        eyes: numbers of the two points at the outer corners of the eyes; 33 and 263 in the MediaPipe face mesh.

    Source: Sagonas, Tzimiropoulos, Zafeiriou, Pantic, 300 Faces in-the-Wild Challenge, ICCV Workshops 2013.
    """

    meta = EvaluationMeta(
        name="landmark_error",
        version=2,
        dimension="quality",
        unit="image",
        roles=("landmarker",),
        threat_models=("",),
        has=frozenset(),
        columns={"nme": pa.float32()},
        metrics=("landmark_error", "landmark_failure_rate"),
        source=Source("Sagonas et al., 300 Faces in-the-Wild Challenge, ICCV Workshops 2013"),
    )

    operating_points = ("",)

    def __init__(self, *, eyes: Sequence[int] = (33, 263)) -> None:
        if not isinstance(eyes, list | tuple) or len(set(eyes)) != 2 or len(eyes) != 2:
            raise ValueError(f"eyes must be the numbers of two different points, got {eyes!r}")
        first, second = (whole("eyes", number, low=0) for number in eyes)
        self.eyes = (first, second)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture of the test split, of all pictures where the dataset is not split."""
        return of_test_split(samples)

    def observe(self, units: pd.DataFrame, threat_model: str, context: SceneContext) -> pd.DataFrame:
        """``nme`` of each picture.

        Without a face in the original the picture is an ``error``; where only the protected one has none, it is
        ``not_acquired``.

        Raises:
            ConfigError: when the landmarker has fewer points than ``eyes`` names.
        """
        landmarker = context.model("landmarker")
        if landmarker.points <= max(self.eyes):
            raise ConfigError(
                f"eyes: the landmarker has the points 0 to {landmarker.points - 1}, got {list(self.eyes)}"
            )
        rows: list[Mapping[str, Any]] = []
        for batch in sights(context, units["sample_id"]):
            before, after = _both(landmarker, batch, compared=context.method != "original")
            rows += (self._row(*three) for three in zip(batch, before, after, strict=True))
        return table(rows, self.meta.columns)

    def _row(
        self, sight: Sight, before: Points | Failure | None, after: Points | Failure | None
    ) -> dict[str, Any]:
        row: dict[str, Any] = {"unit_id": sight.sample_id, **sight.state}
        if sight.status != "ok":
            return row
        if isinstance(before, Failure):
            return row | {"status": "error", "reason": str(before.reason)}
        if isinstance(after, Failure):
            lost = after.reason is Reason.NO_FACE
            return row | {"status": "not_acquired" if lost else "error", "reason": str(after.reason)}
        assert before is not None and after is not None, "both versions can be read"
        apart = nme(before, after * _scale(sight), self.eyes)
        if math.isnan(apart):
            return row | {"status": "error", "reason": str(Reason.TOO_SMALL)}
        return row | {"nme": apart}


def nme(before: Points, after: Points, eyes: tuple[int, int]) -> float:
    """Mean distance of corresponding points (n, 2) by the distance of two points of ``before``.

    NaN when these two are nearer to each other than a pixel.

    >>> square = np.array([[0, 0], [10, 0], [0, 10], [10, 10]], np.float32)
    >>> nme(square, square + np.float32([3, 4]), (0, 1))
    0.5
    """
    unit = float(np.linalg.norm(before[eyes[0]] - before[eyes[1]]))
    return float(np.linalg.norm(before - after, axis=1).mean()) / unit if unit >= 1 else math.nan


def _both(
    landmarker: Any, batch: Sequence[Sight], *, compared: bool
) -> tuple[list[Points | Failure | None], list[Points | Failure | None]]:
    """Points of the face in both versions, each looked for where the face is in the original.

    None where there is no picture; of unprotected photos both are the same.
    """
    originals = [sight.original for sight in batch]
    somewhere = [None if image is None else _whole(image) for image in originals]
    places = [
        _around(found) if isinstance(found, np.ndarray) else found
        for found in _points(landmarker, originals, somewhere)
    ]
    before = list(_points(landmarker, originals, places))
    if not compared:
        return before, before
    moved = [
        Face((place.box.reshape(2, 2) / _scale(sight)).reshape(4))
        if isinstance(place, Face) and sight.protected is not None
        else place
        for place, sight in zip(places, batch, strict=True)
    ]
    return before, list(_points(landmarker, [sight.protected for sight in batch], moved))


def _points(
    landmarker: Any, images: Sequence[Image | None], places: Sequence[Face | Failure | None]
) -> Iterator[Points | Failure | None]:
    """Points of the face in each picture; None where there is no picture, the Failure where there is no place."""
    seen = [
        (image, place)
        for image, place in zip(images, places, strict=True)
        if image is not None and isinstance(place, Face)
    ]
    found = iter(landmarker.landmarks(*map(list, zip(*seen, strict=True))) if seen else ())
    for image, place in zip(images, places, strict=True):
        lost = None if image is None or isinstance(place, Face) else place
        yield next(found) if image is not None and isinstance(place, Face) else lost


def _whole(image: Image) -> Face:
    height, width = image.shape[:2]
    return Face(np.array([0, 0, width, height], np.float32))


def _around(points: Points) -> Face:
    """Where the face with these points is."""
    return Face(np.concatenate([points.min(axis=0), points.max(axis=0)]).astype(np.float32))


def _scale(sight: Sight) -> Points:
    """What brings x and y in the protected picture to the original."""
    assert sight.original is not None and sight.protected is not None, "both versions can be read"
    (height, width), (tall, wide) = sight.original.shape[:2], sight.protected.shape[:2]
    return np.array([width / wide, height / tall], np.float32)
