"""Synthetic people: drawn faces of nobody, in a folder like a dataset's, and awkward pictures beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unveil.core.fingerprint import bytes_hash, rng
from unveil.core.scenes import KEYPOINTS, PERSON
from unveil.core.types import Detections, Face, Failure, Image, Reason, Sample
from unveil.images import encode_png

PEOPLE = 24
PHOTOS = 2
SIZE = (56, 48)
"""Height and width of a portrait."""

AWKWARD = {"one_pixel": (1, 1), "tall": (37, 2), "wide": (3, 50), "odd": (29, 31)}
"""Pictures without a face: name -> height and width."""

NOT_SEGMENTED = "awkward/odd.png"
"""The picture in which the segmenter fails."""

_BOX = np.array([0.2, 0.15, 0.8, 0.9])
_MARKS = np.array([[0.38, 0.42], [0.62, 0.42], [0.5, 0.56], [0.4, 0.7], [0.6, 0.7]])
_BODY = {
    "nose": (0.5, 0.56), "left eye": (0.62, 0.42), "right eye": (0.38, 0.42), "left ear": (0.78, 0.5),
    "right ear": (0.22, 0.5), "left shoulder": (0.85, 0.98), "right shoulder": (0.15, 0.98),
}  # fmt: skip


def portrait(person: int, photo: int) -> Image:
    """A drawn face: oval, eyes, mouth; the person sets colours and proportions, the photo the light."""
    height, width = SIZE
    stream = rng("portrait", person)
    skin, ground = stream.integers(90, 230, 3), stream.integers(20, 240, 3)
    rows, columns = np.mgrid[:height, :width] + 0.5
    y, x = rows / height, columns / width
    canvas = np.broadcast_to(ground, (height, width, 3)).astype(np.float64) + 20 * y[..., None]
    canvas[((x - 0.5) / 0.28) ** 2 + ((y - 0.52) / (0.34 + 0.04 * stream.random())) ** 2 < 1] = skin
    apart = 0.12 + 0.03 * stream.random()
    for centre in (0.5 - apart, 0.5 + apart):
        canvas[((x - centre) / 0.05) ** 2 + ((y - 0.42) / 0.03) ** 2 < 1] = 25
    canvas[(abs(x - 0.5) < 0.1) & (abs(y - 0.7) < 0.02)] = (150, 40, 50)
    light = rng("light", person, photo)
    canvas = canvas * (0.9 + 0.2 * light.random()) + light.normal(0, 3, canvas.shape)
    return np.clip(canvas, 0, 255).astype(np.uint8)


def face_of(image: Image) -> Face:
    """Where the face of a portrait is, with five landmarks."""
    height, width = image.shape[:2]
    size = np.array([width, height], np.float32)
    return Face((_BOX * np.tile(size, 2)).astype(np.float32), 1.0, (_MARKS * size).astype(np.float32))


@dataclass(frozen=True, slots=True)
class Synthetic:
    """A small dataset on disk, and its pictures.

    Attributes:
        root: folder.
        samples: portraits first, then the awkward pictures.
        images: in the same order.
    """

    root: Path
    samples: Sequence[Sample]
    images: Sequence[Image]

    @classmethod
    def write(cls, root: Path) -> Synthetic:
        """Draw everybody below ``root``: ``<gender>/<person>/<photo>.png``."""
        drawn = [
            (f"{gender}/person_{person:02}/{photo}.png", f"person_{person:02}", gender, portrait(person, photo))
            for person in range(PEOPLE)
            for gender in [("Female", "Male")[person % 2]]
            for photo in range(PHOTOS)
        ]
        drawn += [
            (f"awkward/{name}.png", "", "", rng("awkward", name).integers(0, 256, (*size, 3), np.uint8))
            for name, size in AWKWARD.items()
        ]
        samples = []
        for path, identity, gender, image in drawn:
            data = encode_png(image)
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            height, width = image.shape[:2]
            known = {"gender": gender} if gender else {}
            samples.append(Sample(path, "synthetic", bytes_hash(data), identity, "", known, width, height))
        return cls(root, samples, [image for *_, image in drawn])

    def read(self, sample_id: str) -> Image | Failure:
        """One picture (:class:`unveil.core.protocols.Gallery`)."""
        position = [sample.id for sample in self.samples].index(sample_id)
        return self.images[position].copy()

    def embeddings(self) -> tuple[list[str], NDArray[np.float32]]:
        """Ids of the portraits, and embeddings (n, 16) in which photos of a person lie close together."""
        people = [sample for sample in self.samples if sample.identity]
        vectors = [
            rng("person", sample.identity).normal(size=16) + 0.1 * rng("photo", sample.id).normal(size=16)
            for sample in people
        ]
        return [sample.id for sample in people], np.asarray(vectors, np.float32)


@dataclass(frozen=True, slots=True)
class Context:
    """What a method may ask for (:class:`unveil.core.protocols.ProtectionContext`)."""

    samples: Sequence[Sample]
    root: Path
    seed: int

    def rng(self, sample: Sample) -> np.random.Generator:
        """Random stream of one picture."""
        return rng(self.seed, sample.id)

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """The drawn face in every picture of a portrait's size, nothing in the others."""
        return [_detected(image) for image in images]

    def people(self, images: Sequence[Image]) -> list[Detections | Failure]:
        """The drawn head in every portrait, with the keypoints that it shows.

        In the awkward pictures a person of one pixel without keypoints, one with an empty mask, nobody, a Failure.
        """
        return [_segmented(image) for image in images]


def _detected(image: Image) -> Detections:
    if image.shape[:2] != SIZE:
        return Detections.empty()
    face = face_of(image)
    assert face.landmarks is not None
    return Detections(face.box[None], np.ones(1, np.float32), face.landmarks[None])


def _segmented(image: Image) -> Detections | Failure:
    height, width = image.shape[:2]
    if image.shape[:2] == AWKWARD["odd"]:
        return Failure(Reason.NO_PERSON, f"nobody found in {width}x{height} pixels, though somebody may be there")
    if image.shape[:2] == AWKWARD["tall"]:
        return Detections.empty()
    rows, columns = np.mgrid[:height, :width] + 0.5
    mask = ((columns / width - 0.5) / 0.28) ** 2 + ((rows / height - 0.52) / 0.38) ** 2 < 1
    points = np.full((len(KEYPOINTS), 2), np.nan, np.float32)
    if image.shape[:2] == SIZE:
        for name, place in _BODY.items():
            points[KEYPOINTS.index(name)] = np.multiply(place, (width, height))
    if image.shape[:2] == AWKWARD["wide"]:
        mask[:] = False
    box = (_BOX * [width, height, width, height]).astype(np.float32)
    return Detections(box[None], np.ones(1, np.float32), points[None], (PERSON,), mask[None])
