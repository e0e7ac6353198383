"""Scrambling with a key: whoever knows the key gets the exact original back.

These are permutations, **not encryption**: every pixel value stays in the picture, so the histogram, the
mean colour and, for blocks, all texture inside a block are public, and puzzle solvers or a network trained on
scrambled pictures can undo much of it. The key is a parameter of the method, and a run stores its
parameters: **a key written into the configuration is published with the run**. Name an environment variable
there instead (``${NAME}``), or use a throw-away key.

The permutation is derived by SHAKE-256 from the key, the sample's id and the number of places, so it is
the same on every machine and with every version of NumPy, and differs between pictures.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Failure, Image, Sample
from unveil.core.validation import text, whole

Order: TypeAlias = NDArray[np.intp]
"""A permutation: place i of the scrambled picture holds what was at place ``order[i]``."""


def keyed_order(key: str, sample_id: str, purpose: str, places: int) -> Order:
    """The permutation of ``places`` places that a key gives a sample.

    Args:
        key: the secret.
        sample_id: so that equal pictures are not scrambled alike.
        purpose: separates several permutations of one picture.
        places: how many things to permute.

    >>> keyed_order("k", "a.jpg", "all", 5).tolist() == keyed_order("k", "a.jpg", "all", 5).tolist()
    True
    """
    # Lengths in front make the parts unambiguous: ("ab", "c") is not ("a", "bc").
    seed = "".join(f"{len(part)}:{part}" for part in (key, sample_id, purpose, str(places)))
    words = np.frombuffer(hashlib.shake_256(seed.encode()).digest(8 * places), "<u8")
    # Random high bits, the place in the low bits: sorting is then free of ties, on every machine alike.
    low = np.uint64((1 << places.bit_length()) - 1)
    return (np.sort((words & ~low) | np.arange(places, dtype=np.uint64)) & low).astype(np.intp)


def _inverse(order: Order) -> Order:
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return back


def _keep(order: Order) -> Order:
    return order


class BlockPermutation:
    """Square blocks of the picture change places.

    Where a side is no multiple of the block, the strip of smaller blocks at the right and the one at the
    bottom are permuted among themselves, and the small block in the corner stays.

    Args:
        key: the secret; at least one character.
        block: edge of a block in pixels, at least 1.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="block_permutation",
        version=1,
        scope="image",
        deterministic=True,
        source=Source(
            "after P. Carrillo, H. Kalva, S. Magliveras, Compression Independent Reversible Encryption for "
            "Privacy in Video Surveillance, EURASIP J. Information Security 2009, article 429581",
            url="https://doi.org/10.1155/2009/429581",
        ),
    )

    def __init__(self, *, key: str, block: int = 8) -> None:
        self.key = text("key", key)
        self.block = whole("block", block)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: a permutation of blocks is not encryption."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Scrambled pictures of the same size."""
        return [self._move(i, s, _keep) for i, s in zip(images, context.samples, strict=True)]

    def recover(self, image: Image, sample: Sample) -> Image:
        """The exact original of a scrambled picture; ``sample`` must have the id it was scrambled under."""
        return self._move(image, sample, _inverse)

    def _move(self, image: Image, sample: Sample, direction: Callable[[Order], Order]) -> Image:
        height, width = image.shape[:2]
        bottom, right = height - height % self.block, width - width % self.block
        moved = image.copy()
        areas = {
            "body": (slice(0, bottom), slice(0, right)),
            "right": (slice(0, bottom), slice(right, width)),
            "bottom": (slice(bottom, height), slice(0, right)),
        }
        for purpose, area in areas.items():
            part = image[area]
            if part.size:
                high, wide = min(self.block, part.shape[0]), min(self.block, part.shape[1])
                blocks = part.reshape(part.shape[0] // high, high, part.shape[1] // wide, wide, 3)
                rows, columns = blocks.shape[0], blocks.shape[2]
                flat = blocks.swapaxes(1, 2).reshape(rows * columns, high, wide, 3)
                order = direction(keyed_order(self.key, sample.id, purpose, len(flat)))
                mixed = flat[order].reshape(rows, columns, high, wide, 3).swapaxes(1, 2)
                moved[area] = mixed.reshape(part.shape)
        return moved


class PixelRelocation:
    """Every pixel of the picture changes its place.

    Args:
        key: the secret; at least one character.

    Raises:
        ValueError: for an empty key.
    """

    meta = MethodMeta(
        name="pixel_relocation",
        version=1,
        scope="image",
        deterministic=True,
        source=Source(
            "after J. Cichowski, A. Czyzewski, Reversible video stream anonymization for video surveillance "
            "systems based on pixels relocation and watermarking, ICCV Workshops 2011, with a permutation "
            "derived from a key in place of theirs",
            url="https://doi.org/10.1109/ICCVW.2011.6130490",
        ),
    )

    def __init__(self, *, key: str) -> None:
        self.key = text("key", key)

    @property
    def guarantee(self) -> Guarantee | None:
        """None: a permutation of pixels is not encryption."""
        return None

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Scrambled pictures of the same size."""
        return [self._move(i, s, _keep) for i, s in zip(images, context.samples, strict=True)]

    def recover(self, image: Image, sample: Sample) -> Image:
        """The exact original of a scrambled picture; ``sample`` must have the id it was scrambled under."""
        return self._move(image, sample, _inverse)

    def _move(self, image: Image, sample: Sample, direction: Callable[[Order], Order]) -> Image:
        pixels = image.reshape(-1, 3)
        order = direction(keyed_order(self.key, sample.id, "all", len(pixels)))
        return pixels[order].reshape(image.shape)
