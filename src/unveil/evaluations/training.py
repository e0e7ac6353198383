"""By whose pictures a model has learnt before it is used: the protocols of privacy and utility."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unveil.core.protocols import Version
from unveil.core.roles import Trainable

TRAINED_ON: Mapping[str, Version] = {
    "trained_on_originals": "original",
    "trained_on_protected": "protected",
    "pretrained": "original",  # it has not learnt in this run at all
}
"""Threat model -> version of the pictures that a model which learns is trained on."""


def suits(threat_model: str, model: Any) -> bool:
    """Whether a model can be used so: ``pretrained`` when it does not learn in the run, else the other two."""
    return isinstance(model, Trainable) == (threat_model != "pretrained")
