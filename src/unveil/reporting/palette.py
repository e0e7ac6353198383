"""Colours and marks of figures. Told apart without colour vision, and in print by the marks alone.

Source: Okabe and Ito, Color Universal Design (2008).
"""

from __future__ import annotations

from collections.abc import Sequence

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d46", "#7f7f7f")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", ":", "-.")

INK = "#1c2127"
"""Text and axes; the page's own text colour takes its place."""

GRID = "#d9dde2"
"""Grid lines; the page's own line colour takes its place."""

ACCENT = "#0b6e69"
"""The one colour of single-series figures, as in the page."""


def style(names: Sequence[str]) -> dict[str, tuple[str, str, str]]:
    """Name -> (colour, mark, line), in the order given; the lines change when the colours begin anew."""
    return {name: (COLOURS[i % 8], MARKS[(i + i // 8) % 8], LINES[i // 8 % 4]) for i, name in enumerate(names)}
