"""Are the people and objects of a scene still found in the protected picture?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.boxes import NOBODY, overlaps, surest_first
from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.scenes import CLASSES
from unveil.core.types import Detections, Failure, Image, Pair
from unveil.core.validation import number
from unveil.evaluations import training
from unveil.evaluations.pictures import batches, fate, numbered, of_test_split, table


class ObjectDetection:
    """An object detector looks for people, vehicles and the other classes in every picture of the test split.

    The detector has learnt from protected pictures (as published: who uses them can do that), from the
    originals, or elsewhere. What truly is in a picture is what the dataset says of the original. One row per
    true object, and one per detection that meets none; a picture of which the truth is not known has a single
    row with status ``error`` and no label.

    Args:
        iou: overlap (intersection over union) from which on a detection meets a true object of its class.
    """

    meta = EvaluationMeta(
        name="utility",
        version=1,
        dimension="utility",
        unit="box",
        roles=("object_detector",),
        threat_models=tuple(training.TRAINED_ON),
        has=frozenset({"objects"}),
        columns={
            "label": pa.string(),
            "truth": pa.bool_(),
            "score": pa.float32(),
            "iou": pa.float32(),
            "accepted": pa.bool_(),
        },
        metrics=(
            "person_f1",
            "object_precision",
            "object_recall",
            "object_f1",
            "object_average_precision",
        ),
        source=Source("HR-VISPR, utility: a detector per protected version (Figures 5 and 6)"),
    )

    operating_points = ("",)

    def __init__(self, *, iou: float = 0.5) -> None:
        self.iou = number("iou", iou, above=0, high=1)

    def suits(self, threat_model: str, models: Mapping[str, Any]) -> bool:
        """A detector that does not learn in the run is ``pretrained``; one that does is trained."""
        return training.suits(threat_model, models["object_detector"])

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every picture of the test split; each becomes one row per box."""
        return of_test_split(samples)

    def observe(self, units: pd.DataFrame, threat_model: str, context: SceneContext) -> pd.DataFrame:
        """``score`` and ``iou`` of the detection that meets a true object, NaN where it is missed.

        Detections are matched surest first, each with the true object of its class that it overlaps most among
        those left. ``accepted``: the detector says that it is there, by its own threshold. The objects of a
        picture that the method left out are there, and nobody has looked: status ``not_protected``.
        """
        detector = context.model("object_detector", training.TRAINED_ON[threat_model])
        sizes = context.samples[["width", "height"]]
        rows: list[dict[str, Any]] = []
        for ids in batches(units["sample_id"]):
            images = list(context.images("protected", ids))
            known = context.objects(ids)
            found = iter(detector.detect([image for image in images if not isinstance(image, Failure)]))
            for sample_id, image, truth in zip(ids, images, known, strict=True):
                seen = Detections.empty() if isinstance(image, Failure) else next(found)
                seen = _in_the_original(seen, image, sizes.loc[sample_id])
                status, reason = fate(image)
                if isinstance(truth, Failure):
                    status, reason = "error", str(truth.reason)
                boxes = [_box("", truth=False)]
                if not isinstance(truth, Failure) and status != "error":
                    boxes = list(_boxes(truth.only(*CLASSES), seen.only(*CLASSES), detector.threshold, self.iou))
                rows += numbered(sample_id, ({**box, "status": status, "reason": reason} for box in boxes))
        return table(rows, self.meta.columns)


def _in_the_original(seen: Detections, image: Image | Failure, size: pd.Series) -> Detections:
    """Detections in pixels of the original, where the method has changed the size of the picture."""
    if isinstance(image, Failure) or image.shape[:2] == (size["height"], size["width"]):
        return seen
    scale = np.array([size["width"] / image.shape[1], size["height"] / image.shape[0]] * 2, np.float32)
    return Detections(seen.boxes * scale, seen.scores, labels=seen.labels)


def _boxes(truth: Detections, seen: Detections, threshold: float, iou: float) -> Iterator[dict[str, Any]]:
    """The true objects with the detections that meet them, then the detections that meet none."""
    seen = seen.take(np.argsort(-seen.scores, kind="stable"))
    true_names, names = (np.array(boxes.labels or (), dtype=object) for boxes in (truth, seen))
    overlap = overlaps(seen.boxes, truth.boxes) * (names[:, None] == true_names[None])
    partner = surest_first(overlap, iou)
    accepted = seen.scores >= threshold
    for true, label in enumerate(true_names):
        box = _box(label, truth=True)
        for found in np.flatnonzero(partner == true):  # one at most
            box |= {"score": float(seen.scores[found]), "accepted": bool(accepted[found])}
            box["iou"] = float(overlap[found, true])
        yield box
    for found in np.flatnonzero(partner == NOBODY):
        box = _box(names[found], truth=False)
        yield {**box, "score": float(seen.scores[found]), "accepted": bool(accepted[found])}


def _box(label: str, *, truth: bool) -> dict[str, Any]:
    """Columns of a box that no detection is about."""
    return {"label": label, "truth": truth, "score": math.nan, "iou": math.nan, "accepted": False}
