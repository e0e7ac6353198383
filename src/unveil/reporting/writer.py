"""Figures and tables beside the page, and the same figures for inside it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from unveil.reporting.svg import inline, to_svg
from unveil.store.files import write_atomically


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure in the page.

    Attributes:
        name: of its files, without ending.
        title: over it; ``description``: in its place, for readers who do not see it.
        svg: element; ``numbers``: its table as a ``data:`` URI.
    """

    name: str
    title: str
    description: str
    svg: Markup
    numbers: str


class Writer:
    """Puts figures and tables beside the page, under names that any file system takes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def table(self, name: str, frame: pd.DataFrame) -> None:
        """Write ``tables/NAME.csv``."""
        write_atomically(self.folder / "tables" / f"{name}.csv", _csv(frame).encode())

    def figure(self, name: str, title: str, description: str, figure: Figure, frame: pd.DataFrame) -> Shown:
        """Write ``figures/NAME.svg`` and, with its numbers, ``figures/NAME.csv``."""
        svg, text = to_svg(figure), _csv(frame)
        write_atomically(self.folder / "figures" / f"{name}.svg", svg.encode())
        write_atomically(self.folder / "figures" / f"{name}.csv", text.encode())
        numbers = f"data:text/csv;charset=utf-8,{quote(text)}"
        return Shown(name, title, description, Markup(inline(svg, name, description)), numbers)


def slug(text: str) -> str:
    """Part of a file name: a label may hold anything."""
    return (
        re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()
        or hashlib.sha256(text.encode()).hexdigest()[:8]
    )


def _csv(frame: pd.DataFrame) -> str:
    return str(frame.to_csv(index=False, lineterminator="\n"))
