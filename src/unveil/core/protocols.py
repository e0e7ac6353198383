"""What each kind of component must offer.

Every component takes its parameters as keyword arguments of ``__init__`` and nothing else: the parameters
*are* its identity. None of these classes is inherited from; a class that has the attributes fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Detections, Embedding, Face, Failure, Image, Pair, Sample

if TYPE_CHECKING:  # tables are pandas frames in memory; core itself does not import pandas
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa

Scope = Literal["image", "identity", "dataset", "clip"]
Dimension = Literal["privacy", "utility", "practicality", "quality"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a component comes from.

    Attributes:
        citation: paper, equation or table; authors, title, venue, year.
        licence: SPDX identifier or a short statement, of the component's data or weights.
        url: a page that a person can open, or ``""``.
    """

    citation: str
    licence: str = ""
    url: str = ""


# --- datasets ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DatasetMeta:
    """What a dataset is.

    Attributes:
        name: as the field writes it.
        version: raised when the reading rules change.
        source: provenance and terms.
        groupings: attributes by which people are divided, such as ``("gender", "race")``.
        has: capabilities: ``identity``, ``demographics``, ``pairs``.
    """

    name: str
    version: int
    source: Source
    groupings: tuple[str, ...] = ()
    has: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a dataset, before it is opened.

    Attributes:
        path: relative to the dataset's root, with ``/``; becomes the sample id.
        identity, split, attributes: as in :class:`unveil.core.types.Sample`.
    """

    path: str
    identity: str = ""
    split: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


class Dataset(Protocol):
    """A collection of pictures in a folder."""

    meta: DatasetMeta

    @property
    def root(self) -> Path:
        """Folder that holds every file; entries never leave it."""

    def entries(self) -> Iterator[Entry]:
        """Every picture in a stable order, without opening one.

        Raises:
            DataError: when the folder does not have the layout of this dataset.
        """

    def pairs(self) -> list[Pair]:
        """Comparisons that the dataset prescribes; empty when it prescribes none."""


# --- protection methods -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A formal privacy guarantee: what is promised, and where it is proved."""

    statement: str
    source: str


@dataclass(frozen=True, slots=True)
class MethodMeta:
    """What a protection method is.

    Attributes:
        name: the registered name.
        version: raised by the author when the output changes.
        scope: what must be seen to protect one picture: the ``image`` alone, all pictures of the
            ``identity``, the whole ``dataset``, or a ``clip``. Decides the cache key.
        deterministic: the same input gives the same bytes.
        needs: roles the context must provide: ``detector`` and ``recognizer``.
        source: the paper.
    """

    name: str
    version: int
    scope: Scope
    deterministic: bool
    source: Source
    needs: tuple[str, ...] = ()


class ProtectionContext(Protocol):
    """What a method may ask for while it protects a batch."""

    samples: Sequence[Sample]
    """The samples of the batch, in the order of the pictures."""

    root: Path
    """The dataset's folder, for methods that hand files to another program."""

    def rng(self, sample: Sample) -> np.random.Generator:
        """Random stream of this picture: the same in any order, batch and process."""

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces found by the detector that the run gives to protection methods (role ``detector``)."""


class Gallery(Protocol):
    """The pictures that a method with scope ``identity`` or ``dataset`` may look at."""

    samples: Sequence[Sample]

    def read(self, sample_id: str) -> Image | Failure:
        """One picture, decoded anew at each call."""

    def embeddings(self) -> tuple[list[str], NDArray[np.float32]]:
        """Ids of the samples in which a face was found, and their embeddings (n, dimension)."""


class ProtectionMethod(Protocol):
    """Turns original pictures into protected ones.

    A method with scope ``identity`` or ``dataset`` also has ``fit(gallery: Gallery) -> None``, called once
    before ``protect``; it may keep what it learns in attributes that end in an underscore.
    """

    meta: MethodMeta

    @property
    def guarantee(self) -> Guarantee | None:
        """The formal guarantee with these parameters, or None."""

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Protected pictures in the order of ``images``; a Failure where there is none.

        The arrays of ``images`` are shared and may be read-only: work on copies.
        """


