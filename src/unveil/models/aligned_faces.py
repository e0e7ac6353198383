"""Aligned faces in batches, several batches at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Embedding, Face, Failure, Image, Reason
from unveil.models.five_points import Points, five_points
from unveil.models.parallel import fair_share, on_every_core

Align = Callable[[Image, Points], Image]
Describe = Callable[[NDArray[np.uint8]], NDArray[np.float32]]


def describe_aligned(
    images: Sequence[Image], faces: Sequence[Face], align: Align, describe: Describe, *, batch: int
) -> list[Embedding | Failure]:
    """Embedding of one face per picture, and a Failure in place of each face that cannot be aligned.

    Args:
        images: one picture per face.
        faces: where they are.
        align: picture and five points -> RGB crop; all crops have one size.
        describe: crops (n, side, side, 3) -> embeddings (n, dimension); is called from several threads.
        batch: largest number of crops at a time.
    """

    def crop(pair: tuple[Image, Face]) -> Image | Failure:
        points = five_points(*pair)
        return points if isinstance(points, Failure) else align(pair[0], points)

    crops = on_every_core(crop, zip(images, faces, strict=True))
    good = [one for one in crops if not isinstance(one, Failure)]
    size = min(batch, fair_share(len(good)))
    parts = [np.stack(good[start : start + size]) for start in range(0, len(good), size)]
    vectors = chain.from_iterable(on_every_core(describe, parts))
    return [one if isinstance(one, Failure) else _checked(next(vectors)) for one in crops]


def _checked(vector: Embedding) -> Embedding | Failure:
    if np.isfinite(vector).all():
        return vector
    wrong = int((~np.isfinite(vector)).sum())
    return Failure(
        Reason.BAD_OUTPUT, f"an embedding must be finite, but {wrong} of its {vector.size} numbers are not"
    )
