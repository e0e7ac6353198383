"""Values that travel between components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]
"""A picture: ``uint8`` array of shape (height, width, 3), RGB. Everywhere, without exception."""

Embedding: TypeAlias = NDArray[np.float32]
"""One face as a recognizer sees it: ``float32`` vector of shape (dimension,)."""


Value: TypeAlias = str | float | tuple[float, ...]
"""Of an attribute of a face: a word; a number; or (yaw, pitch, roll) in degrees."""


class Reason(StrEnum):
    """Why a component has no result for one picture."""

    UNDECODABLE = "undecodable"  # the file is not a picture this machine can read
    TOO_LARGE = "too_large"  # more pixels than the safety limit
    NO_FACE = "no_face"
    NO_PERSON = "no_person"
    NO_KEYPOINTS = "no_keypoints"
    BAD_ANNOTATION = "bad_annotation"  # of this picture: a mask of another size, a box outside
    TOO_SMALL = "too_small"
    TOO_FEW = "too_few"  # the group or gallery is too small for the method
    MISSING = "missing"  # an external tool left no output for this picture
    REFUSED = "refused"  # an external tool or service declined
    TIMEOUT = "timeout"
    BAD_OUTPUT = "bad_output"  # the component returned something that is not a picture
    EXCEPTION = "exception"  # a bug or a device fault: counted, and shown separately


@dataclass(frozen=True, slots=True)
class Failure:
    """The result of a component that has none for this picture. A value, never raised.

    Attributes:
        reason: the kind of failure.
        detail: one line for a person: rule and offending value.
    """

    reason: Reason
    detail: str = ""


class Outcome(StrEnum):
    """How one attempt of an attacker ended. Every unit of an attack has exactly one.

    Source: definitions of the accounting in ``docs/definitions.md``.
    """

    RECOGNISED = "recognised"
    NOT_RECOGNISED = "not_recognised"
    NOT_ACQUIRED = "not_acquired"  # no face found in the protected picture
    NOT_PROTECTED = "not_protected"  # the method gave no picture: the person stands there unprotected
    ERROR = "error"  # says nothing about the method: the reference has no face, or a component broke


@dataclass(frozen=True, slots=True)
class Sample:
    """One picture of a dataset and what is known about it.

    Attributes:
        id: unique inside the dataset: the path relative to the dataset's root, with ``/``.
        dataset: name of the dataset in the run.
        content_hash: SHA-256 (hex) of the file's bytes.
        identity: who is shown, or ``""`` when unknown.
        split: ``train``, ``validation``, ``test`` or ``""``.
        attributes: demographics and other facts, such as ``{"gender": "Female", "race": "Black"}``.
        labels: privacy attributes that the picture shows, of those the dataset knows.
        annotation: hash of the boxes, masks and keypoints that belong to the picture, or ``""``.
        width, height: of the upright picture, in pixels.
    """

    id: str
    dataset: str
    content_hash: str
    identity: str = ""
    split: str = ""
    attributes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    labels: frozenset[str] = frozenset()
    annotation: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Face:
    """One detected face: where it is and how sure the detector was.

    Attributes:
        box: ``float32`` (4,): left, top, right, bottom in pixels.
        score: the detector's own confidence.
        landmarks: ``float32`` (k, 2), or None when the detector gives none. Five-point landmarks are
            ordered left eye, right eye, nose, left and right mouth corner, as seen in the picture.
    """

    box: NDArray[np.float32]
    score: float = 1.0
    landmarks: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Protected:
    """A protected picture of which some regions could not be protected.

    Attributes:
        image: the picture.
        unprotected: one line per region that shows what it showed before: where it is, and why.
    """

    image: Image
    unprotected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Detections:
    """What is known or was found in one picture; empty when it is nothing (that is not a failure).

    Attributes:
        boxes: ``float32`` (n, 4): left, top, right, bottom in pixels; may reach over the border.
        scores: ``float32`` (n,): the detector's own confidence, higher is surer.
        landmarks: ``float32`` (n, k, 2) x and y in pixels, or None when there are none. Of a face as in
            :class:`Face`; of a body the points :data:`unveil.core.scenes.KEYPOINTS`, NaN where not known.
        labels: what each is, or None where all are of one kind (faces).
        masks: ``bool`` (n, height, width) of the picture, or None when there are none.
    """

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    landmarks: NDArray[np.float32] | None = None
    labels: tuple[str, ...] | None = None
    masks: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.scores)

    def face(self, index: int) -> Face:
        """The detection with this index as one face."""
        marks = None if self.landmarks is None else self.landmarks[index]
        return Face(self.boxes[index], float(self.scores[index]), marks)

    def take(self, indices: Sequence[int] | NDArray[np.intp]) -> Detections:
        """Some of the detections, in the order of ``indices``."""
        chosen = np.asarray(indices, np.intp)
        return Detections(
            self.boxes[chosen],
            self.scores[chosen],
            None if self.landmarks is None else self.landmarks[chosen],
            None if self.labels is None else tuple(self.labels[i] for i in chosen),
            None if self.masks is None else self.masks[chosen],
        )

    def only(self, *labels: str) -> Detections:
        """Those with one of these labels; all when there are no labels."""
        if self.labels is None:
            return self
        return self.take([i for i, label in enumerate(self.labels) if label in labels])

    @classmethod
    def empty(cls) -> Detections:
        """Nothing found."""
        return cls(np.zeros((0, 4), np.float32), np.zeros(0, np.float32))

    def largest(self) -> int:
        """Index of the detection with the largest area; the first of equals.

        Raises:
            ValueError: when there is none.
        """
        if not len(self):
            raise ValueError("no detection to choose from")
        width, height = (self.boxes[:, 2:] - self.boxes[:, :2]).T
        return int(np.argmax(width * height))


@dataclass(frozen=True, slots=True)
class Pair:
    """A comparison that a dataset prescribes (LFW's pairs.txt, RFW's pair lists).

    Attributes:
        left, right: sample ids.
        mated: whether both show the same person.
        fold: number of the cross-validation fold, counted from 0.
    """

    left: str
    right: str
    mated: bool
    fold: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """One column of numbers to be had: what is attacked or measured, how, and with which components.

    Attributes:
        id: hash of everything that determines the answer (:func:`unveil.core.fingerprint.cell_id`).
        dataset, method, evaluation: names in the run.
        component: names of the model components, ``detector/recognizer``.
        threat_model: readable name, or ``""`` when the evaluation has no attacker.
    """

    id: str
    dataset: str
    method: str
    evaluation: str
    component: str
    threat_model: str

    def keys(self) -> dict[str, str]:
        """The columns by which every table names this cell (:data:`unveil.core.schema.CELL_KEYS`)."""
        return {
            "cell_id": self.id,
            "dataset": self.dataset,
            "method": self.method,
            "evaluation": self.evaluation,
            "component": self.component,
            "threat_model": self.threat_model,
        }
