"""Resampling by person: photos of one person are not independent, so whole persons are drawn.

A person is the ``identity`` of the probe. Where it is unknown, every picture counts as a person of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_DRAWS_AT_ONCE = 2_000_000  # bounds the memory of one block of draws to a few dozen megabytes


def people(frame: pd.DataFrame) -> NDArray[np.int64]:
    """Number of the person of each row, 0 .. m - 1, in order of appearance.

    Args:
        frame: ``identity`` and, to tell pictures of unknown people apart, ``sample_id``; without it each
            row is a person of its own.
    """
    identity = frame["identity"].astype(object)
    unknown = (identity.isna() | (identity == "")).to_numpy(dtype=np.bool_)
    if not unknown.any():
        return pd.factorize(identity)[0].astype(np.int64)
    person = pd.factorize(identity)[0]
    picture = pd.factorize(frame["sample_id"])[0] if "sample_id" in frame else np.arange(len(frame))
    codes, _ = pd.factorize(np.where(unknown, -1 - picture, person))
    return np.asarray(codes, dtype=np.int64)


def resample_rate(
    numerator: NDArray[np.bool_], person: NDArray[np.int64], rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """Replicates (replicates,) of a share of rows, persons drawn with replacement.

    Args:
        numerator: which rows of the denominator count, (n,).
        person: of each row, (n,), from :func:`people`.
        rng: source of the draws.
        replicates: how many.
    """
    size = int(person.max()) + 1
    sums = np.stack([np.bincount(person, weights=numerator), np.bincount(person)])
    out = np.empty(replicates)
    step = max(1, _DRAWS_AT_ONCE // size)
    for start in range(0, replicates, step):
        draws = rng.integers(0, size, size=(min(step, replicates - start), size))
        top, bottom = sums[:, draws].sum(axis=2)
        out[start : start + step] = top / bottom
    return out


def resample_weighted(
    compute: Callable[[NDArray[np.float64]], float],
    person: NDArray[np.int64],
    rng: np.random.Generator,
    replicates: int,
) -> NDArray[np.float64]:
    """Replicates (replicates,) of a measure that takes a weight per row.

    Args:
        compute: weights (n,) -> value; the weight is how often the row's person was drawn.
        person, rng, replicates: as in :func:`resample_rate`.
    """
    return resample_blocks(lambda block: np.array([compute(row) for row in block]), person, rng, replicates)


def resample_blocks(
    compute: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    person: NDArray[np.int64],
    rng: np.random.Generator,
    replicates: int,
) -> NDArray[np.float64]:
    """The same replicates of a measure that takes the weights of several at once: (r, n) -> values (r,)."""
    size = int(person.max()) + 1
    out = np.empty(replicates)
    step = max(1, _DRAWS_AT_ONCE // len(person))
    for start in range(0, replicates, step):
        draws = (rng.integers(0, size, size) for _ in range(min(step, replicates - start)))
        counts = np.array([np.bincount(drawn, minlength=size) for drawn in draws], np.float64)
        out[start : start + step] = compute(counts[:, person])
    return out
