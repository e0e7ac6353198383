from __future__ import annotations

import io
import re
import time

import pytest
from rich.console import Console

from unveil.terminal import Bars, table


def drawn(*arguments: object) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(table(*arguments))  # type: ignore[arg-type]
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_names_of_files_are_shown_as_they_are() -> None:
    rows = [("a[/b].jpg", "x[bold].png"), ("[red]", "\\[dim]")]
    text = drawn("[1] findings", ("path", "[other]"), rows)
    for part in ("[1] findings", "[other]", *(cell for row in rows for cell in row)):
        assert part in text


def test_numbers_are_rounded_and_stand_at_the_right() -> None:
    lines = drawn("t", ("name", "value"), [("a", 0.12345), ("b", 12)]).splitlines()
    assert lines[2].rstrip().endswith("0.123") and lines[3].rstrip().endswith("   12")


def test_an_empty_table_shows_its_head() -> None:
    assert "name" in drawn("nothing", ("name",), [])


def test_steps_leave_one_line_where_there_is_no_terminal() -> None:
    console = Console(file=io.StringIO(), width=100)
    bars = Bars(console)
    with bars.step("[b]reading[/x]", 3, "photos") as advance:
        advance(1)
        advance(2)
    with bars.step("unknown length", 0, "files") as advance:
        advance(5)
    assert console.file.getvalue() == "[b]reading[/x]: 3 photos\nunknown length: 5 files\n"  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [80, 160])
def test_a_terminal_gets_a_bar_with_count_rate_and_time_left(width: int) -> None:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    with Bars(console).step("a dataset with a long name · protecting", 4000, "photos") as advance:
        for _ in range(4):
            advance(1000)
            time.sleep(0.02)
    lines = re.split("[\r\n]+", console.file.getvalue())  # type: ignore[attr-defined]
    last = [line for line in lines if "4000/4000" in line][-1]
    assert "· protecting" in last
    assert re.search(r"\d photos/s +left +0:00:00", last)
    assert last.count("…") == (width == 80)  # only the title is cut, at its beginning


def test_an_error_inside_a_step_comes_through() -> None:
    with pytest.raises(KeyError), Bars(Console(file=io.StringIO())).step("t", 1, "u"):
        raise KeyError("x")
