"""SCRFD face detectors of the insightface packs, run by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Image
from unveil.core.validation import choice, number
from unveil.models.insightface_packs import PACKS
from unveil.models.letterbox import letterbox
from unveil.models.model_file import ModelFile
from unveil.models.onnx_graph import require_runtime
from unveil.models.suppression import keep_surest

if TYPE_CHECKING:
    from unveil.models.scrfd_graph import ScrfdGraph

_CANDIDATES = 1000
"""So many of a picture's surest boxes are compared with each other."""


class Scrfd:
    """Boxes, scores and five landmarks by an SCRFD detector of an insightface pack.

    Every picture is looked at in each of ``sizes``, since a face that fills its picture is too large for 640
    pixels; what is found is put together before boxes that overlap are dropped. Boxes may reach over the border.
    Pictures pass the graph one by one, as many at a time as there are cores. Faces come best score first.

    Args:
        pack: ``buffalo_l``, ``buffalo_s``, ``buffalo_sc`` or ``antelopev2``.
        path: of another SCRFD graph, used instead of the pack's; or ``""``.
        threshold: least score of a face, in (0, 1].
        overlap: boxes that overlap a surer one by more than this are dropped, in (0, 1].
        sizes: sides of the squares that a picture is fitted into, in pixels, multiples of 32; insightface 2 uses
            these two. One for a graph whose size is fixed.

    Raises:
        ValueError: for a parameter outside its range.

    Source: Guo, Deng, Lattas and Zafeiriou, "Sample and Computation Redistribution for Efficient Face Detection",
    ICLR 2022.
    """

    meta = ModelMeta(
        name="insightface.scrfd",
        version=1,
        role="detector",
        source=Source(
            citation="Guo, Deng, Lattas, Zafeiriou: Sample and Computation Redistribution for Efficient Face "
            "Detection, ICLR 2022",
            licence="non-commercial research only (weights of the insightface packs)",
            url="https://arxiv.org/abs/2105.04714",
        ),
    )

    def __init__(
        self,
        *,
        pack: str = "buffalo_l",
        path: str = "",
        threshold: float = 0.5,
        overlap: float = 0.4,
        sizes: Sequence[int] = (128, 640),
    ) -> None:
        self.pack = choice("pack", pack, tuple(PACKS))
        self.path = path
        self._file = ModelFile(path, PACKS[pack].detector)
        self.threshold = number("threshold", threshold, above=0, high=1)
        self.overlap = number("overlap", overlap, above=0, high=1)
        if not sizes or not all(isinstance(side, int) and side >= 32 and side % 32 == 0 for side in sizes):
            raise ValueError(f"sizes must be multiples of 32, at least one, got {sizes!r}")
        self.sizes = tuple(sizes)
        self.meta = replace(self.meta, weights=self._file.weights)

    @property
    def not_identity(self) -> tuple[str, ...]:
        """The place of the file; and the pack where a file is named in its stead."""
        return ("path", "pack") if self.path else ("path",)

    def require(self) -> None:
        """Raise Unavailable when the weights or ONNX Runtime are missing."""
        require_runtime()
        self._file.locate()

    def content_fingerprint(self) -> str:
        """SHA-256 of the graph's file, part of the model's identity in place of the path."""
        return self._file.fingerprint()

    def weights_found(self) -> Mapping[str, str]:
        """File name -> SHA-256 of what is read, for the run's manifest."""
        return self._file.hashes()

    @cached_property
    def _graph(self) -> ScrfdGraph:
        from unveil.models.scrfd_graph import ScrfdGraph

        return ScrfdGraph.read(self._file.locate(), self.sizes)

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in each picture; landmarks are (n, 5, 2), or None where the graph knows none.

        Raises:
            Unavailable: at the first call, when weights are missing or not the known ones.
            ConfigError: at the first call, when the graph at ``path`` is no SCRFD detector for these sizes.
        """
        from unveil.models.parallel import on_every_core

        graph = self._graph
        return on_every_core(lambda image: self._one(graph, image), images)

    def _one(self, graph: ScrfdGraph, image: Image) -> Detections:
        seen = [self._at(graph, image, side) for side in self.sizes]
        boxes, scores = (
            np.concatenate(columns) for columns in zip(*((s.boxes, s.scores) for s in seen), strict=True)
        )
        marks = [one.landmarks for one in seen if one.landmarks is not None]
        every = Detections(boxes, scores, np.concatenate(marks) if marks else None)
        every = every.take(np.argsort(-scores, kind="stable")[:_CANDIDATES])
        kept = keep_surest(every.boxes, every.scores, np.zeros(len(every), np.intp), self.overlap)
        return every.take(kept)

    def _at(self, graph: ScrfdGraph, image: Image, side: int) -> Detections:
        """Boxes of at least the threshold, in pixels of the picture, at one size."""
        canvas, scale = letterbox(image, side, side, 0)
        found = graph(canvas, self.threshold)
        boxes = found.boxes / scale
        marks = None if found.landmarks is None else found.landmarks / scale[:2]
        height, width = image.shape[:2]
        centre = (boxes[:, :2] + boxes[:, 2:]) / 2
        in_picture = ((centre >= 0) & (centre <= (width, height))).all(axis=1)  # else on the rim of the canvas
        return Detections(boxes, found.scores, marks).take(np.flatnonzero(in_picture))
