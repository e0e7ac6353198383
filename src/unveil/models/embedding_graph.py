"""An ONNX graph that describes a picture of a face by a vector: what it must look like, and how it is fed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unveil.models.onnx_graph import Floats, Graph

Order = Literal["rgb", "bgr"]


@dataclass(frozen=True, slots=True)
class Pixels:
    """How 8-bit RGB becomes the input of a network: channels in ``order``, then ``(value - mean) / scale``.

    Attributes:
        order: of the colours.
        mean, scale: one number, or three in the order of the colours.
    """

    order: Order
    mean: float | tuple[float, ...]
    scale: float | tuple[float, ...]

    def __call__(self, crops: NDArray[np.uint8]) -> Floats:
        """(n, height, width, 3) uint8 -> the same shape, float32."""
        ordered = crops if self.order == "rgb" else crops[..., ::-1]
        mean, scale = (np.asarray(each, np.float32) for each in (self.mean, self.scale))
        return (ordered.astype(np.float32) - mean) / scale


@dataclass(frozen=True, slots=True)
class EmbeddingGraph:
    """A graph of which every side was checked.

    Attributes:
        graph: to run.
        pixels: how it is fed.
        output: index of the output with the embeddings.
        dimension: length of an embedding.
        channels_first: (n, 3, side, side), else (n, side, side, 3).
        one_by_one: it takes a batch of one only.
    """

    graph: Graph
    pixels: Pixels
    output: int
    dimension: int
    channels_first: bool
    one_by_one: bool

    @classmethod
    def read(cls, path: Path, pixels: Pixels, side: int) -> EmbeddingGraph:
        """Load a graph, check its shapes, and try it on one black crop.

        Args:
            path: of the file.
            pixels: how it is fed.
            side: of a crop, in pixels.

        Raises:
            ConfigError: when it is no embedding model for such crops; names its inputs and outputs.
        """
        graph = Graph.read(path)
        _, (count, *sizes) = graph.picture_input()
        channels_first = sizes[0] == 3
        height, width = sizes[1:] if channels_first else sizes[:2]
        if not channels_first and sizes[2] != 3:
            raise graph.unfit("an embedding model must take three colours, first or last")
        if any(isinstance(size, int) and size != side for size in (height, width)):
            raise graph.unfit(f"the parameter size must be that of the graph's pictures, not {side}")
        if isinstance(count, int) and count != 1:
            raise graph.unfit("an embedding model must take batches of any size, or of one")
        vectors = _vector_outputs(graph)
        if len(vectors) != 1:
            raise graph.unfit("an embedding model must have one output of the shape (n, dimension)")
        unknown = cls(graph, pixels, vectors[0], 0, channels_first, count == 1)
        (vector,) = unknown.feed(np.zeros((1, side, side, 3), np.uint8))
        return cls(graph, pixels, vectors[0], len(vector), channels_first, count == 1)

    def __call__(self, crops: NDArray[np.uint8]) -> Floats:
        """Embeddings (n, dimension) of RGB crops (n, side, side, 3)."""
        if self.one_by_one:
            return np.concatenate([self.feed(crop[None]) for crop in crops])
        return self.feed(crops)

    def feed(self, crops: NDArray[np.uint8]) -> Floats:
        """What the graph says about one batch, as float32.

        Raises:
            ConfigError: when it is not one vector of at least two numbers for each crop.
        """
        batch = self.pixels(crops)
        vectors = self.graph.run(batch.transpose(0, 3, 1, 2) if self.channels_first else batch)[self.output]
        if vectors.ndim != 2 or len(vectors) != len(crops) or vectors.shape[1] < 2:
            raise self.graph.unfit(f"an embedding model must not give {vectors.shape} for {len(crops)} pictures")
        return vectors.astype(np.float32, copy=False)


def _vector_outputs(graph: Graph) -> Sequence[int]:
    """Indices of outputs that may hold embeddings; a lone number per picture, such as AdaFace's norm, does not."""
    shapes = [output.shape for output in graph.session.get_outputs()]
    return [index for index, shape in enumerate(shapes) if len(shape) == 2 and shape[1] != 1]
