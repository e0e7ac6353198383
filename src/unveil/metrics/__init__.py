"""Table of the built-in metrics: name -> ("module:Class", preset parameters). Strings only, nothing is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPONENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {}
