"""What each kind of component must offer.

Every component takes its parameters as keyword arguments of ``__init__`` and nothing else: the parameters
*are* its identity. None of these classes is inherited from; a class that has the attributes fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Detections, Face, Failure, Image, Pair, Protected, Sample, Value

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
        has: capabilities: ``identity``, ``demographics``, ``pairs``, ``labels`` (privacy attributes of each
            picture), ``objects`` (boxes), ``masks`` and ``keypoints`` (of people), ``splits`` (train,
            validation, test).
        labels: the privacy attributes that are known of every picture, in the order of the tables.
    """

    name: str
    version: int
    source: Source
    groupings: tuple[str, ...] = ()
    has: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a dataset, before it is opened.

    Attributes:
        path: relative to the dataset's root, with ``/``; becomes the sample id.
        identity, split, attributes, labels, annotation: as in :class:`unveil.core.types.Sample`.
    """

    path: str
    identity: str = ""
    split: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    labels: frozenset[str] = frozenset()
    annotation: str = ""


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


class AnnotatedDataset(Dataset, Protocol):
    """A dataset that has ``objects`` or ``masks``."""

    def objects(self, sample_id: str) -> Detections | Failure:
        """Everything annotated in one picture, with labels, and with masks and keypoints where it has them.

        A Failure with reason ``bad_annotation`` says what is wrong with the annotation of this picture.
        """


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
        needs: roles the context must provide: ``detector``, ``recognizer`` and ``segmenter``.
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

    def people(self, images: Sequence[Image]) -> list[Detections | Failure]:
        """People in the pictures of the batch, found by the run's segmenter (role ``segmenter``).

        They have masks, and keypoints where these are known. Empty: the dataset says that nobody is there.
        A Failure: nobody was found although somebody may be there, or the annotation cannot be used; the
        picture cannot be protected.
        """


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

    def protect(
        self, images: Sequence[Image], context: ProtectionContext
    ) -> Sequence[Image | Protected | Failure]:
        """Protected pictures in the order of ``images``; a Failure where there is none.

        A method that protects regions returns a :class:`unveil.core.types.Protected` where it could not
        protect all of them. The arrays of ``images`` are shared and may be read-only: work on copies.
        """


# --- evaluations ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EvaluationMeta:
    """What an evaluation is.

    Attributes:
        name, version: identity.
        dimension: ``privacy``, ``utility``, ``practicality`` or ``quality``.
        unit: what one row stands for: ``image``, ``pair``, ``probe``, or one of the many that are found in an
            image: ``label``, ``box`` and ``person``. A ``frame`` is a timed repeat and belongs to no image.
        roles: model roles of a cell, in order: ``("detector", "recognizer")``, ``("classifier",)``, ``()``.
        threat_models: readable names of attacks, or of protocols; ``("",)`` when there is only one way.
        has: capabilities the dataset must have.
        columns: name -> Arrow type of the columns it adds to the observations table.
        metrics: registered names of the metrics computed from its rows, for every method.
        source: paper, section, table.
        baseline_metrics: further metrics, of the unprotected photos only.
        calibration: threat model under which the unprotected photos are always observed, because
            decisions about protected ones need it; ``""`` when none do.
        originals_only: it is about models, and looks at no protected picture.
    """

    name: str
    version: int
    dimension: Dimension
    unit: Literal["image", "pair", "probe", "person", "frame", "label", "box"]
    roles: tuple[str, ...]
    threat_models: tuple[str, ...]
    has: frozenset[str]
    columns: Mapping[str, pa.DataType]
    metrics: tuple[str, ...]
    source: Source
    baseline_metrics: tuple[str, ...] = ()
    calibration: str = ""
    originals_only: bool = False


Version = Literal["original", "protected"]
"""Of the pictures: as they were, or as the cell's method left them."""


