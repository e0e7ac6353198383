"""Checks of parameters that components share: each raises ValueError naming parameter, rule and value."""

from __future__ import annotations

import math
from collections.abc import Sequence


def number(
    name: str, value: float, *, above: float = -math.inf, low: float = -math.inf, high: float = math.inf
) -> float:
    """A finite number in ``(above, high]`` and ``[low, high]``.

    Raises:
        ValueError: for NaN, infinity, something that is no number, or a value outside.

    >>> number("eps", 0.5, above=0)
    0.5
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    if value <= above or value < low or value > high:
        limits = [("above", above), ("at least", low), ("at most", high)]
        rule = " and ".join(f"{word} {limit:g}" for word, limit in limits if math.isfinite(limit))
        raise ValueError(f"{name} must be {rule}, got {value!r}")
    return float(value)


def whole(name: str, value: int, *, low: int = 1) -> int:
    """A whole number of at least ``low``.

    Raises:
        ValueError: otherwise.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ValueError(f"{name} must be a whole number of at least {low}, got {value!r}")
    return value


def choice(name: str, value: str, options: Sequence[str]) -> str:
    """One of the options.

    Raises:
        ValueError: otherwise.
    """
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(options)}, got {value!r}")
    return value


def flag(name: str, value: bool) -> bool:
    """True or false, and nothing that merely looks like it.

    Raises:
        ValueError: otherwise.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, got {value!r}")
    return value


def text(name: str, value: str) -> str:
    """A text with at least one character.

    Raises:
        ValueError: otherwise.
    """
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a text of at least one character, got {value!r}")
    return value


def color(name: str, value: Sequence[int]) -> tuple[int, int, int]:
    """Red, green and blue in 0..255.

    Raises:
        ValueError: otherwise.
    """
    if (
        isinstance(value, str)
        or not isinstance(value, Sequence)
        or len(value) != 3
        or any(isinstance(v, bool) or not isinstance(v, int) or not 0 <= v <= 255 for v in value)
    ):
        raise ValueError(f"{name} must be three whole numbers (red, green, blue) in 0..255, got {value!r}")
    red, green, blue = value
    return red, green, blue
