"""What each role of a model must offer: what an attacker or a consumer of the pictures uses.

A component whose libraries or weights may be missing also has ``require() -> None``, which raises Unavailable
with the command that brings them. It is called before any work starts and must be cheap: it loads nothing.

All parameters are part of a component's identity, but those whose names are in its attribute ``not_identity``:
they change no answer, such as the place of a file whose content ``content_fingerprint() -> str`` adds to the
identity in its stead. ``weights_found() -> Mapping[str, str]`` tells the manifest the SHA-256 of files by their
names, beside those of ``meta.weights``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.types import Detections, Embedding, Face, Failure, Image, Sample, Value

Role = Literal[
    "detector",
    "recognizer",
    "estimator",
    "landmarker",
    "classifier",
    "object_detector",
    "segmenter",
    "image_encoder",
    "perceptual_metric",
]

Kind = Literal["categorical", "numeric", "angles", "confidence"]
"""Of an attribute: a word, a number from 0, angles in degrees, or how sure the estimator is of another one."""


@dataclass(frozen=True, slots=True)
class ModelMeta:
    """What a model is.

    Attributes:
        name: the registered name.
        version: raised by the author when the output changes.
        role: what it is used for.
        source: provenance and licence of the weights.
        weights: file name -> SHA-256 of each weights file, part of the model's identity.
        remote: pictures leave this machine; such a model is only used where a person names it.
    """

    name: str
    version: int
    role: Role
    source: Source
    weights: Mapping[str, str] = field(default_factory=dict)
    remote: bool = False


class Detector(Protocol):
    """Finds faces."""

    meta: ModelMeta

    def detect(self, images: Sequence[Image]) -> Sequence[Detections | Failure]:
        """What is in each picture. Pictures may differ in size. Batches inside where it is faster.

        A Failure is for a service that did not answer; nothing found is no Failure.
        """


class Recognizer(Protocol):
    """Says how alike two faces are. The weakest recognizer, such as a web service, offers only this.

    Attributes:
        distance, customary_threshold: as of an :class:`EmbeddingRecognizer`; the similarity is
            ``1 - distance`` where that is ``cosine``, so that a confidence of 70 % is a distance of 0.3.
    """

    meta: ModelMeta
    distance: Literal["cosine", "euclidean"]
    customary_threshold: float

    def compare(
        self, left: Sequence[tuple[Image, Face]], right: Sequence[tuple[Image, Face]]
    ) -> list[float | Failure]:
        """Similarity of each pair: higher is more alike.

        A Failure ``no_face`` means that the left face cannot be made out; trouble with the right one is another.
        """


class EmbeddingRecognizer(Protocol):
    """A recognizer that describes one face by a vector.

    Attributes:
        distance: how vectors are compared; similarity is ``1 - cosine distance`` or minus the Euclidean
            distance.
        dimension: length of an embedding.
        customary_threshold: the distance at or below which the model's authors say *same person*.
    """

    meta: ModelMeta
    distance: Literal["cosine", "euclidean"]
    dimension: int
    customary_threshold: float

    def embed(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Embedding | Failure]:
        """Embedding of one face per picture; aligns and crops by itself."""


@runtime_checkable
class DifferentiableRecognizer(Protocol):
    """An embedding recognizer whose gradients can be had: for cloaking, saliency and restoration."""

    def chips(
        self, images: Sequence[Image], faces: Sequence[Face], *, aligned_by: Sequence[Image] | None = None
    ) -> NDArray[np.uint8]:
        """Aligned crops (n, height, width, 3) as the network wants them.

        Args:
            images: what is cropped.
            faces: one per picture.
            aligned_by: pictures of the same sizes in which the alignment is found, where it needs pixels:
                a crop of a protected picture then shows the same place as that of its original.
        """

    def preprocess(self, chips: Any) -> Any:
        """Float tensor (n, 3, height, width) in 0..255 -> the network's input; differentiable."""

    def module(self) -> Any:
        """The ``torch.nn.Module``: preprocessed chips -> embeddings (n, dimension)."""


