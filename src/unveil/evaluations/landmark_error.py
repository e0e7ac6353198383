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
from unveil.core.protocols import EvaluationMeta, FaceContext, Source
from unveil.core.types import Face, Failure, Pair, Reason
from unveil.core.validation import whole
from unveil.evaluations.pictures import Sight, faces_in_originals, of_test_split, sights, table

Points = NDArray[np.float32]


class LandmarkError:
    """A landmarker finds the points of the face in both versions of a picture; they should not have moved.

    The normalised mean error (NME) of a picture is the mean distance between corresponding points of original
    and protected face, divided by the distance of the outer eye corners in the original. The detector looks for
    the face in the original; the landmarker looks in its place in both versions, so that two people in one picture
    are not taken for each other. A protected picture of another size is first brought to that of the original.

    Args:
        eyes: numbers of the two points at the outer corners of the eyes; 33 and 263 in the MediaPipe face mesh.

    Source: Sagonas, Tzimiropoulos, Zafeiriou, Pantic, 300 Faces in-the-Wild Challenge, ICCV Workshops 2013.
    """

    meta = EvaluationMeta(
        name="landmark_error",
        version=3,
        dimension="quality",
        unit="image",
        roles=("detector", "landmarker"),
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

    def observe(self, units: pd.DataFrame, threat_model: str, context: FaceContext) -> pd.DataFrame:
        """``nme`` of each picture.

        Without a face or landmarks in the original the picture is an ``error``: it says nothing about the method.
        Where only the protected one has no landmarks, it is ``not_acquired``.

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
            faces = faces_in_originals(batch, context)
            looked = [(batch[index], face) for index, face in faces.items() if face is not None]
            points = _both(landmarker, looked, compared=context.method != "original")
            for index, sight in enumerate(batch):
                row = {"unit_id": sight.sample_id, **sight.state}
                if index in faces:
                    row |= _NOBODY if faces[index] is None else self._told(*next(points))
                rows.append(row)
        return table(rows, self.meta.columns)

    def _told(self, before: Points | Failure, after: Points | Failure) -> dict[str, Any]:
        if isinstance(before, Failure):
            return {"status": "error", "reason": f"landmarks: {before.reason}"}
        if isinstance(after, Failure):
            lost = after.reason is Reason.NO_FACE
            return {"status": "not_acquired" if lost else "error", "reason": str(after.reason)}
        apart = nme(before, after, self.eyes)
        return {"status": "error", "reason": str(Reason.TOO_SMALL)} if math.isnan(apart) else {"nme": apart}


_NOBODY = {"status": "error", "reason": "no_face_in_original"}


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
    landmarker: Any, looked: Sequence[tuple[Sight, Face]], *, compared: bool
) -> Iterator[tuple[Points | Failure, Points | Failure]]:
    """Points of each face in both versions, looked for in one place; of unprotected photos they are the same."""
    if not looked:
        return iter(())
    places = [face for _, face in looked]
    originals, protected = zip(*(sight.both for sight, _ in looked), strict=True)
    before = landmarker.landmarks(originals, places)
    after = landmarker.landmarks(protected, places) if compared else before
    return zip(before, after, strict=True)
