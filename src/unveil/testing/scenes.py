"""Synthetic scenes for evaluations of whole pictures: drawn people and objects, a method, and models that work.

The models are simple but real: they look at the pixels they are given and at nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.core.fingerprint import rng
from unveil.core.protocols import Source, Version
from unveil.core.roles import ModelMeta
from unveil.core.scenes import CLASSES, PERSON
from unveil.core.types import Detections, Face, Failure, Image, Protected, Reason

if TYPE_CHECKING:
    import pandas as pd

Fate = Literal["ok", "not_protected", "undecodable"]
"""What can have become of one scene: protected, left out by the method, or no picture at all."""

FATES: tuple[Fate, ...] = ("ok", "not_protected", "undecodable")

SIZE = (64, 96)
"""Height and width of a scene."""

LABELS = ("age", "face", "race", "height")
"""Privacy attributes of the scenes: always there, where people are, never there, where a tall person is."""

_COLOURS: Mapping[str, tuple[int, int, int]] = {
    name: (250 - 20 * number, 40 * (number % 6), 25 * number) for number, name in enumerate(CLASSES)
}
_GROUND = 128
_TALL = 30
_GROUPS = ("Female", "Male", "Other")
_SOURCE = Source("drawn for tests")


def scene(index: int) -> tuple[Image, Detections]:
    """A scene by number: nobody in every fifth, else up to three people; and up to two objects.

    Returns:
        The picture, and what is in it with masks: one block each, side by side.
    """
    stream = rng("scene", index)
    people = 0 if index % 5 == 4 else 1 + index % 3
    names = [PERSON] * people + [str(name) for name in stream.choice(CLASSES[1:], index % 3, replace=False)]
    image = np.full((*SIZE, 3), _GROUND, np.uint8)
    masks, boxes = np.zeros((len(names), *SIZE), np.bool_), np.zeros((len(names), 4), np.float32)
    for number, (name, left) in enumerate(zip(names, stream.permutation(5) * 18 + 4, strict=False)):
        width, height = stream.integers(8, 15), stream.integers(16, 45)
        top = stream.integers(2, SIZE[0] - height - 2)
        masks[number, top : top + height, left : left + width] = True
        boxes[number] = left, top, left + width, top + height
        image[masks[number]] = _COLOURS[name]
        image[top + 2 : top + 5, left + 2 : left + width - 2] //= 2  # without a pattern all crops are alike
    return image, Detections(boxes, np.ones(len(names), np.float32), None, tuple(names), masks)


def scene_samples(count: int) -> pd.DataFrame:
    """Samples of the first scenes: every second one belongs to the split ``test``."""
    import pandas as pd

    ids = [f"{index}.png" for index in range(count)]
    groups = [_GROUPS[index % 3] for index in range(count)]
    columns = {
        "identity": [f"person_{index % 4}" for index in range(count)],
        "split": [("train", "test")[index % 2] for index in range(count)],
        "labels": [_labels(scene(index)[1]) for index in range(count)],
        "content_hash": ids,
        "width": SIZE[1],
        "height": SIZE[0],
        "gender": groups,
        "demographic_group": groups,
    }
    return pd.DataFrame(columns, index=pd.Index(ids, name="sample_id"))


def _labels(truth: Detections) -> tuple[str, ...]:
    people = truth.only(PERSON)
    tall = people.boxes[:, 3] - people.boxes[:, 1] > _TALL
    return "age", *(["face"] if len(people) else []), *(["height"] if tall.any() else [])


def veil(image: Image, people: Detections) -> Image:
    """The synthetic method: everybody's lower half takes the colour of the ground."""
    veiled = image.copy()
    for mask in people.masks if people.masks is not None else ():
        rows = np.flatnonzero(mask.any(axis=1))
        if len(rows):
            veiled[mask & (np.arange(len(mask)) > np.median(rows))[:, None]] = _GROUND
    return veiled


class Colours:
    """Finds every block of a colour; the larger and the better it fills its box, the surer."""

    meta = ModelMeta("colours", 1, "object_detector", _SOURCE)
    threshold = 0.5

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Blocks with their class, surest first."""
        return [_blocks(image) for image in images]


def _blocks(image: Image) -> Detections:
    from scipy import ndimage

    found = []
    for name, colour in _COLOURS.items():
        like = (np.abs(image.astype(np.int16) - colour) <= 8).all(axis=2)
        for rows, columns in ndimage.find_objects(ndimage.label(like)[0]):
            area = (rows.stop - rows.start) * (columns.stop - columns.start)
            score = min(1.0, area / 300) * float(like[rows, columns].mean())
            found.append((score, name, (columns.start, rows.start, columns.stop, rows.stop)))
    found.sort(key=lambda block: -block[0])
    boxes = np.array([box for *_, box in found], np.float32).reshape(-1, 4)
    scores = np.array([score for score, *_ in found], np.float32)
    return Detections(boxes, scores, None, tuple(name for _, name, _ in found))


class Guesses:
    """Tells attributes from the share of the picture that looks like people; knows one that the scenes lack."""

    meta = ModelMeta("guesses", 1, "classifier", _SOURCE)
    labels = ("height", "uniforms", "face", "age", "race")

    def classify(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Scores (n, 5), each attribute at its own pace."""
        person = np.array(_COLOURS[PERSON])
        shares = np.array([(np.abs(image.astype(np.int16) - person) <= 8).all(axis=2).mean() for image in images])
        pace = np.arange(1, 1 + len(self.labels))
        return (1 - np.exp(-pace * shares[:, None])).astype(np.float32)


