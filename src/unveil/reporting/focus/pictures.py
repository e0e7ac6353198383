"""Pictures of the focus, as they go into the page: mean faces under their heat, and a few single ones."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unveil.core.errors import StoreError
from unveil.core.types import Failure
from unveil.images import encode_jpeg, read_image
from unveil.reporting.results import Results

_MEAN = re.compile(r"average (?P<group>.+?)(?P<before> original)?")
_OVERLAY = re.compile(r"overlay (?P<group>.+) 1")

MOST_OVERLAYS = 4
"""Groups of whom one person is shown: each costs the page about 25 kB per method."""


@dataclass(frozen=True, slots=True)
class FocusPictures:
    """Method -> group -> ``data:`` URI, with the groups in the order of the columns.

    Attributes:
        groups, means: mean heat on mean faces.
        people, overlays: one person of a group: original, its heat, and the same protected.
    """

    groups: Sequence[str]
    means: Mapping[str, Mapping[str, str]]
    people: Sequence[str]
    overlays: Mapping[str, Mapping[str, str]]

    @property
    def size(self) -> int:
        """Kilobytes that they add to the page."""
        rows = [*self.means.values(), *self.overlays.values()]
        return round(sum(len(uri) for row in rows for uri in row.values()) / 1000)


def focus_pictures(results: Results, cells: Mapping[str, str]) -> FocusPictures:
    """Read the pictures that a run kept.

    Args:
        results: of the run.
        cells: method -> cell.

    Raises:
        StoreError: when a picture is damaged.
    """
    means: dict[str, dict[str, Path]] = {}
    overlays: dict[str, dict[str, Path]] = {}
    for method, cell in cells.items():
        for name, path in results.pictures.get(cell, {}).items():
            if (mean := _MEAN.fullmatch(name)) and not mean["before"]:
                means.setdefault(method, {})[mean["group"]] = path
            elif one := _OVERLAY.fullmatch(name):
                overlays.setdefault(method, {})[one["group"]] = path
    groups = sorted({group for row in means.values() for group in row})
    people = sorted({group for row in overlays.values() for group in row})[:MOST_OVERLAYS]
    return FocusPictures(groups, _embedded(means, groups), people, _embedded(overlays, people))


def _embedded(rows: Mapping[str, Mapping[str, Path]], groups: Sequence[str]) -> dict[str, dict[str, str]]:
    return {method: {group: _uri(row[group]) for group in groups if group in row} for method, row in rows.items()}


def _uri(path: Path) -> str:
    picture = read_image(path)
    if isinstance(picture, Failure):
        raise StoreError(f"{path}: cannot be read: {picture.detail}")
    return f"data:image/jpeg;base64,{base64.b64encode(encode_jpeg(picture)).decode()}"
