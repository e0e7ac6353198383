"""Vision networks of the ``transformers`` library as networks from their input to one vector per picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import Tensor, nn

from unveil.core.errors import Unavailable
from unveil.models.hf_library import configuration, library, pretrained

_PROJECTED = {
    "clip": "CLIPVisionModelWithProjection",
    "clip_vision_model": "CLIPVisionModelWithProjection",
}
"""Kinds of models whose pictures are described in a space that they share with text."""


class _Pooled(nn.Module):
    """One vector per picture, of whatever a network of the library gives."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        given = self.network(pixel_values=x)
        if (projected := getattr(given, "image_embeds", None)) is not None:
            return projected
        if (pooled := getattr(given, "pooler_output", None)) is not None:
            return pooled.flatten(1)
        hidden = given.last_hidden_state  # (n, positions, d) of transformers, (n, d, rows, columns) of others
        return hidden.mean(dim=1) if hidden.ndim == 3 else hidden.mean(dim=(2, 3))


def vision_network(folder: Path) -> nn.Module:
    """The vision half of the model in a folder: its input (n, 3, height, width) -> vectors (n, dimension).

    Raises:
        Unavailable: when the weights are damaged, or the model does not look at pictures.
    """
    config = configuration(folder)
    kind = _PROJECTED.get(config.model_type, "AutoModel")
    network = pretrained(getattr(library(), kind), folder, _half(config, kind))
    return _Pooled(network).eval().requires_grad_(False)


def dimension(folder: Path) -> int:
    """Length of a vector.

    Raises:
        Unavailable: when the configuration does not say it.
    """
    config = configuration(folder)
    half = _half(config, _PROJECTED.get(config.model_type, "AutoModel"))
    if config.model_type in _PROJECTED:
        return int(half.projection_dim)
    for name in ("hidden_size", "hidden_sizes", "num_features"):
        if (size := getattr(half, name, None)) is not None:
            return int(size[-1] if isinstance(size, list | tuple) else size)
    raise Unavailable(f"{folder / 'config.json'} does not say how long the vectors of a {config.model_type} are")


def _half(config: Any, kind: str) -> Any:
    """The configuration of the vision half; of CLIP, with the size of the space that is shared with text."""
    half = getattr(config, "vision_config", config)
    if kind != "AutoModel" and half is not config:
        half.projection_dim = config.projection_dim
    return half
