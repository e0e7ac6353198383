"""Identity: canonical JSON, content hashes, keys of results, and random streams.

Keys are *derived* from what determines a result, so a whole plan can be compared with the cache before
anything runs.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

_CHUNK = 1 << 20


def canonical(value: Any) -> str:
    """JSON with one spelling per value: sorted keys, no spaces, floats by their shortest form.

    Raises:
        TypeError: for a value that has no such form (an object, a function).
        ValueError: for NaN or infinity, which are not equal to themselves or not portable.

    >>> canonical({"b": (1, 2.0), "a": None})
    '{"a":null,"b":[1,2.0]}'
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, set | frozenset):
        return sorted(_plain(v) for v in value)
    if isinstance(value, Path):
        return value.as_posix()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} has no identity: a setting must be a finite number")
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"{type(value).__name__} {value!r} cannot be part of a result's identity")


def digest(*parts: Any, length: int = 32) -> str:
    """Hash of the canonical JSON of ``parts``: the first ``length`` hex digits of SHA-256.

    >>> digest("embed", 1) == digest("embed", 1), digest("embed", 1) == digest("embed", "1")
    (True, False)
    """
    return hashlib.sha256(canonical(list(parts)).encode()).hexdigest()[:length]


def file_hash(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes."""
    state = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()


def bytes_hash(data: bytes | memoryview) -> str:
    """SHA-256 (hex) of bytes."""
    return hashlib.sha256(data).hexdigest()


def rng(*parts: Any) -> np.random.Generator:
    """A random stream that depends on ``parts`` alone.

    Drawing from ``rng(seed, method fingerprint, sample id)`` makes a random method independent of the
    order, the batch size and the worker in which its pictures are processed.

    >>> rng(7, "noise", "a.jpg").integers(1000) == rng(7, "noise", "a.jpg").integers(1000)
    np.True_
    """
    return np.random.default_rng(int(digest(*parts), 16))


def component_fingerprint(kind: str, target: str, version: int, params: Mapping[str, Any], **more: Any) -> str:
    """Identity of a component: its class, the version its author gives it, and every parameter.

    Args:
        kind: ``method``, ``model``, ``evaluation`` or ``dataset``.
        target: ``module:Class``.
        version: raised by the author when the behaviour changes.
        params: all parameters, with defaults filled in.
        more: whatever else changes the result, such as hashes of weights.
    """
    return digest("component", kind, target, version, params, more)


def cell_id(
    *,
    dataset: str,
    method: str,
    evaluation: str,
    components: Mapping[str, str],
    threat_model: str,
    seed: int,
    names: Sequence[str],
) -> str:
    """Identity of a cell, from the fingerprints of its parts.

    Args:
        dataset: hash of the dataset's index (which files, which labels).
        method: fingerprint of the method.
        evaluation: fingerprint of the evaluation with its parameters.
        components: role -> fingerprint of each model.
        threat_model: readable name.
        seed: of the run.
        names: by which the run calls dataset, method, evaluation and models: they stand in every row.
    """
    return digest("cell", dataset, method, evaluation, components, threat_model, seed, names, length=16)
