"""What the data doctor tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a person should know before trusting numbers from this data.

    Attributes:
        severity: ``error`` (numbers would be wrong), ``warning`` (numbers would be weak) or ``note``.
        rule: short name of the rule.
        subject: file, identity or group.
        message: what is the case, with the value.
    """

    severity: Severity
    rule: str
    subject: str
    message: str
