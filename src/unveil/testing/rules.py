"""Promises that components of every kind make: complete metadata, keyword parameters, documentation."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from unveil.core.protocols import Source
from unveil.core.types import Failure, Image, Reason

NAME = r"[A-Za-z0-9][\w.+-]*"
"""What names look like: letters, digits, ``_``, ``-``, ``+``, and ``.`` before a variant."""


def expect(holds: bool, component: Any, sentence: str) -> None:
    """AssertionError ``<class>: <sentence>`` unless it holds."""
    if not holds:
        raise AssertionError(f"{owner(component)}: {sentence}")


def owner(component: Any) -> str:
    """Name of the class, for messages."""
    return component.__name__ if isinstance(component, type) else type(component).__name__


def check_meta(component: Any, kind: type) -> Any:
    """Metadata of the right type, complete: name, version from 1, a citation. Returns it."""
    meta: Any = getattr(component, "meta", None)
    expect(isinstance(meta, kind), component, f"meta must be a {kind.__name__}, not {type(meta).__name__}")
    expect(
        isinstance(meta.name, str) and re.fullmatch(NAME, meta.name) is not None,
        component,
        f"meta.name must be letters, digits, '_', '-' or '.', not {meta.name!r}",
    )
    expect(
        isinstance(meta.version, int) and not isinstance(meta.version, bool) and meta.version >= 1,
        component,
        f"meta.version must be a whole number from 1, not {meta.version!r}",
    )
    expect(
        isinstance(meta.source, Source) and bool(meta.source.citation.strip()),
        component,
        "meta.source.citation must say where it comes from",
    )
    return meta


def check_documented(component: Any) -> None:
    """The class has a docstring, and so has every public method it defines."""
    cls = component if isinstance(component, type) else type(component)
    expect(
        bool((cls.__doc__ or "").strip()), cls, "the class needs a docstring: `unveil list` shows its first line"
    )


def check_parameters(component: Any, *, kept: bool = False) -> None:
    """Parameters can only be given by keyword, refuse NaN, and are kept in attributes where that is wanted.

    Args:
        component: the instance.
        kept: whether each parameter must be found in an attribute of its name; methods may be handed over
            as instances, and then this is where their identity is read from.
    """
    cls = type(component)
    parameters = list(inspect.signature(cls).parameters.values())
    for parameter in parameters:
        expect(
            parameter.kind is inspect.Parameter.KEYWORD_ONLY,
            component,
            f"parameter {parameter.name!r} must be keyword-only: def __init__(self, *, {parameter.name}, ...)",
        )
    names = [parameter.name for parameter in parameters]
    odd = sorted(set(getattr(component, "not_identity", ())) - set(names))
    expect(not odd, component, f"not_identity names {odd[:1]}, which is no parameter")
    missing = [name for name in names if not hasattr(component, name)]
    if missing:
        what = f"keep parameter {missing[0]!r} in an attribute of that name: parameters are the identity"
        expect(not kept, component, what)
        return
    given = {name: getattr(component, name) for name in names}
    for name, value in given.items():
        if isinstance(value, float):
            _refuses_nan(component, name, {**given, name: math.nan})


def _refuses_nan(component: Any, name: str, given: dict[str, Any]) -> None:
    try:
        type(component)(**given)
    except ValueError as error:
        expect(name in str(error), component, f"the error about {name}=NaN must name the parameter: {error}")
    else:
        expect(False, component, f"parameter {name!r} must be refused with ValueError when it is NaN")


def check_failure(component: Any, failure: Failure) -> None:
    """A failure has a known reason, and one line for a person."""
    expect(isinstance(failure.reason, Reason), component, f"Failure.reason must be a Reason: {failure.reason!r}")
    expect(failure.reason is not Reason.EXCEPTION, component, "reason 'exception' is for the pipeline alone")
    one_line = bool(failure.detail.strip()) and "\n" not in failure.detail
    expect(one_line, component, f"Failure.detail must be one line with rule and value, not {failure.detail!r}")


def check_untouched(component: Any, images: Sequence[Image], copies: Sequence[Image]) -> None:
    """Nobody wrote into the pictures that were handed over."""
    touched = [i for i, (a, b) in enumerate(zip(images, copies, strict=True)) if not np.array_equal(a, b)]
    expect(not touched, component, f"wrote into the pictures it was given (number {touched[:1]})")
