"""How the command line looks: progress bars with rate and time left, and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from unveil.engine.progress import Advance


class Bars:
    """Draws one bar per step; implements :class:`unveil.engine.progress.Progress`.

    Args:
        console: where to draw; when it is no terminal, each step leaves one line as it ends.
    """

    def __init__(self, console: Console) -> None:
        self.console = console

    @contextmanager
    def step(self, title: str, total: int, unit: str) -> Iterator[Advance]:
        """One step; a ``total`` of 0 means that it is not known before."""
        wide = self.console.width >= 110
        columns = (
            SpinnerColumn(finished_text="[green]✓[/]"),
            TextColumn(f"{{task.description:<{44 if wide else 28}}}", markup=False),
            BarColumn(bar_width=24 if wide else 8),
            MofNCompleteColumn(),
            TextColumn("[dim]{task.fields[rate]}"),
            TextColumn("[dim]left"),
            TimeRemainingColumn(),
            *((TextColumn("[dim]after"), TimeElapsedColumn()) if wide else ()),
        )
        with Progress(*columns, console=self.console, disable=not self.console.is_terminal) as bars:
            task = bars.add_task(title if wide else _short(title, 28), total=total or None, rate="")

            def advance(done: int, total: int | None = None) -> None:
                if total is not None:
                    bars.update(task, total=total)
                bars.advance(task, done)
                speed = bars.tasks[0].speed
                bars.update(task, rate=f"{speed:.0f} {unit}/s" if speed else "")

            yield advance
            done = bars.tasks[0].completed
            bars.update(task, total=done, completed=done)
        if not self.console.is_terminal:
            self.console.print(f"{title}: {done:.0f} {unit}", markup=False, highlight=False)


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A table for the terminal; numbers are right-aligned and never broken, what is missing is a dash."""
    drawn = Table(title=escape(title), title_justify="left", header_style="bold", box=None, pad_edge=False)
    for position, name in enumerate(head):
        cells = [row[position] for row in rows if not _missing(row[position])]
        numeric = bool(cells) and all(isinstance(cell, int | float) for cell in cells)
        short = all(len(str(cell)) <= 14 for cell in cells)
        justify: Literal["left", "right"] = "right" if numeric else "left"
        drawn.add_column(escape(name), justify=justify, overflow="fold", no_wrap=numeric or short)
    for row in rows:
        drawn.add_row(*map(_cell, row))
    return drawn


def _missing(cell: object) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _cell(cell: object) -> str:
    if _missing(cell):
        return "–"
    # Escaped: a file may be called "a[/b].jpg".
    return f"{cell:.3f}" if isinstance(cell, float) else escape(str(cell))


def _short(title: str, width: int) -> str:
    """The end of a title tells the steps of a run apart, so its beginning gives way."""
    return title if len(title) <= width else "…" + title[1 - width :]
