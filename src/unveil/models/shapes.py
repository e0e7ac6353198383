"""Batches in few sizes: PyTorch keeps what it prepared for every size that a layer has seen.

Faces come in ever-changing numbers. Without this, 1,000 photos of which each shard has another number of faces
cost about 50 MB that no later photo needs.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def in_few_sizes(network: nn.Module, batch: Tensor, multiple: int) -> Tensor:
    """What ``network(batch)`` gives, computed on a filled-up batch.

    Args:
        network: treats the items of a batch independently.
        batch: (n, ...), n may be 0.
        multiple: a power of two; the computed size is a multiple of it, or a smaller power of two.
    """
    count = len(batch)
    size = 1 << max(count - 1, 0).bit_length() if count < multiple else count + -count % multiple
    missing = size - count
    if not missing or not count:
        return network(batch)
    filling = torch.zeros_like(batch[:1]).expand(missing, *batch.shape[1:])
    return network(torch.cat([batch, filling]))[:count]
