"""How long-running steps tell what they are doing. The command line draws bars from this; tests ignore it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]
"""Called with the number of units done since the last call."""


def counting(advance: Advance) -> Callable[[int, int], None]:
    """For callees that tell (units done so far, units in all)."""
    told = 0

    def tell(done: int, total: int) -> None:
        nonlocal told
        advance(done - told)
        told = done

    return tell


class Progress(Protocol):
    """Shows steps."""

    def step(self, title: str, total: int, unit: str) -> AbstractContextManager[Advance]:
        """One step with ``total`` units, such as 384 ``photos``."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def step(self, title: str, total: int, unit: str) -> Iterator[Advance]:
        """A step that nobody watches."""
        yield lambda done: None