class MeanColours:
    """Describes a picture by the mean colours of its quarters."""

    meta = ModelMeta("mean_colours", 1, "image_encoder", _SOURCE)
    dimension = 12

    def encode(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Vectors (n, 12)."""
        return np.array([_quarters(image) for image in images], np.float32).reshape(-1, self.dimension)


def _quarters(image: Image) -> NDArray[np.float64]:
    halves = np.array_split(image, 2)
    return np.concatenate([part.mean(axis=(0, 1)) for half in halves for part in np.array_split(half, 2, axis=1)])


class Frame:
    """A landmarker: points along the diagonal of the box around everything that has the colour of people."""

    meta = ModelMeta("frame", 1, "landmarker", _SOURCE)
    points = 478

    def landmarks(self, images: Sequence[Image], faces: Sequence[Face]) -> list[NDArray[np.float32] | Failure]:
        """Points (478, 2), ``no_face`` where nothing has that colour."""
        return [_diagonal(image, self.points) for image in images]


def _diagonal(image: Image, points: int) -> NDArray[np.float32] | Failure:
    like = (np.abs(image.astype(np.int16) - _COLOURS[PERSON]) <= 8).all(axis=2)
    rows, columns = np.nonzero(like)
    if not len(rows):
        return Failure(Reason.NO_FACE, "nothing has the colour of people")
    ends = np.array([[columns.min(), rows.min()], [columns.max(), rows.max()]], np.float32)
    return np.linspace(ends[0], ends[1], points, dtype=np.float32)


class MeanDifference:
    """A perceptual metric: the mean absolute difference of the colours, in shares of 255."""

    meta = ModelMeta("mean_difference", 1, "perceptual_metric", _SOURCE)

    def differences(self, left: Sequence[Image], right: Sequence[Image]) -> NDArray[np.float32]:
        """Of each pair (n,), in [0, 1]."""
        pairs = zip(left, right, strict=True)
        return np.array([np.abs(one.astype(np.int16) - two).mean() / 255 for one, two in pairs], np.float32)


MODELS: Mapping[str, Any] = {
    "classifier": Guesses(),
    "object_detector": Colours(),
    "image_encoder": MeanColours(),
    "landmarker": Frame(),
    "perceptual_metric": MeanDifference(),
}
"""Role -> model."""


class Scenes:
    """What an evaluation of whole pictures may ask for (:class:`unveil.core.protocols.SceneContext`).

    Args:
        samples: from :func:`scene_samples`.
        fates: what has become of each scene (n,).
        method: ``original`` changes nothing.
    """

    labels = LABELS
    finds_people = True

    def __init__(self, samples: pd.DataFrame, fates: Sequence[Fate] | NDArray[Any], method: str = "veil") -> None:
        self.samples = samples
        self.method = method
        self.fates: Mapping[str, Fate] = dict(zip(samples.index, fates, strict=True))

    def rng(self, *key: str) -> np.random.Generator:
        """Random stream of a key."""
        return rng("scenes", *key)

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        """Pictures one by one."""
        return (self._image(version, sample_id) for sample_id in sample_ids)

    def _image(self, version: Version, sample_id: str) -> Image | Failure:
        if self.fates[sample_id] == "undecodable":
            return Failure(Reason.UNDECODABLE, f"{sample_id}: drawn to be unreadable")
        image, truth = _drawn(sample_id)
        if version == "original" or self.method == "original":
            return image
        if self.fates[sample_id] == "not_protected":
            return Failure(Reason.MISSING, f"{sample_id}: the method gave no picture")
        return veil(image, truth.only(PERSON))

    def objects(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
        """What was drawn."""
        return [self._known(sample_id) for sample_id in sample_ids]

    def people(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
        """The people among it."""
        known = self.objects(sample_ids)
        return [found if isinstance(found, Failure) else found.only(PERSON) for found in known]

    def _known(self, sample_id: str) -> Detections | Failure:
        if self.fates[sample_id] == "undecodable":
            return Failure(Reason.BAD_ANNOTATION, f"{sample_id}: nobody can have annotated it")
        return _drawn(sample_id)[1]

    def model(self, role: str, trained_on: Version = "original") -> Any:
        """The model of a role, whatever it was trained on: none of them learns."""
        return MODELS[role]

    def protect(
        self, images: Sequence[Image], people: Sequence[Detections]
    ) -> Sequence[Image | Protected | Failure]:
        """The synthetic method on these pictures."""
        return [veil(image, found) for image, found in zip(images, people, strict=True)]


@cache
def _drawn(sample_id: str) -> tuple[Image, Detections]:
    image, truth = scene(int(sample_id.removesuffix(".png")))
    image.setflags(write=False)
    return image, truth
