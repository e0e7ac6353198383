"""The graph of an SCRFD detector: what it must look like, and what its numbers mean.

For each of three strides the graph gives scores, then distances of the four edges, then, where it knows them, the
offsets of five key points; two rows for each cell of the picture, row by row. With or without a batch axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from unveil.core.types import Detections, Image
from unveil.models.onnx_graph import Floats, Graph

_STRIDES = (8, 16, 32)
_ANCHORS = 2
_WIDTHS = (1, 4, 10)
"""Numbers in a row of scores, of edges, and of key points."""


@dataclass(frozen=True, slots=True)
class ScrfdGraph:
    """A graph whose outputs were checked.

    Attributes:
        graph: to run.
        key_points: whether it gives them.
    """

    graph: Graph
    key_points: bool

    @classmethod
    def read(cls, path: Path, sizes: Sequence[int]) -> ScrfdGraph:
        """Load a graph, and try it on a black picture of each size.

        Raises:
            ConfigError: when it is no SCRFD detector for such pictures; names its inputs and outputs.
        """
        graph = Graph.read(path)
        _, (count, colours, *sides) = graph.picture_input()
        if colours != 3 or (isinstance(count, int) and count != 1):
            raise graph.unfit("a detector must take pictures of three colours, channels first, one at a time")
        if any(isinstance(fixed, int) and fixed != side for side in sizes for fixed in sides):
            raise graph.unfit(f"the parameter sizes must hold the graph's own size alone, not {list(sizes)}")
        outputs = len(graph.session.get_outputs())
        if outputs not in (2 * len(_STRIDES), 3 * len(_STRIDES)):
            raise graph.unfit("an SCRFD detector must have nine outputs, or six without key points")
        detector = cls(graph, outputs == 3 * len(_STRIDES))
        for side in sizes:
            detector(np.zeros((side, side, 3), np.uint8), 1.0)
        return detector

    def __call__(self, canvas: Image, threshold: float) -> Detections:
        """Every box of at least the threshold, in pixels of the canvas, unordered and overlapping.

        Args:
            canvas: square RGB picture whose side is a multiple of 32.
            threshold: in (0, 1].

        Raises:
            ConfigError: when the outputs do not have the shapes of an SCRFD detector.
        """
        batch = ((canvas.astype(np.float32) - np.float32(127.5)) / np.float32(128)).transpose(2, 0, 1)[None]
        seen = list(self._strides(self.graph.run(batch), canvas.shape[0], threshold))
        boxes, scores, marks = (np.concatenate(column) for column in zip(*seen, strict=True))
        solid = np.flatnonzero((boxes[:, :2] < boxes[:, 2:]).all(axis=1) & np.isfinite(boxes).all(axis=1))
        return Detections(boxes, scores, marks if self.key_points else None).take(solid)

    def _strides(
        self, outputs: Sequence[Floats], side: int, threshold: float
    ) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Boxes (n, 4), scores (n,) and key points (n, 5, 2) of each stride."""
        for level, stride in enumerate(_STRIDES):
            cells = _cells(side // stride)
            rows = [
                self._rows(output, (len(cells), width))
                for output, width in zip(outputs[level :: len(_STRIDES)], _WIDTHS, strict=False)
            ]
            sure = np.flatnonzero(rows[0][:, 0] >= threshold)
            centres = cells[sure] * stride
            edges = rows[1][sure] * stride
            boxes = np.concatenate([centres - edges[:, :2], centres + edges[:, 2:]], axis=1)
            offsets = (
                rows[2][sure].reshape(-1, 5, 2) if self.key_points else np.zeros((len(sure), 0, 2), np.float32)
            )
            yield boxes, rows[0][sure, 0], centres[:, None] + offsets * stride

    def _rows(self, output: Floats, shape: tuple[int, int]) -> Floats:
        """One output without its batch axis."""
        if output.shape not in (shape, (1, *shape)):
            raise self.graph.unfit(f"an SCRFD detector must give {shape} here, not {output.shape}")
        return output.reshape(shape)


@lru_cache(maxsize=64)
def _cells(count: int) -> Floats:
    """Column and row (count * count * 2, 2) of the cell of each anchor."""
    rows, columns = np.mgrid[:count, :count]
    return np.repeat(np.stack([columns, rows], axis=2).reshape(-1, 2), _ANCHORS, axis=0).astype(np.float32)
