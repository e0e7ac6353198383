"""Ages out of file names, and the groups that they fall into."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from unveil.core.errors import DataError

DECADES = (10, 20, 30, 40, 50, 60, 70)
"""Ages in years at which the next group begins: ten years each, and one group from 70 on."""

_OLDEST = 122  # years; the longest life on record


def read_age(text: str, where: str) -> int:
    """Whole years.

    Args:
        text: as it stands in the name.
        where: what names it, for the message.

    Raises:
        DataError: when it is no whole number from 0 to 122.
    """
    if not (text.isascii() and text.isdigit() and int(text) <= _OLDEST):
        raise DataError(f"{where}: the age must be a whole number from 0 to {_OLDEST}, not {text!r:.40}")
    return int(text)


def check_bounds(bounds: Sequence[int]) -> tuple[int, ...]:
    """Check the parameter ``age_bounds``; empty means no groups.

    Raises:
        ValueError: unless it is a list of whole numbers from 1, each larger than the one before.
    """
    whole = not isinstance(bounds, str) and all(isinstance(b, int) and not isinstance(b, bool) for b in bounds)
    if not whole or not all(low < high for low, high in pairwise((0, *bounds))):
        raise ValueError(f"age_bounds must be whole numbers from 1 in rising order, not {bounds!r}")
    return tuple(bounds)


def describe_age(age: int, bounds: Sequence[int]) -> dict[str, str]:
    """The attributes ``age`` and, with bounds, ``age_group``.

    >>> describe_age(39, (18, 40)), describe_age(40, (18, 40))["age_group"]
    ({'age': '39', 'age_group': '18-39'}, '40 or more')
    """
    if not bounds:
        return {"age": str(age)}
    lowest = max(bound for bound in (0, *bounds) if bound <= age)
    next_one = next((bound for bound in bounds if bound > age), None)
    group = f"{lowest} or more" if next_one is None else f"{lowest}-{next_one - 1}"
    return {"age": str(age), "age_group": group}
