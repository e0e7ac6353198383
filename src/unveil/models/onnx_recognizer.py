"""Any face embedding model that comes as an ONNX graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Embedding, Face, Failure, Image
from unveil.core.validation import choice, number, whole
from unveil.models.five_points import LANDMARK_WEIGHTS, require_five_points, upright
from unveil.models.model_file import ModelFile
from unveil.models.onnx_graph import require_runtime

if TYPE_CHECKING:
    from unveil.models.embedding_graph import EmbeddingGraph, Order

_BATCH = 32
"""Crops per pass through the network."""

Channels = float | Sequence[float]


class OnnxRecognizer:
    """Embeddings by a graph of your own, fed with crops aligned to ArcFace's five-point template.

    The graph takes (n, 3, size, size) or (n, size, size, 3), n open or 1, and gives (n, dimension). It must be in
    one file; its SHA-256 is part of the model's identity.

    Args:
        path: of the ONNX file; nothing works without it.
        size: side of a crop, in pixels; the template grows with it.
        mean: subtracted from the values 0 to 255; one number, or three in the order of the colours.
        scale: by which the difference is divided, above 0; one number, or three.
        colors: ``rgb`` or ``bgr``, which AdaFace wants.
        distance: ``cosine`` or ``euclidean``, as the model's authors compare.
        customary_threshold: the distance at or below which they say *same person*, above 0. The default is that
            of insightface's ArcFace; give the right one where the customary threshold is asked for.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = ModelMeta(
        name="onnx",
        version=1,
        role="recognizer",
        source=Source(citation="a model that the run names by its file; say in the run's notes whose it is"),
        weights=LANDMARK_WEIGHTS,
    )
    not_identity = ("path",)

    def __init__(
        self,
        *,
        path: str = "",
        size: int = 112,
        mean: Channels = 127.5,
        scale: Channels = 127.5,
        colors: Order = "rgb",
        distance: Literal["cosine", "euclidean"] = "cosine",
        customary_threshold: float = 0.6,
    ) -> None:
        self.path = path
        self._file = ModelFile(path)
        self.size = whole("size", size, low=16)
        self.mean = _channels("mean", mean, low=-1e6)
        self.scale = _channels("scale", scale, low=1e-6)
        choice("colors", colors, ("rgb", "bgr"))
        self.colors: Order = colors
        choice("distance", distance, ("cosine", "euclidean"))
        self.distance: Literal["cosine", "euclidean"] = distance
        self.customary_threshold = number("customary_threshold", customary_threshold, above=0)

    def require(self) -> None:
        """Raise Unavailable when the file or a library is missing."""
        require_runtime()
        require_five_points()
        self._file.locate()

    def content_fingerprint(self) -> str:
        """SHA-256 of the graph's file, part of the model's identity in place of the path."""
        return self._file.fingerprint()

    def weights_found(self) -> Mapping[str, str]:
        """File name -> SHA-256 of what is read, for the run's manifest."""
        return self._file.hashes()

    @cached_property
    def _graph(self) -> EmbeddingGraph:
        from unveil.models.embedding_graph import EmbeddingGraph, Pixels

        return EmbeddingGraph.read(self._file.locate(), Pixels(self.colors, self.mean, self.scale), self.size)

    @property
    def dimension(self) -> int:
        """Length of an embedding; loads the graph."""
        return self._graph.dimension

    def embed(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Embedding | Failure]:
        """Embedding of one face per picture.

        Raises:
            Unavailable: at the first call, when the file is missing.
            ConfigError: at the first call, when the graph is no embedding model for such crops; names its inputs
                and outputs.
        """
        from unveil.models.aligned_faces import describe_aligned

        return describe_aligned(images, faces, partial(upright, side=self.size), self._graph, batch=_BATCH)


def _channels(name: str, value: Channels, *, low: float) -> float | tuple[float, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return number(name, value, low=low)
    if len(value) != 3:
        raise ValueError(f"{name} must be one number or three, got {value!r}")
    return tuple(number(name, one, low=low) for one in value)
