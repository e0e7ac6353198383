"""Names of components -> classes, without importing any of them before they are used.

Each component package holds a table ``COMPONENTS: name -> (module:Class, preset parameters)``, which is
strings only. Other packages add names through entry points in the groups ``unveil.methods``,
``unveil.models``, ``unveil.datasets``, ``unveil.evaluations`` and ``unveil.metrics``.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from unveil.core.errors import ConfigError, Unavailable, UnknownComponent

KINDS = ("methods", "models", "datasets", "evaluations", "metrics")


@dataclass(frozen=True, slots=True)
class Spec:
    """A registered name.

    Attributes:
        kind: one of :data:`KINDS`.
        name: what a configuration calls it.
        target: ``module:Class``.
        preset: parameters that this name fixes.
        owner: distribution that registered it.
    """

    kind: str
    name: str
    target: str
    preset: Mapping[str, Any]
    owner: str = "unveil"


@cache
def specs(kind: str) -> Mapping[str, Spec]:
    """All registered names of a kind, built in and from plug-ins.

    Raises:
        ConfigError: when two distributions register the same name; names both.
    """
    table = importlib.import_module(f"unveil.{kind}").COMPONENTS
    found = {name: Spec(kind, name, target, preset) for name, (target, preset) in table.items()}
    for point in entry_points(group=f"unveil.{kind}"):
        spec = _from_entry_point(kind, point)
        if spec.name in found:
            owners = f"{found[spec.name].owner} and {spec.owner}"
            raise ConfigError(f"{kind} name {spec.name!r} is registered twice, by {owners}")
        found[spec.name] = spec
    return found


def _from_entry_point(kind: str, point: EntryPoint) -> Spec:
    owner = point.dist.name if point.dist else "unknown distribution"
    return Spec(kind, point.name, point.value, {}, owner)


def find(kind: str, name: str) -> Spec:
    """The spec of a name.

    Raises:
        UnknownComponent: with near names.
    """
    table = specs(kind)
    if name in table:
        return table[name]
    near = difflib.get_close_matches(name, table, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"`unveil list {kind}` shows all names"
    raise UnknownComponent(f"unknown name in {kind}: {name!r}; {hint}")


def load(spec: Spec) -> Any:
    """Import what a spec names: a class, or the ready instance of a metric.

    Raises:
        Unavailable: when a library is missing or the module cannot be imported; says which, and why.
    """
    module, _, attribute = spec.target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a plug-in is foreign code: importing it may raise anything
        what = (
            str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        )
        raise Unavailable(f"{spec.kind} {spec.name!r} ({spec.target}, from {spec.owner}): {what}") from error


def parameters(cls: type, given: Mapping[str, Any], *, name: str) -> dict[str, Any]:
    """All parameters of a component with defaults filled in: its identity.

    Raises:
        ConfigError: for a parameter the class does not have, or a missing one.
    """
    signature = inspect.signature(cls)
    known = [p.name for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has: {', '.join(known) or 'none'}"
            raise ConfigError(f"{name}: unknown parameter {key!r} = {given[key]!r}; {hint}")
    full = {p: v.default for p, v in signature.parameters.items() if v.default is not inspect.Parameter.empty}
    full |= given
    if missing := [key for key in known if key not in full]:
        raise ConfigError(f"{name}: parameter {missing[0]!r} must be given")
    return full


def build(kind: str, name: str, params: Mapping[str, Any] | None = None) -> Any:
    """An instance of a named component.

    Raises:
        UnknownComponent, ConfigError, Unavailable: as :func:`find`, :func:`parameters`, :func:`load`;
            a component's own ``ValueError`` about a parameter becomes a ConfigError.
    """
    spec = find(kind, name)
    cls = load(spec)
    full = parameters(cls, {**spec.preset, **(params or {})}, name=f"{kind} {name!r}")
    try:
        return cls(**full)
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{kind} {name!r}: {error}") from error
