"""Things of which each serves one thread at a time, such as the networks of OpenCV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Pool(Generic[Thing]):
    """Lends what is free and makes another one when nothing is: in the end, one for each thread.

    Args:
        make: gives a new one.
    """

    def __init__(self, make: Callable[[], Thing]) -> None:
        self._make = make
        self._free: SimpleQueue[Thing] = SimpleQueue()

    @contextmanager
    def lend(self) -> Iterator[Thing]:
        """One that nobody else uses meanwhile."""
        try:
            thing = self._free.get_nowait()
        except Empty:
            thing = self._make()
        try:
            yield thing
        finally:
            self._free.put(thing)