class AttributeEstimator(Protocol):
    """Describes a face by named values. ``kinds``: name of each attribute -> its kind."""

    meta: ModelMeta
    kinds: Mapping[str, Kind]

    def estimate(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Mapping[str, Value] | Failure]:
        """One mapping per picture; it may lack attributes that could not be told."""


class FaceLandmarker(Protocol):
    """Finds many points of a face: contours of eyes, brows, lips and jaw.

    Attributes:
        points: number of points.
    """

    meta: ModelMeta
    points: int

    def landmarks(self, images: Sequence[Image], faces: Sequence[Face]) -> list[NDArray[np.float32] | Failure]:
        """Points (points, 2) of one face per picture, x and y in pixels; ``no_face`` where none is made out.

        Args:
            images: the pictures.
            faces: where the face is; its surroundings are looked at, too.
        """


class PerceptualMetric(Protocol):
    """Says how different two pictures of the same size look."""

    meta: ModelMeta

    def differences(self, left: Sequence[Image], right: Sequence[Image]) -> NDArray[np.float32]:
        """Of each pair (n,): 0 for equal pictures, more is less alike."""


class Classifier(Protocol):
    """Says which privacy attributes a picture shows: the attacker who describes people.

    Attributes:
        labels: names of the attributes, in the order of the scores.
    """

    meta: ModelMeta
    labels: tuple[str, ...]

    def classify(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Scores (n, labels) in [0, 1], higher is surer; each attribute for itself."""


class ObjectDetector(Protocol):
    """Finds people and objects.

    Attributes:
        threshold: score at or above which the detector says that the object is there. It also returns what
            it is less sure of, for curves.
    """

    meta: ModelMeta
    threshold: float

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """What is in each picture, with labels as in :data:`unveil.core.scenes.CLASSES`, surest first."""


class PersonSegmenter(Protocol):
    """Finds the pixels of people, for methods that protect them.

    Attributes:
        starts_from: what it is given of each picture: the dataset's ``annotations``, the ``objects`` that the
            run's reference detector found, or ``nothing``.
    """

    meta: ModelMeta
    starts_from: Literal["annotations", "objects", "nothing"]

    def segment(self, images: Sequence[Image], known: Sequence[Detections]) -> list[Detections | Failure]:
        """People of each picture with masks; keypoints are kept where they are known.

        Args:
            images: the pictures.
            known: people in each as far as ``starts_from`` tells, empty when it is ``nothing``.
        """


class ImageEncoder(Protocol):
    """Describes a whole picture by a vector, for distances between sets of pictures.

    Attributes:
        dimension: length of a vector.
    """

    meta: ModelMeta
    dimension: int

    def encode(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Vectors (n, dimension), not normalised."""


class TrainingSet(Protocol):
    """Pictures of one version of a dataset, with what is known of them, to learn from.

    Attributes:
        labels: privacy attributes, in the order of the tables; which are positive stands in each sample.
        train, validation: samples of the two splits.
    """

    labels: tuple[str, ...]
    train: Sequence[Sample]
    validation: Sequence[Sample]

    def read(self, sample_id: str) -> Image | Failure:
        """One picture, decoded anew at each call."""

    def objects(self, sample_id: str) -> Detections | Failure:
        """What truly is in the original picture."""


@runtime_checkable
class Trainable(Protocol):
    """A model that learns from the pictures of the run; the component itself never changes.

    One that can go on from weights learnt on originals also has ``refine_epochs`` and
    ``refine(data, seed, tell, start: bytes) -> bytes``: an adaptive attacker starts from what it knows.

    Attributes:
        epochs: the most epochs that training takes.
    """

    epochs: int

    def train(self, data: TrainingSet, seed: int, tell: Callable[[int], None]) -> bytes:
        """Weights as a safetensors file; the same for the same data and seed on one machine.

        Args:
            data: to learn from. Pictures that are Failures are left out.
            seed: decides everything random.
            tell: is called with the number of epochs done since the last call.

        Raises:
            DataError: when there is nothing to learn from; says which split or label is empty.
        """

    def load(self, weights: bytes) -> Any:
        """A model of the same role, ready for use."""
