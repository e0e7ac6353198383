"""A measured number with what it stands on. Per cent appear here and nowhere below the report."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Number:
    """A value that is never shown without its interval and its n.

    Attributes:
        value: a share in [0, 1], or another quantity; NaN when nothing could be measured.
        low, high: ends of its interval; NaN when there is none.
        n: units in the denominator; ``people``: persons among them; ``excluded``: units left out.
        share: the value is a share, and shown in per cent; else it is shown as it is.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    people: int = 0
    excluded: int = 0
    share: bool = True

    @classmethod
    def of(cls, row: Any, *, share: bool = True) -> Number:
        """From a row of the measures table."""
        value, low, high = (_real(row[name]) for name in ("value", "ci_low", "ci_high"))
        n, people, excluded = (_whole(row[name]) for name in ("n", "n_identities", "n_excluded"))
        return cls(value, low, high, n, people, excluded, share)

    @property
    def known(self) -> bool:
        """Whether anything was measured."""
        return not math.isnan(self.value)

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def complement(self) -> Number:
        """1 - value, with the interval turned round."""
        return Number(1 - self.value, 1 - self.high, 1 - self.low, self.n, self.people, self.excluded)

    @property
    def text(self) -> str:
        """Such as ``4.2%`` or ``0.237``; a dash when unknown."""
        return percent(self.value) if self.share else amount(self.value)

    @property
    def percent(self) -> str:
        """Such as ``4.2%``; a dash when unknown."""
        return percent(self.value)

    @property
    def interval(self) -> str:
        """Such as ``2.9–5.8%`` or ``0.07–0.50``; empty when there is none."""
        if not self.bounded:
            return ""
        low = percent(self.low)[:-1] if self.share else amount(self.low)
        between = " to " if self.low < 0 else "–"
        return f"{low}{between}{percent(self.high) if self.share else amount(self.high)}"

    def overlaps(self, other: Number) -> bool:
        """Whether the intervals share a point; True when one has none, for then nothing is told apart."""
        if not (self.bounded and other.bounded):
            return True
        return self.low <= other.high and other.low <= self.high


def percent(share: float | None, digits: int = 1) -> str:
    """A share as per cent.

    >>> percent(0.0421), percent(1.0), percent(float("nan"))
    ('4.2%', '100.0%', '–')
    """
    if share is None or math.isnan(share):
        return "–"
    return f"{100 * share:.{digits}f}%".replace("-0.0%", "0.0%").replace("-", "−")


def amount(value: float | None) -> str:
    """A quantity that is no share, to about three digits.

    >>> amount(0.0569), amount(2.4), amount(191.2), amount(1686.19), amount(float("nan"))
    ('0.057', '2.40', '191', '1,686', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 4 if 0 < size < 0.01 else 3
    return f"{value:,.{digits}f}".replace("-", "−")


def points(share: float | None) -> str:
    """A gap in percentage points, such as ``12.3``."""
    return percent(share).removesuffix("%")


def gap(value: float | None, definition: str) -> str:
    """A comparison of two rates: a ratio in per cent, a difference in points.

    >>> gap(0.93, "ratio"), gap(-0.051, "difference")
    ('93.0%', '−5.1 points')
    """
    shown = points(value)
    return percent(value) if definition == "ratio" or shown == "–" else f"{shown} points"


def count(amount: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count(1, "photo"), count(1384, "photo"), count(2, "identity", "identities")
    ('1 photo', '1,384 photos', '2 identities')
    """
    return f"{amount:,} {noun if amount == 1 else plural or noun + 's'}"


def _whole(value: Any) -> int:
    return 0 if value is None or math.isnan(value) else int(value)


def _real(value: Any) -> float:
    return math.nan if value is None else float(value)
