"""Which of several models a run goes on with, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, and from what.

    Attributes:
        chosen: label of the recognizer.
        by: metric that decided, its mean over datasets and detectors.
        candidates: ``label``, ``value`` (None when it could not be measured) and ``pairs`` compared, best first.
    """

    chosen: str
    by: str
    candidates: Sequence[dict[str, Any]]