class Templates(Protocol):
    """All faces of one version (original or protected) of a dataset as the attacker holds them."""

    faces: pd.DataFrame
    """Indexed by sample id: ``status`` (``ok``, ``not_acquired``, ``not_protected``, ``error``), ``reason``,
    ``n_faces``, ``score``, ``face_area`` (share of the picture covered by the face taken)."""

    def vectors(self, sample_ids: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings (n, dimension) by the cell's recognizer; rows of NaN where the status is not ``ok``."""

    def attributes(self, sample_ids: Sequence[str]) -> list[Mapping[str, Value]]:
        """What the cell's estimator says of each face; nothing where the status is not ``ok``."""

    def found(self, sample_ids: Sequence[str]) -> list[Face | None]:
        """The face taken of each picture; None where the detector found none."""


class EvaluationContext(Protocol):
    """What every evaluation may ask for."""

    samples: pd.DataFrame
    """Indexed by sample id: ``identity``, ``split``, ``labels``, ``content_hash``, ``width``, ``height`` (of the
    original, in pixels) and one column per attribute."""

    method: str

    def rng(self, *key: str) -> np.random.Generator:
        """Random stream that depends on the run's seed and ``key`` alone."""


class FaceContext(EvaluationContext, Protocol):
    """What an evaluation of faces may ask for: its roles name a ``detector``."""

    distance: Literal["cosine", "euclidean"]
    """How embeddings of the cell's recognizer are compared."""

    def templates(self, version: Version) -> Templates:
        """Faces of the originals, or of what the cell's method made of them."""

    def compare(self, protected: Sequence[str], originals: Sequence[str]) -> list[float | Failure]:
        """Similarity by the cell's recognizer of protected pictures to originals: higher is more alike.

        Args:
            protected: ids of samples whose protected face has status ``ok``.
            originals: as many ids of samples whose original face has status ``ok``.
        """

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        """Pictures one by one; a Failure with reason ``missing`` where the method gave none."""

    def model(self, role: str) -> Any:
        """A model of the cell."""

    def keep(self, name: str, picture: Image) -> None:
        """Store a picture that belongs to the cell's results, for the report.

        Args:
            name: letters, digits, ``_``, ``-`` and spaces; it becomes a file name.
            picture: is stored without loss.
        """


class SceneContext(EvaluationContext, Protocol):
    """What an evaluation of whole pictures may ask for."""

    labels: tuple[str, ...]
    """Privacy attributes of the dataset, in the order of the tables."""

    finds_people: bool
    """Whether the cell's method asks where people are; else :meth:`people` knows of nobody."""

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        """Pictures one by one; a Failure with reason ``missing`` where the method gave none."""

    def objects(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
        """What truly is in the originals, labelled: the dataset's boxes, or those of the reference detector."""

    def people(self, sample_ids: Sequence[str]) -> list[Detections | Failure]:
        """The people whom the cell's method was to protect, as :meth:`ProtectionContext.people`."""

    def model(self, role: str, trained_on: Version = "original") -> Any:
        """A model of the cell, ready for use; trained on the train split of that version if it learns."""

    def protect(
        self, images: Sequence[Image], people: Sequence[Detections]
    ) -> Sequence[Image | Protected | Failure]:
        """Run the cell's method on these pictures, with these people in them; for timing."""


class Evaluation(Protocol):
    """Plans units and observes them; never aggregates.

    Attributes:
        meta: see :class:`EvaluationMeta`.
        operating_points: ways to turn an observation into an outcome, the headline first: threshold
            policies (``f1``, ``fmr=0.01``), ``svm``, ``rank_1``; ``("",)`` when there is nothing to decide.

    An evaluation that cannot be made with every model under every threat model also has
    ``suits(threat_model: str, models: Mapping[str, Any]) -> bool``; cells that do not suit are not planned.
    """

    meta: EvaluationMeta
    operating_points: tuple[str, ...]

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """What will be observed: ``unit_id``, ``sample_id`` and the evaluation's own columns. No pixels.

        ``sample_id`` is ``""`` where the unit is a ``frame``.
        """

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        """``units`` with ``status``, ``reason`` and the observed columns: one row per unit, always.

        Where the unit is a ``label``, a ``box`` or a ``person``, every picture of ``units`` has as many rows as
        are in it, and a single row with status ``error`` where that cannot be known.
        The context is a :class:`FaceContext` when the roles name a detector, else a :class:`SceneContext`.
        """
