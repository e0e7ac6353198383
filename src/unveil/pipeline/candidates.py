"""``available`` in place of a model's name: everything of its role that works on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from unveil import registry
from unveil.config import Models, RunConfig, Use, component_list
from unveil.core.errors import ConfigError, Unavailable
from unveil.weights_folder import given_folder

AVAILABLE = "available"

Part = TypeVar("Part", bound=Any)


def with_available(config: RunConfig) -> RunConfig:
    """A configuration in which ``available`` is replaced by names, also among the candidates for the best.

    Where nothing of a role works here, the default of that role takes its place: a run that needs it then skips
    what it needs it for, and says which command brings it.

    Raises:
        ConfigError: when a parameter is given with ``available``, or ``UNVEIL_WEIGHTS`` names no folder.
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
    named = {role: _named(role, [_among(role, use) for use in uses]) for role, uses in given.items()}
    changed = {role: uses for role, uses in named.items() if uses != given[role]}
    return part.model_copy(update=changed) if changed else part


def _among(role: str, use: Use) -> Use:
    """The same use with names for ``available`` in its list ``among``, which only ``best`` has."""
    if "among" not in use.params:
        return use
    candidates = component_list(use.params["among"], f"{role}.{use.use}.among")
    if AVAILABLE not in {one.use for one in candidates}:
        return use
    among = [one.model_dump(exclude_defaults=True) for one in _named(role, candidates)]
    return use.model_copy(update={"params": {**use.params, "among": among}})


def _named(role: str, uses: Sequence[Use]) -> tuple[Use, ...]:
    others = tuple(use for use in uses if use.use != AVAILABLE)
    if len(others) == len(uses):
        return others
    if odd := [use for use in uses if use.use == AVAILABLE and (use.params or use.name)]:
        raise ConfigError(
            f"models.{role}: {AVAILABLE!r} takes no parameters and no name, not {odd[0].params or odd[0].name!r}"
        )
    named = {use.label for use in others}
    found = tuple(Use(use=name) for name in available(role) if name not in named)
    default: tuple[Use, ...] = Models.model_fields[role].default
    return (*others, *found) or default


def available(role: str) -> list[str]:
    """Names of the components of a role that need no parameters and lack nothing here.

    Services that get the pictures are left out: no photo leaves this machine unless a person names them.

    Raises:
        ConfigError: when ``UNVEIL_WEIGHTS`` names no folder: it would only look as if nothing were there.
    """
    given_folder()
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
