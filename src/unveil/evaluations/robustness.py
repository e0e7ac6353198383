"""Do the people of the original still look the same in the protected picture?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.boxes import NOBODY, closest_first, overlaps
from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.scenes import PERSON
from unveil.core.types import Detections, Image, Pair
from unveil.core.validation import number
from unveil.evaluations.fidelity import ssim
from unveil.evaluations.pictures import Sight, numbered, of_test_split, sights, table

CROP = (64, 128)
"""Width and height to which people are brought before they are compared: similarity depends on the size."""


class Robustness:
    """People found on the original are looked for in the protected picture, at the same place and as alike.

    One row per person whom the detector finds on the original of a picture of the test split, by its own
    threshold; it has learnt from originals. Partners are found one to one by overlap. The fewer people have a
    partner that is close (IoU) and still similar (SSIM), the better; the decision is taken at each of the
    operating points ``iou=<least overlap>,ssim=<least similarity>``. The paper does not give its thresholds.

    Args:
        iou_thresholds, ssim_thresholds: for the operating points; the first of both are the headline.
    """

    meta = EvaluationMeta(
        name="robustness",
        version=1,
        dimension="practicality",
        unit="person",
        roles=("object_detector",),
        threat_models=("",),
        has=frozenset(),
        columns={
            "iou": pa.float32(),
            "ssim": pa.float32(),
            "score": pa.float32(),
            "score_protected": pa.float32(),
        },
        metrics=("similar_match_rate",),
        source=Source("HR-VISPR, practicality: robustness as similar matches by IoU, then SSIM (Table 3)"),
    )

    def __init__(
        self,
        *,
        iou_thresholds: Sequence[float] = (0.5, 0.3, 0.7),
        ssim_thresholds: Sequence[float] = (0.5, 0.3, 0.7),
    ) -> None:
        self.iou_thresholds = _thresholds("iou_thresholds", iou_thresholds)
        self.ssim_thresholds = _thresholds("ssim_thresholds", ssim_thresholds)
        pairs = itertools.product(self.iou_thresholds, self.ssim_thresholds)
        self.operating_points = tuple(f"iou={iou:g},ssim={ssim:g}" for iou, ssim in pairs)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture of the test split; each becomes one row per person found on the original."""
        return of_test_split(samples)

    def observe(self, units: pd.DataFrame, threat_model: str, context: SceneContext) -> pd.DataFrame:
        """``iou`` and ``ssim`` of each person with the partner in the protected picture, NaN without one.

        A picture that cannot be read has a single row with status ``error``.
        """
        detector = context.model("object_detector", "original")
        rows: list[dict[str, Any]] = []
        for batch in sights(context, units["sample_id"]):
            before = iter(_people(detector, [sight.original for sight in batch]))
            after = iter(_people(detector, [sight.protected for sight in batch]))
            for sight, there, still in zip(batch, before, after, strict=True):
                people = [_person()] if sight.status == "error" else list(_compare(sight, there, still))
                rows += numbered(sight.sample_id, ({**sight.state, **who} for who in people))
        return table(rows, self.meta.columns)


def _thresholds(name: str, values: Sequence[float]) -> tuple[float, ...]:
    if not isinstance(values, list | tuple) or not values:
        raise ValueError(f"{name} must be a list of at least one number, got {values!r}")
    shares = tuple(number(name, value, low=0.01, high=1) for value in values)
    if len({f"{share:g}" for share in shares}) < len(shares):
        raise ValueError(f"{name} must differ in their first six digits, got {values!r}")
    return shares


def _people(detector: Any, images: Sequence[Image | None]) -> Iterator[Detections]:
    """People of whom the detector is sure, in each picture; nobody where there is no picture."""
    found = iter(detector.detect([image for image in images if image is not None]))
    for image in images:
        people = Detections.empty() if image is None else next(found).only(PERSON)
        yield people.take(np.flatnonzero(people.scores >= detector.threshold))


def _compare(sight: Sight, there: Detections, still: Detections) -> Iterator[dict[str, float]]:
    original, protected = sight.original, sight.protected
    assert original is not None, "only pictures that can be read are compared"
    boxes = still.boxes
    if protected is not None and protected.shape != original.shape:
        protected, boxes = _in_the_original(protected, boxes, original)
    overlap = overlaps(there.boxes, boxes)
    for index, partner in enumerate(closest_first(overlap)):
        who = {**_person(), "score": float(there.scores[index])}
        if partner != NOBODY and protected is not None:
            who |= {"iou": float(overlap[index, partner]), "score_protected": float(still.scores[partner])}
            who["ssim"] = similarity(original, protected, there.boxes[index])
        yield who


def _person() -> dict[str, float]:
    """Columns of a person without a partner."""
    return dict.fromkeys(Robustness.meta.columns, math.nan)


def _in_the_original(protected: Image, boxes: Any, original: Image) -> tuple[Image, Any]:
    """A protected picture of another size, and boxes in it, brought to the size of the original."""
    import cv2

    height, width = original.shape[:2]
    scale = np.array([width / protected.shape[1], height / protected.shape[0]] * 2, np.float32)
    resized: Any = cv2.resize(protected, (width, height), interpolation=cv2.INTER_AREA)
    return resized, boxes * scale


def similarity(one: Image, two: Image, box: Any) -> float:
    """SSIM in [-1, 1] of what two pictures of the same size show in a box, each brought to :data:`CROP`."""
    import cv2

    height, width = one.shape[:2]
    left, top = (int(np.clip(edge, 0, limit - 1)) for edge, limit in zip(box[:2], (width, height), strict=True))
    right, bottom = (max(math.ceil(edge), corner + 1) for edge, corner in zip(box[2:], (left, top), strict=True))
    crops = [cv2.resize(p[top:bottom, left:right], CROP, interpolation=cv2.INTER_AREA) for p in (one, two)]
    return ssim(*(np.asarray(crop, np.uint8) for crop in crops))
