"""Overrides of settings from the command line: ``--set models.detector=[opencv]``."""

from __future__ import annotations

from typing import Any

import yaml

from unveil.core.errors import ConfigError


def apply(override: str, data: dict[str, Any]) -> None:
    """Set one setting inside parsed YAML.

    Args:
        override: such as ``models.detector=[opencv]`` or ``methods.0.params.size=8``; the value is YAML.
        data: is changed in place.

    Raises:
        ConfigError: when it does not look like that, or names a place that cannot be.
    """
    path, found, text = override.partition("=")
    if not found:
        raise ConfigError(f"--set {override}: must look like setting=value")
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"--set {override}: the value is not valid YAML") from error
    *parents, last = path.strip().split(".")
    node: Any = data
    for part in parents:
        node = _child(node, part, override)
    if isinstance(node, list):
        node[_index(node, last, override)] = value
    else:
        node[last] = value


def _child(node: Any, part: str, override: str) -> Any:
    child = node[_index(node, part, override)] if isinstance(node, list) else node.setdefault(part, {})
    if not isinstance(child, dict | list):
        raise ConfigError(f"--set {override}: {part!r} has the value {child!r}, which has no settings inside")
    return child


def _index(node: list[Any], part: str, override: str) -> int:
    if not node:
        raise ConfigError(f"--set {override}: {part!r} must be a position, but the list is empty")
    if not part.isdecimal() or int(part) >= len(node):
        raise ConfigError(f"--set {override}: {part!r} must be a position from 0 to {len(node) - 1}")
    return int(part)
