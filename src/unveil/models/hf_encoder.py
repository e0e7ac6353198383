"""A picture as the vector that a pre-trained vision network gives for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Image
from unveil.models import hub

if TYPE_CHECKING:
    from torch import nn

_BATCH = 16
"""Pictures per pass through the network."""


class HfEncoder:
    """A vision network of the ``transformers`` library; of CLIP, the projected image embedding.

    Pictures become the network's input as its own ``preprocessor_config.json`` says: for CLIP, the shorter side
    is resized to 336 pixels with Pillow's bicubic filter, and the middle 336 x 336 are taken. Of other networks
    the vector is the pooled output, or the mean over the positions where there is none. Two encoders give
    distances that cannot be compared. The weights must be on this machine: ``unveil weights fetch MODEL``.

    Args:
        model: name on the Hugging Face hub.
        folder: where the model lies, instead of the places where it is looked for by name.

    Source: of CLIP, Radford et al., "Learning Transferable Visual Models From Natural Language Supervision", ICML
    2021; as an encoder for distances between sets of pictures, Jayasumana et al., "Rethinking FID: Towards a
    Better Evaluation Metric for Image Generation", CVPR 2024 (CMMD).
    """

    meta = ModelMeta(
        name="hf",
        version=1,
        role="image_encoder",
        source=Source(citation="A vision network of the Hugging Face hub", url="https://huggingface.co/models"),
    )
    not_identity = ("folder",)

    def __init__(self, *, model: str = hub.DINO.name, folder: str = "") -> None:
        self.model = hub.check_name(model)
        self.folder = folder
        known = hub.HUB.get(model)
        source = Source(known.citation, known.licence, known.url) if known else self.meta.source
        # The name of the network is part of every number that is computed with it.
        self.meta = replace(self.meta, name=model.rpartition("/")[2], source=source)

    def require(self) -> None:
        """Raise Unavailable when the library or the model is missing."""
        hub.require_model(self.model, self.folder, also=[hub.PROCESSOR])

    def content_fingerprint(self) -> str:
        """Hash of the weights and their configuration: part of the identity."""
        return hub.content_fingerprint(self._place)

    @property
    def dimension(self) -> int:
        """Length of a vector; known from the configuration.

        Raises:
            Unavailable: when the model is missing.
        """
        from unveil.models.hf_vision import dimension

        return dimension(self._place)

    @property
    def _place(self) -> Path:
        return hub.find_model(self.model, self.folder, also=[hub.PROCESSOR])

    @cached_property
    def _loaded(self) -> tuple[nn.Module, Any]:
        """The network, and what turns pictures into its input."""
        from unveil.models.hf_library import processor
        from unveil.models.hf_vision import vision_network

        return vision_network(self._place), processor(self._place)

    def encode(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Vectors (n, dimension), not normalised.

        Raises:
            Unavailable: at the first call, when the model is missing, damaged or of another kind.
        """
        import torch
        from PIL import Image as Pillow

        if not images:
            return np.zeros((0, self.dimension), np.float32)
        network, prepare = self._loaded
        parts = []
        for start in range(0, len(images), _BATCH):
            pictures = [Pillow.fromarray(image) for image in images[start : start + _BATCH]]
            with torch.inference_mode():
                parts.append(network(prepare(pictures, return_tensors="pt")["pixel_values"]))
        return torch.cat(parts).float().numpy()
