"""matplotlib figure -> SVG: the same bytes for the same numbers, text as text, ids that do not collide."""

from __future__ import annotations

import io
import re
from html import escape

import matplotlib as mpl
from matplotlib.figure import Figure

from unveil.reporting.palette import ACCENT, GRID, INK

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

_IN_PAGE = {INK: "currentColor", GRID: "var(--line)", ACCENT: "var(--accent)"}


def to_svg(figure: Figure) -> str:
    """A whole SVG file, for the folder of figures."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "unveil", "svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    return buffer.getvalue()


def inline(svg: str, name: str, description: str) -> str:
    """The element for a page: described for readers who do not see it, in the page's colours and font.

    Args:
        svg: from :func:`to_svg`.
        name: unique in the page; put before every id.
        description: what the figure shows, in words.
    """
    element = svg[svg.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    element = re.sub(r'\bid="', f'id="{name}-', element)
    element = re.sub(r"url\(#", f"url(#{name}-", element)
    element = re.sub(r'href="#', f'href="#{name}-', element)
    for colour, in_page in _IN_PAGE.items():
        element = element.replace(colour, in_page)
    element = re.sub(r"(font: [^;\"]*?[\d.]+px) [^;\"]+", rf"\1 {_FONT}", element)
    label = escape(description, quote=True)
    return re.sub(r'<svg width="[^"]*" height="[^"]*"', "<svg", element, count=1).replace(
        "<svg", f'<svg role="img" aria-label="{label}"', 1
    )
