"""The people in originals, as the run's segmenter finds them, for the methods that protect people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from unveil.core.fingerprint import digest
from unveil.core.scenes import PERSON
from unveil.core.types import Detections, Failure, Image, Reason, Sample
from unveil.pipeline.components import Built
from unveil.pipeline.truth import Truth
from unveil.store.artifacts import Artifacts

_PEOPLE = pa.schema(
    {
        "box": pa.list_(pa.float32()),
        "score": pa.float32(),
        "mask": pa.binary(),
        "landmarks": pa.list_(pa.float32()),
    }
)


@dataclass(frozen=True, slots=True)
class PersonFinder:
    """Finds people in the originals of one dataset.

    Attributes:
        segmenter: of the run.
        truth: what the dataset or the reference detector knows of the originals.
        artifacts: cache of what was found with effort.
    """

    segmenter: Built
    truth: Truth
    artifacts: Artifacts

    def find(self, samples: Sequence[Sample], images: Sequence[Image]) -> list[Detections | Failure]:
        """People of each picture with masks; a Failure where nobody was found and somebody may be there."""
        if self.segmenter.component.starts_from == "annotations":
            found = self._segment(samples, images)
        else:
            found = [self._stored(sample, image) for sample, image in zip(samples, images, strict=True)]
        return [self._checked(sample, people) for sample, people in zip(samples, found, strict=True)]

    def _segment(self, samples: Sequence[Sample], images: Sequence[Image]) -> list[Detections | Failure]:
        start = self.segmenter.component.starts_from
        known: list[Detections | Failure] = [Detections.empty()] * len(samples)
        if start == "annotations":
            known = [self.truth.dataset.built.component.objects(sample.id) for sample in samples]
        elif start == "objects":
            known = list(self.truth.found(samples, images))
        results = list(known)
        usable = [i for i, people in enumerate(known) if not isinstance(people, Failure)]
        people = [found.only(PERSON) for found in known if not isinstance(found, Failure)]
        segmented = self.segmenter.component.segment([images[i] for i in usable], people)
        for position, result in zip(usable, segmented, strict=True):
            results[position] = result
        return results

    def _stored(self, sample: Sample, image: Image) -> Detections | Failure:
        reference = self.truth.reference
        starts = reference.fingerprint if reference and self.segmenter.component.starts_from == "objects" else ""
        key = digest("people", sample.content_hash, self.segmenter.fingerprint, starts)
        failure: list[Failure] = []

        def make() -> pa.Table:
            found = self._segment([sample], [image])[0]
            if isinstance(found, Failure):
                failure.append(found)
                found = Detections.empty()
            return _to_table(found)

        table = self.artifacts.table("people", key, make, lambda _: not failure)
        return failure[0] if failure else _from_table(table, image.shape[:2])

    def _checked(self, sample: Sample, people: Detections | Failure) -> Detections | Failure:
        if isinstance(people, Failure) or len(people) or self._nobody_is_there(sample):
            return people
        return Failure(
            Reason.NO_PERSON,
            f"{sample.id}: {self.segmenter.label} found nobody in {sample.width}x{sample.height} pixels, and the "
            "dataset does not say that nobody is there",
        )

    def told(self, sample: Sample) -> str | bool:
        """What the dataset tells about the people of a sample; whatever is found depends on it."""
        return sample.annotation if self.truth.annotated else self._nobody_is_there(sample)

    def _nobody_is_there(self, sample: Sample) -> bool:
        """Whether the dataset says so, by its boxes or by privacy labels of which none is positive."""
        if self.truth.annotated:
            known = self.truth.dataset.built.component.objects(sample.id)
            return not isinstance(known, Failure) and not len(known.only(PERSON))
        return "labels" in self.truth.dataset.built.component.meta.has and not sample.labels


def _to_table(people: Detections) -> pa.Table:
    assert people.masks is not None or not len(people), "a segmenter gives masks"
    rows = [
        {
            "box": people.boxes[i],
            "score": people.scores[i],
            "mask": np.packbits(people.masks[i]).tobytes() if people.masks is not None else b"",
            "landmarks": None if people.landmarks is None else people.landmarks[i].ravel(),
        }
        for i in range(len(people))
    ]
    return pa.Table.from_pylist(rows, schema=_PEOPLE)


def _from_table(table: pa.Table, shape: tuple[int, ...]) -> Detections:
    if not table.num_rows:
        return Detections.empty()
    rows = table.to_pylist()
    height, width = shape
    packed = np.stack([np.frombuffer(row["mask"], np.uint8) for row in rows])
    masks = np.unpackbits(packed, axis=1, count=height * width).reshape(-1, height, width).astype(np.bool_)
    marks = None
    if all(row["landmarks"] is not None for row in rows):
        marks = np.array([row["landmarks"] for row in rows], np.float32).reshape(len(rows), -1, 2)
    return Detections(
        np.array([row["box"] for row in rows], np.float32),
        np.array([row["score"] for row in rows], np.float32),
        marks,
        (PERSON,) * len(rows),
        masks,
    )
