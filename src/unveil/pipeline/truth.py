"""What truly is in the originals: the dataset's own boxes, or what the run's reference detector finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from unveil.core.fingerprint import digest
from unveil.core.scenes import CLASSES
from unveil.core.types import Detections, Failure, Image, Sample
from unveil.images import read_image
from unveil.pipeline.components import Built
from unveil.pipeline.plan import PlannedDataset
from unveil.store.artifacts import Artifacts

_FOUND = pa.schema({"label": pa.string(), "score": pa.float32(), "box": pa.list_(pa.float32())})


@dataclass(frozen=True, slots=True)
class Truth:
    """Objects in the originals of one dataset.

    Attributes:
        dataset: whose.
        reference: detector for datasets without boxes; None where there is no need of one.
        artifacts: cache of what the reference detector found.
    """

    dataset: PlannedDataset
    reference: Built | None
    artifacts: Artifacts

    @property
    def annotated(self) -> bool:
        """Whether the dataset itself says what is in its pictures."""
        return "objects" in self.dataset.built.component.meta.has

    def objects(self, sample: Sample) -> Detections | Failure:
        """People and objects of one original, with labels."""
        if self.annotated:
            return self.dataset.built.component.objects(sample.id)
        image = read_image(self.dataset.built.component.root / sample.id)
        return image if isinstance(image, Failure) else self.found([sample], [image])[0]

    def found(self, samples: Sequence[Sample], images: Sequence[Image]) -> list[Detections]:
        """What the reference detector is sure of in these originals."""
        assert self.reference is not None, "planned only where there is a reference detector"
        detector = self.reference
        found = []
        for sample, image in zip(samples, images, strict=True):
            key = digest("objects", sample.content_hash, detector.fingerprint)
            table = self.artifacts.table("objects", key, lambda: _detect(detector, image), lambda _: True)  # noqa: B023
            found.append(_detections(table))
        return found


def _detect(detector: Built, image: Image) -> pa.Table:
    seen = detector.component.detect([image])[0].only(*CLASSES)
    seen = seen.take(np.flatnonzero(seen.scores >= detector.component.threshold))
    rows = [
        {"label": label, "score": score, "box": box}
        for label, score, box in zip(seen.labels or (), seen.scores, seen.boxes, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=_FOUND)


def _detections(table: pa.Table) -> Detections:
    boxes = np.array(table["box"].to_pylist(), np.float32).reshape(-1, 4)
    scores = table["score"].to_numpy().astype(np.float32)
    return Detections(boxes, scores, labels=tuple(table["label"].to_pylist()))
