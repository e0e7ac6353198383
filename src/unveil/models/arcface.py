"""ArcFace recognizers of the insightface packs, run by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Embedding, Face, Failure, Image
from unveil.core.validation import choice
from unveil.models.five_points import LANDMARK_WEIGHTS, TEMPLATE_SIDE, require_five_points, upright
from unveil.models.insightface_packs import PACKS
from unveil.models.model_file import ModelFile
from unveil.models.onnx_graph import require_runtime

if TYPE_CHECKING:
    from unveil.models.embedding_graph import EmbeddingGraph

_BATCH = 32
"""Crops per pass through the network."""


class ArcFace:
    """Embeddings of an insightface pack, 512 numbers compared by cosine; same person at 0.6 or below.

    Crops of 112 x 112 pixels, aligned by five points, go in as RGB, (value - 127.5) / 127.5. Graphs that scale by
    themselves are for ``recognizer:onnx``. The threshold is the similarity of 0.4 of insightface's own interface.

    Args:
        pack: ``buffalo_l``, ``buffalo_s``, ``buffalo_sc`` or ``antelopev2``.
        path: of another recognition graph, used instead of the pack's; or ``""``.

    Raises:
        ValueError: for an unknown pack.

    Source: Deng, Guo, Xue and Zafeiriou, "ArcFace: Additive Angular Margin Loss for Deep Face Recognition",
    CVPR 2019.
    """

    meta = ModelMeta(
        name="insightface.arcface",
        version=1,
        role="recognizer",
        source=Source(
            citation="Deng, Guo, Xue, Zafeiriou: ArcFace: Additive Angular Margin Loss for Deep Face Recognition, "
            "CVPR 2019",
            licence="non-commercial research only (weights of the insightface packs)",
            url="https://arxiv.org/abs/1801.07698",
        ),
    )
    distance: Literal["cosine", "euclidean"] = "cosine"
    customary_threshold: float = 0.6

    def __init__(self, *, pack: str = "buffalo_l", path: str = "") -> None:
        self.pack = choice("pack", pack, tuple(PACKS))
        self.path = path
        self._file = ModelFile(path, PACKS[pack].recognizer)
        self.meta = replace(self.meta, weights={**self._file.weights, **LANDMARK_WEIGHTS})

    @property
    def not_identity(self) -> tuple[str, ...]:
        """The place of the file; and the pack where a file is named in its stead."""
        return ("path", "pack") if self.path else ("path",)

    def require(self) -> None:
        """Raise Unavailable when the weights or a library are missing."""
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

        return EmbeddingGraph.read(self._file.locate(), Pixels("rgb", 127.5, 127.5), TEMPLATE_SIDE)

    @property
    def dimension(self) -> int:
        """Length of an embedding; loads the graph."""
        return self._graph.dimension

    def embed(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Embedding | Failure]:
        """Embedding of one face per picture.

        Raises:
            Unavailable: at the first call, when weights are missing or not the known ones.
            ConfigError: at the first call, when the graph at ``path`` is no such recognizer.
        """
        from unveil.models.aligned_faces import describe_aligned

        return describe_aligned(images, faces, partial(upright, side=TEMPLATE_SIDE), self._graph, batch=_BATCH)