# --- models: what an attacker or a consumer of the data uses ----------------------------------------
#
# A component whose libraries or weights may be missing also has ``require() -> None``, which raises Unavailable
# with the command that brings them. It is called before any work starts and must be cheap: it loads nothing.


@dataclass(frozen=True, slots=True)
class ModelMeta:
    """What a model is.

    Attributes:
        name: the registered name.
        version: raised by the author when the output changes.
        role: ``detector``, ``recognizer`` or ``estimator``.
        source: provenance and licence of the weights.
        weights: file name -> SHA-256 of each weights file, part of the model's identity.
    """

    name: str
    version: int
    role: Literal["detector", "recognizer", "estimator"]
    source: Source
    weights: Mapping[str, str] = field(default_factory=dict)


class Detector(Protocol):
    """Finds faces (or people, or objects)."""

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


class Trainable(Protocol):
    """A component that learns from data: a trained method, classifier or restoration attack."""

    def train(
        self, samples: Sequence[Sample], read: Callable[[str], Image | Failure], labels: Any, seed: int
    ) -> bytes:
        """Weights as a safetensors file."""

    def load(self, weights: bytes) -> None:
        """Take trained weights."""


# --- evaluations ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EvaluationMeta:
    """What an evaluation is.

    Attributes:
        name, version: identity.
        dimension: ``privacy``, ``utility``, ``practicality`` or ``quality``.
        unit: what one row stands for: ``image``, ``pair`` or ``probe``.
        roles: model roles of a cell, in order: ``("detector",)`` or ``("detector", "recognizer")``.
        threat_models: readable names; ``("",)`` when there is no attacker.
        has: capabilities the dataset must have.
        columns: name -> Arrow type of the columns it adds to the observations table.
        metrics: registered names of the metrics computed from its rows, for every method.
        source: paper, section, table.
        baseline_metrics: further metrics, of the unprotected photos only.
        calibration: threat model under which the unprotected photos are always observed, because
            decisions about protected ones need it; ``""`` when none do.
    """

    name: str
    version: int
    dimension: Dimension
    unit: Literal["image", "pair", "probe"]
    roles: tuple[str, ...]
    threat_models: tuple[str, ...]
    has: frozenset[str]
    columns: Mapping[str, pa.DataType]
    metrics: tuple[str, ...]
    source: Source
    baseline_metrics: tuple[str, ...] = ()
    calibration: str = ""


class Templates(Protocol):
    """All faces of one version (original or protected) of a dataset as the attacker holds them."""

    faces: pd.DataFrame
    """Indexed by sample id: ``status`` (``ok``, ``not_acquired``, ``not_protected``, ``error``), ``reason``,
    ``n_faces``, ``score``, ``face_area`` (share of the picture covered by the face taken)."""

    def vectors(self, sample_ids: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings (n, dimension); rows of NaN where the status is not ``ok``."""


class EvaluationContext(Protocol):
    """What an evaluation may ask for."""

    samples: pd.DataFrame
    """Indexed by sample id: ``identity``, ``split``, ``content_hash`` and one column per attribute."""

    distance: Literal["cosine", "euclidean"]
    method: str

    def templates(self, version: Literal["original", "protected"]) -> Templates:
        """Faces of the originals, or of what the cell's method made of them."""

    def rng(self, *key: str) -> np.random.Generator:
        """Random stream that depends on the run's seed and ``key`` alone."""


class Evaluation(Protocol):
    """Plans units and observes them; never aggregates.

    Attributes:
        meta: see :class:`EvaluationMeta`.
        operating_points: ways to turn an observation into an outcome, the headline first: threshold
            policies (``f1``, ``fmr=0.01``), ``svm``, ``rank_1``; ``("",)`` when there is nothing to decide.
    """

    meta: EvaluationMeta
    operating_points: tuple[str, ...]

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """What will be observed: ``unit_id``, ``sample_id`` and the evaluation's own columns. No pixels."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: EvaluationContext) -> pd.DataFrame:
        """``units`` with ``status``, ``reason`` and the observed columns: one row per unit, always."""
