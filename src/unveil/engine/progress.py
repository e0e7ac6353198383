"""How long-running steps tell what they are doing. The command line draws bars from this; tests ignore it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Advance(Protocol):
    """Tells of units that are done."""

    def __call__(self, done: int, total: int | None = None) -> None:
        """``done`` units since the last call; ``total`` when it has become known."""


def counting(advance: Advance) -> Callable[[int, int], None]:
    """For callees that tell (units done so far, units in all)."""
    told = 0

    def tell(done: int, total: int) -> None:
        nonlocal told
        advance(done - told, total)
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
        yield _ignore


def _ignore(done: int, total: int | None = None) -> None:
    """Nobody watches."""
