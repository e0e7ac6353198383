"""What each role of a model must offer: what an attacker or a consumer of the pictures uses.

A component whose libraries or weights may be missing also has ``require() -> None``, which raises Unavailable
with the command that brings them. It is called before any work starts and must be cheap: it loads nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.types import Detections, Embedding, Face, Failure, Image, Sample

Role = Literal[
    "detector", "recognizer", "estimator", "classifier", "object_detector", "segmenter", "image_encoder"
]


@dataclass(frozen=True, slots=True)
class ModelMeta:
    """What a model is.

    Attributes:
        name: the registered name.
        version: raised by the author when the output changes.
        role: what it is used for.
        source: provenance and licence of the weights.
        weights: file name -> SHA-256 of each weights file, part of the model's identity.
    """

    name: str
    version: int
    role: Role
    source: Source
    weights: Mapping[str, str] = field(default_factory=dict)


class Detector(Protocol):
    """Finds faces."""

    meta: ModelMeta

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """What is in each picture. Pictures may differ in size. Batches inside where it is faster."""


class Recognizer(Protocol):
    """Says how alike two faces are. The weakest recognizer, such as a web service, offers only this."""

    meta: ModelMeta

    def compare(
        self, left: Sequence[tuple[Image, Face]], right: Sequence[tuple[Image, Face]]
    ) -> list[float | Failure]:
        """Similarity of each pair: higher is more alike."""


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

    def chips(self, images: Sequence[Image], faces: Sequence[Face]) -> NDArray[np.uint8]:
        """Aligned crops (n, height, width, 3) as the network wants them."""

    def preprocess(self, chips: Any) -> Any:
        """Float tensor (n, 3, height, width) in 0..255 -> the network's input; differentiable."""

    def module(self) -> Any:
        """The ``torch.nn.Module``: preprocessed chips -> embeddings (n, dimension)."""


class AttributeEstimator(Protocol):
    """Describes a face by named values. ``kinds``: name -> ``categorical``, ``numeric`` or ``angles``."""

    meta: ModelMeta
    kinds: Mapping[str, Literal["categorical", "numeric", "angles"]]

    def estimate(
        self, images: Sequence[Image], faces: Sequence[Face]
    ) -> list[Mapping[str, str | float | tuple[float, ...]] | Failure]:
        """One mapping per picture."""


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
