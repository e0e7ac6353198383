"""How much of an attribute is still there: one formula per kind, for protected against original and for truth.

Two other formulas for age stand in FairDeFace's released code and are not offered, because with them the same
pictures give different numbers: the difference divided by the *original's* age (its bias script) is not symmetric
and makes the rate negative for a gap larger than that age; the mean absolute difference in years (its results
script) is no rate and cannot stand beside those of other attributes. The paper's own formula is used. Besides,
where not exactly one face is found, the released collector goes on with the age of the picture *before*; here the
largest face is taken, and a picture without one is left out and counted.
"""

from __future__ import annotations

import math

from unveil.core.roles import Kind
from unveil.core.types import Value


def preserved(kind: Kind, one: Value, other: Value) -> float:
    """How well two values of an attribute agree; symmetric, and 1 for equal ones.

    ===============  =================================================================  ========
    kind             formula                                                            range
    ===============  =================================================================  ========
    ``categorical``  1 for the same word, whatever its case, else 0                     0 or 1
    ``numeric``      1 - abs(a - b) / max(a, b); two zeros are equal                    [0, 1]
    ``angles``       cosine of both vectors; 1 for two zero vectors, 0 for one of them  [-1, 1]
    ===============  =================================================================  ========

    Source: FairDeFace, attribute preserving rate, and head pose preserving as cosine similarity.

    Raises:
        ValueError: for a value that is not of its kind, a negative or infinite number, or another kind.

    >>> preserved("numeric", 20.0, 25.0)
    0.8
    >>> preserved("categorical", "Female", "female")
    1.0
    """
    match kind:
        case "categorical":
            return float(_word(one) == _word(other))
        case "numeric":
            low, high = sorted((_number(one), _number(other)))
            return low / high if high else 1.0  # 1 - (high - low) / high, without its rounding
        case "angles":
            return _cosine(_vector(one), _vector(other))
    raise ValueError(f"kind must be categorical, numeric or angles, got {kind!r}")


def spelled(value: Value) -> str:
    """A value as the observations hold it: a word as it is, a number exactly, angles with one decimal.

    >>> spelled((1.26, -0.04, 3.0))
    '1.3,0.0,3.0'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return ",".join(f"{round(angle, 1) + 0.0:.1f}" for angle in value)  # no minus before 0.0
    return repr(float(value))


def understood(kind: Kind, text: str) -> Value:
    """The value that a text of a dataset means. Nothing is guessed: a range of ages is no age.

    Raises:
        ValueError: for a text that is no value of this kind.

    >>> understood("numeric", "31")
    31.0
    """
    match kind:
        case "categorical":
            return text
        case "numeric":
            return _number(float(text))
        case _:
            return _vector(tuple(float(part) for part in text.split(",")))


def _word(value: Value) -> str:
    if not isinstance(value, str):
        raise ValueError(f"a categorical value must be a word, got {value!r}")
    return value.strip().casefold()


def _number(value: Value) -> float:
    if isinstance(value, str | tuple) or not math.isfinite(value) or value < 0:
        raise ValueError(f"a numeric value must be a finite number from 0, got {value!r}")
    return float(value)


def _vector(value: Value) -> tuple[float, ...]:
    if not isinstance(value, tuple) or len(value) != 3 or not all(math.isfinite(angle) for angle in value):
        raise ValueError(f"angles must be three finite numbers (yaw, pitch, roll), got {value!r}")
    return value


def _cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    one, other = _scaled(one), _scaled(other)
    first, second = math.hypot(*one), math.hypot(*other)
    if not first or not second:
        return float(first == second)
    # Divided before they are multiplied: the product of two tiny lengths would be zero.
    cosine = math.fsum(a / first * (b / second) for a, b in zip(one, other, strict=True))
    return min(max(cosine, -1.0), 1.0)


def _scaled(vector: tuple[float, ...]) -> tuple[float, ...]:
    """The same direction, with 1 as the largest part: the squares of tiny numbers would vanish."""
    largest = max(map(abs, vector))
    return tuple(part / largest for part in vector) if largest else vector
