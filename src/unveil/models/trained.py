"""Weights of a trained model as one safetensors file, with what is known about the training in its header."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unveil.core.errors import DataError
from unveil.core.fingerprint import canonical

if TYPE_CHECKING:
    from torch import Tensor

_KEY = "unveil"
_HEADER = struct.Struct("<Q")


def pack(state: Mapping[str, Tensor], facts: Mapping[str, Any]) -> bytes:
    """A safetensors file. ``facts`` are plain values; equal input gives equal bytes."""
    from safetensors.torch import save

    tensors = {name: tensor.detach().contiguous() for name, tensor in state.items()}
    return save(tensors, {_KEY: canonical(facts)})


def provenance(weights: bytes) -> dict[str, Any]:
    """What was told to :func:`pack`, read from the header alone.

    Raises:
        DataError: when these are not weights that were trained here.
    """
    try:
        (length,) = _HEADER.unpack_from(weights)
        header = json.loads(weights[_HEADER.size : _HEADER.size + length])
        facts = json.loads(header["__metadata__"][_KEY])
    except (struct.error, ValueError, KeyError, TypeError) as error:
        raise DataError(f"these {len(weights)} bytes are no trained weights of unveil: {error!r}") from error
    if not isinstance(facts, dict):
        raise DataError(f"the header of these weights says {facts!r}, not how they were trained")
    return facts


def unpack(weights: bytes, model: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and facts of weights that ``model`` trained (``facts["model"]``).

    Raises:
        DataError: when these are other weights, or damaged.
    """
    facts = provenance(weights)
    if facts.get("model") != model:
        raise DataError(f"these weights were trained by {facts.get('model')!r}, not by {model!r}")
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(weights), facts
    except SafetensorError as error:
        raise DataError(f"the weights trained by {model!r} are damaged: {error}") from error
