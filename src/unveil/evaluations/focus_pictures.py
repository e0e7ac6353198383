"""Pictures of the focus of a recognizer, for the report: some faces under their heat maps, and mean faces."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import FaceContext
from unveil.evaluations.focus_faces import Look
from unveil.evaluations.heat import overlay

LEAST_PEOPLE = 5
"""Faces in a mean: one of fewer people could be recognised."""


@dataclass(slots=True)
class _Mean:
    """Sums over one photo of each person."""

    count: int = 0
    sums: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, look: Look) -> None:
        parts: tuple[NDArray[Any], ...] = (look.original, look.verification, look.protected, look.obfuscation)
        if not self.sums:
            self.sums = [np.zeros(part.shape) for part in parts]
        self.sums = [total + part for total, part in zip(self.sums, parts, strict=True)]
        self.count += 1


@dataclass(slots=True)
class FocusPictures:
    """Keeps pictures of a cell, as they come by.

    ``overlay <group> <n>`` shows, side by side, the original, the original under its heat map, the protected
    picture and that under its heat map; of unprotected photos only the first two. ``average <group>`` is the mean
    heat map on the mean face of the protected pictures of a group, ``average <group> original`` that of the same
    originals; of unprotected photos there is only the first. Group ``all`` where there is none.

    A person is shown, and counts in a mean, with the first photo that can be used. Photos of unknown people are in
    no mean: nobody knows that they show different people.

    Args:
        context: of the cell.
        overlays: people of each group to be shown.
    """

    context: FaceContext
    overlays: int
    _seen: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _shown: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _means: dict[str, _Mean] = field(default_factory=lambda: defaultdict(_Mean))

    def add(self, sample_id: str, look: Look) -> None:
        """Look at one face; an overlay of it may be kept at once."""
        sample = self.context.samples.loc[sample_id]
        group, person = _spelled(sample["demographic_group"]), sample["identity"]
        if (person or sample_id) in self._seen[group]:
            return
        self._seen[group].add(person or sample_id)
        if self._shown[group] < self.overlays:
            self._shown[group] += 1
            self.context.keep(f"overlay {group} {self._shown[group]}", self._panels(look))
        if person:
            self._means[group].add(look)

    def keep_averages(self) -> None:
        """Keep the mean faces of groups that are large enough."""
        for group, mean in self._means.items():
            if mean.count < LEAST_PEOPLE:
                continue
            original, verification, protected, obfuscation = (total / mean.count for total in mean.sums)
            self.context.keep(f"average {group}", overlay(protected, obfuscation))
            if self._compared:
                self.context.keep(f"average {group} original", overlay(original, verification))

    @property
    def _compared(self) -> bool:
        return self.context.method != "original"

    def _panels(self, look: Look) -> NDArray[np.uint8]:
        panels = [look.original, overlay(look.original, look.verification)]
        if self._compared:
            panels += [look.protected, overlay(look.protected, look.obfuscation)]
        return np.concatenate(panels, axis=1)


def _spelled(group: str) -> str:
    """A group as a part of a file's name."""
    return re.sub(r"[^\w -]", "-", group)[:80].strip() or "all"
