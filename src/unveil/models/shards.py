"""Gradients of a batch computed in shards, each by a copy of the network on a thread of its own.

A layer of a small network keeps a core busy for a millisecond. Two cores that share such a layer wait for each
other at its end, and where another program uses one of them, both wait for it: a training took 390 s of core
time instead of 105. Shards meet once per step. Their number is fixed, so that the result does not depend on the
number of cores.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import torch
from torch import Tensor, nn

Loss = Callable[[nn.Module, int, Tensor], Tensor]
"""Network, number of the shard, indices of its pictures -> mean loss over them."""


class Shards:
    """Copies of a network that share its weights; each keeps statistics of its own during a step.

    Args:
        network: that learns.
        count: at most so many shards per batch; with 1, PyTorch shares every layer between the cores.
    """

    def __init__(self, network: nn.Module, count: int) -> None:
        self.copies = [network, *(_sharing(network) for _ in range(count - 1))]
        self.parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]

    @contextmanager
    def working(self) -> Iterator[Callable[[Tensor, Loss], None]]:
        """What to call with the indices (n,) of a batch and a loss: it leaves gradients in the weights."""
        for network in self.copies:
            network.train()
        if len(self.copies) == 1:
            yield lambda chosen, loss: self._gather([self._gradients(0, chosen, loss)], [1.0])
            return
        cores = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            with ThreadPoolExecutor(len(self.copies), initializer=torch.set_num_threads, initargs=(1,)) as pool:
                yield lambda chosen, loss: self._in_parallel(pool, chosen, loss)
        finally:
            torch.set_num_threads(cores)

    def _in_parallel(self, pool: ThreadPoolExecutor, chosen: Tensor, loss: Loss) -> None:
        # Two pictures at least: the statistics of one say nothing.
        parts = chosen.tensor_split(max(1, min(len(self.copies), len(chosen) // 2)))
        found = list(pool.map(lambda i: self._gradients(i, parts[i], loss), range(len(parts))))
        self._gather(found, [len(part) / len(chosen) for part in parts])

    def _gradients(self, number: int, chosen: Tensor, loss: Loss) -> Sequence[Tensor | None]:
        value = loss(self.copies[number], number, chosen)
        return torch.autograd.grad(value, self.parameters, allow_unused=True)

    def _gather(self, found: Sequence[Sequence[Tensor | None]], shares: Sequence[float]) -> None:
        for parameter, gradients in zip(self.parameters, zip(*found, strict=True), strict=True):
            parts = [g * share for g, share in zip(gradients, shares, strict=True) if g is not None]
            parameter.grad = sum(parts[1:], start=parts[0]) if parts else None
        with torch.no_grad():
            for buffers in zip(*(network.buffers() for network in self.copies), strict=True):
                moved = buffers[: len(found)]
                if buffers[0].is_floating_point() and len(moved) > 1:
                    buffers[0].copy_(sum(b * s for b, s in zip(moved, shares, strict=True)))
                for other in buffers[1:]:
                    other.copy_(buffers[0])


def _sharing(network: nn.Module) -> nn.Module:
    """A copy whose parameters are those of the network, and whose buffers are its own."""
    twin = copy.deepcopy(network)
    for module, other in zip(network.modules(), twin.modules(), strict=True):
        for name, parameter in module.named_parameters(recurse=False):
            setattr(other, name, parameter)
    return twin
