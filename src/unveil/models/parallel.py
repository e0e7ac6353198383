"""Work on several batches at once, each on one core.

The networks here are small: a core is busy with one of their layers for a fraction of a millisecond. Sharing a
layer between cores, as PyTorch does by default, makes them wait for each other at its end. So every core takes
batches of its own: on two cores that others used too, MTCNN took 3 ms per picture of 112 pixels instead of 36.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def fair_share(amount: int) -> int:
    """Largest batch with which every core gets some of ``amount``; at least 1."""
    return max(1, -(-amount // torch.get_num_threads()))


def on_every_core(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Results of ``work`` in the order of ``items``, computed in inference mode.

    As many items at a time as PyTorch may use threads (``torch.get_num_threads()``), each on one thread.
    """
    cores = torch.get_num_threads()

    def quietly(item: Item) -> Result:
        with torch.inference_mode():
            return work(item)

    try:
        # The limit of one holds for the thread that sets it, and for threads that are started later.
        with ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            return list(pool.map(quietly, items))
    finally:
        torch.set_num_threads(cores)
