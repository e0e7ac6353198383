"""``available`` in place of a model's name: everything of its role that works on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from unveil import registry
from unveil.config import Models, RunConfig, Use
from unveil.core.errors import ConfigError, Unavailable

AVAILABLE = "available"

Part = TypeVar("Part", bound=Any)


def with_available(config: RunConfig) -> RunConfig:
    """A configuration in which ``available`` is replaced by names.

    Raises:
        ConfigError: when nothing of a role works here, or a parameter is given with ``available``.
    """
    return config.model_copy(
        update={
            "models": _expanded(config.models),
            "evaluations": tuple(_expanded(use) for use in config.evaluations),
        }
    )


def _expanded(part: Part) -> Part:
    """``models``, or one of ``evaluations``."""
    roles = [name for name, field in Models.model_fields.items() if isinstance(field.default, tuple)]
    given = {role: getattr(part, role) for role in roles}
    changed = {role: _named(role, uses) for role, uses in given.items() if AVAILABLE in {use.use for use in uses}}
    return part.model_copy(update=changed) if changed else part


def _named(role: str, uses: Sequence[Use]) -> tuple[Use, ...]:
    others = [use for use in uses if use.use != AVAILABLE]
    if odd := [use for use in uses if use.use == AVAILABLE and (use.params or use.name)]:
        raise ConfigError(
            f"models.{role}: {AVAILABLE!r} takes no parameters and no name, not {odd[0].params or odd[0].name!r}"
        )
    named = {use.label for use in others}
    found = [Use(use=name) for name in available(role) if name not in named]
    if not others and not found:
        raise ConfigError(f"models.{role}: nothing is available; `unveil list models` says what is missing")
    return (*others, *found)


def available(role: str) -> list[str]:
    """Names of the components of a role that need no parameters and lack nothing here.

    Services that get the pictures are left out: no photo leaves this machine unless a person names them.
    """
    prefix = f"{role}:"
    return [
        name.removeprefix(prefix) for name in registry.specs("models") if name.startswith(prefix) and _works(name)
    ]


def _works(name: str) -> bool:
    try:
        component = registry.build("models", name)
        getattr(component, "require", lambda: None)()
    except (Unavailable, ConfigError):  # a library or weights are missing; or a parameter must be given
        return False
    return not component.meta.remote
