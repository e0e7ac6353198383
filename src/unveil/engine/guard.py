"""The one place where an unexpected exception of a component becomes a counted Failure.

A batch that breaks is tried again in halves, down to single pictures: one bad picture (or a batch too large
for the memory) must not cost its neighbours. What still breaks alone is a Failure with reason ``exception``,
which lowers the passing rate *and* counts against the error budget.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from unveil.core.errors import UnveilError
from unveil.core.types import Failure, Reason

Result = TypeVar("Result")


def guarded(
    call: Callable[[Sequence[int]], Sequence[Result | Failure]], positions: Sequence[int]
) -> list[Result | Failure]:
    """Results of ``call(positions)``, one per position, whatever happens inside.

    Args:
        call: gets positions and returns one result for each, in order.
        positions: of the items to work on.

    Raises:
        UnveilError: is passed on: it tells a person what to change.
    """
    if not positions:
        return []
    try:
        results = list(call(positions))
    except UnveilError:
        raise
    except Exception as error:
        if len(positions) == 1:
            return [Failure(Reason.EXCEPTION, _describe(error))]
        return _halves(call, positions)
    if len(results) == len(positions):
        return results
    if len(positions) == 1:
        return [Failure(Reason.BAD_OUTPUT, f"the component returned {len(results)} results for one picture")]
    return _halves(call, positions)


def _halves(
    call: Callable[[Sequence[int]], Sequence[Result | Failure]], positions: Sequence[int]
) -> list[Result | Failure]:
    middle = len(positions) // 2
    return guarded(call, positions[:middle]) + guarded(call, positions[middle:])


def _describe(error: Exception) -> str:
    """One line: what was raised, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}{where}"
