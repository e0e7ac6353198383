"""Pictures are worked on in shards: consecutive samples, few enough to hold in memory together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unveil.core.types import Sample

MAX_SHARD_PIXELS = 48_000_000
"""Decoded, a shard takes at most three bytes times this, however large the photos are."""


def shards(samples: Sequence[Sample], size: int) -> Iterator[list[Sample]]:
    """Split samples into shards of at most ``size`` pictures and :data:`MAX_SHARD_PIXELS` pixels.

    A picture that is larger than the limit alone is a shard of its own.
    """
    shard: list[Sample] = []
    pixels = 0
    for sample in samples:
        area = sample.width * sample.height
        if shard and (len(shard) == size or pixels + area > MAX_SHARD_PIXELS):
            yield shard
            shard, pixels = [], 0
        shard.append(sample)
        pixels += area
    if shard:
        yield shard
