"""Numbers out of files that anybody may have written."""

from __future__ import annotations

_MOST = 1e9  # no picture has as many pixels


def finite_numbers(values: object, what: str, count: int | None = None) -> list[float]:
    """A list of numbers as floats, each between minus and plus 1e9.

    Args:
        values: as a parser gave it.
        what: the list's name for the message, such as ``a bbox``.
        count: how many there must be; None for any.

    Raises:
        ValueError: when it is no list of that many such numbers; names the value.
    """
    if not isinstance(values, list) or (count is not None and len(values) != count):
        number = "" if count is None else f"{count} "
        found = f"{len(values)} values" if isinstance(values, list) else f"{values!r:.40}"
        raise ValueError(f"{what} must be {number}numbers, not {found}")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not -_MOST <= value <= _MOST:
            raise ValueError(f"{what} must be numbers that are places in a picture, not {value!r:.40}")
    return [float(value) for value in values]
