"""Names of a configuration -> built components with their identity.

A component that cannot be built here (a missing library, a missing weights file) is kept with the reason, so
that everything else can run; a wrong setting is an error.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unveil import registry
from unveil.config import EvaluationUse, Models, RunConfig, Use, expand, hidden
from unveil.core.errors import ConfigError, Unavailable
from unveil.core.fingerprint import component_fingerprint, digest


@dataclass(frozen=True, slots=True)
class Built:
    """A component of a run.

    Attributes:
        label: what the run calls it.
        component: the instance; None when unavailable.
        fingerprint: identity; ``""`` when unavailable.
        target: ``module:Class``.
        params: all parameters as written in the configuration, without filled-in secrets and paths.
        unavailable: why it cannot be built, or ``""``.
        weights: name of a file -> SHA-256, of the known ones and of those that were found.
        hidden: values from the environment -> their names; such values are never stored.
    """

    label: str
    component: Any
    fingerprint: str
    target: str
    params: Mapping[str, Any]
    unavailable: str = ""
    weights: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, str] = field(default_factory=dict)

    def masked(self, text: str) -> str:
        """A message of this component, without what its settings take from the environment."""
        for value, name in self.hidden.items():
            text = text.replace(value, name)
        return text


@dataclass(frozen=True, slots=True)
class Components:
    """Every component of a run. ``models``: (role, label) -> component."""

    datasets: Sequence[Built]
    methods: Sequence[Built]
    evaluations: Sequence[tuple[EvaluationUse, Built]]
    models: Mapping[tuple[str, str], Built] = field(default_factory=dict)

    def model(self, role: str, use: Use) -> Built:
        """The built model that a configuration names in a role."""
        return self.models[role, use.label]

    def unavailable(self) -> list[Built]:
        """What cannot be built here, of what the configuration names; a spare model only where it is missed."""
        evaluations = [built for _, built in self.evaluations]
        return [built for built in (*self.datasets, *self.methods, *evaluations) if built.unavailable]


def build_components(config: RunConfig, methods: Sequence[Any] = ()) -> Components:
    """Build everything a configuration names.

    Args:
        config: of the run.
        methods: instances of protection methods that are not registered, from Python.

    Raises:
        ConfigError: for an unknown name or parameter, or a value a component refuses.
    """
    _check_names(config.models)
    named = [_build("methods", use, "method") for use in config.methods]
    named += [_from_instance(method) for method in methods]
    labels = [built.label for built in named]
    if twice := {label for label in labels if labels.count(label) > 1}:
        raise ConfigError(f"methods: {sorted(twice)[0]!r} stands there twice; give one of them another name")
    evaluations = [(use, _build("evaluations", use, "evaluation")) for use in config.evaluations]
    datasets = [_build("datasets", use, "dataset") for use in config.datasets]
    models: dict[tuple[str, str], Built] = {}
    given: dict[tuple[str, str], Use] = {}

    def add(role: str, use: Use) -> None:
        if given.setdefault((role, use.label), use) != use:
            raise ConfigError(f"{role} {use.label!r} stands there with different parameters; give one a name")
        if (role, use.label) not in models:
            models[role, use.label] = _build("models", use, role, prefix=f"{role}:")

    for role, use in (*_lent(config, named), *_observing(config, evaluations)):
        add(role, use)
    if _reference_is_asked(config, datasets, evaluations, models):
        add("object_detector", config.models.reference_detector)
    return Components(
        datasets=datasets,
        methods=[_with_helpers(built, config, models) for built in named],
        evaluations=evaluations,
        models=models,
    )


_LENT_ROLES = {
    "region_detector": "detector",
    "neighbour_recognizer": "recognizer",
    "reference_detector": "object_detector",
}
"""Settings of models that methods and datasets are lent -> their role; the others are called like theirs."""


def _check_names(models: Models) -> None:
    """A misspelt model is an error also in a run that does not need it: the next one may."""
    for setting, uses in models:
        for use in (uses,) if isinstance(uses, Use) else uses:
            registry.find("models", f"{_LENT_ROLES.get(setting, setting)}:{use.use}")


def _observing(config: RunConfig, evaluations: Sequence[tuple[EvaluationUse, Built]]) -> Iterator[tuple[str, Use]]:
    """The models with which the evaluations observe: role and configuration."""
    for use, built in evaluations:
        if built.unavailable:
            continue
        for role in built.component.meta.roles:
            yield from ((role, model) for model in observers(config, use, role))


def observers(config: RunConfig, use: EvaluationUse, role: str) -> Sequence[Use]:
    """The models of a role by which an evaluation is made."""
    return getattr(use, role) or getattr(config.models, role)


def _lent(config: RunConfig, methods: Sequence[Built]) -> Iterator[tuple[str, Use]]:
    """The models that protection methods are given: role and configuration."""
    needed = {role for built in methods if not built.unavailable for role in built.component.meta.needs}
    if needed & {"detector", "recognizer"}:  # whoever compares faces must find them first
        yield "detector", config.models.region_detector
    if "recognizer" in needed:
        yield "recognizer", config.models.neighbour_recognizer
    if "segmenter" in needed:
        yield "segmenter", config.models.segmenter


def _reference_is_asked(
    config: RunConfig,
    datasets: Sequence[Built],
    evaluations: Sequence[tuple[EvaluationUse, Built]],
    models: Mapping[tuple[str, str], Built],
) -> bool:
    """Whether somebody may ask the reference detector: the segmenter, or about a dataset without boxes."""
    segmenter = models.get(("segmenter", config.models.segmenter.label))
    if segmenter and not segmenter.unavailable and segmenter.component.starts_from == "objects":
        return True
    metas = [built.component.meta for _, built in evaluations if not built.unavailable]
    about_objects = any("objects" in meta.has or "object_detector" in meta.roles for meta in metas)
    return about_objects and any(
        "objects" not in built.component.meta.has for built in datasets if not built.unavailable
    )


def _build(kind: str, use: Use, noun: str, *, prefix: str = "") -> Built:
    spec = registry.find(kind, prefix + use.use)
    secrets = hidden(use.params)
    try:
        cls = registry.load(spec)
        written = registry.parameters(cls, {**spec.preset, **use.params}, name=f"{noun} {use.label!r}")
        component = registry.build(kind, prefix + use.use, expand(use.params))
        getattr(component, "require", _nothing)()
    except Unavailable as reason:
        blank = Built(use.label, None, "", spec.target, dict(use.params), hidden=secrets)
        return replace(blank, unavailable=blank.masked(str(reason)))
    # A secret that is filled in late changes the pictures, so it is hashed into the identity, but not stored.
    identity = _identity(noun, spec.target, component, expand(written))
    weights = {**getattr(component.meta, "weights", {}), **getattr(component, "weights_found", dict)()}
    return Built(use.label, component, identity, spec.target, written, weights=weights, hidden=secrets)


def _nothing() -> None:
    """For components that need nothing but their own package."""


def _identity(noun: str, target: str, component: Any, params: Mapping[str, Any], **more: Any) -> str:
    if noun == "dataset":
        return ""  # a dataset's identity is the hash of its index
    if noun == "evaluation":  # thresholds are applied to stored observations, so they are not part of them
        later = ("thresholds", "ranks", "iou_thresholds", "ssim_thresholds")
        params = {key: value for key, value in params.items() if key not in later}
    # Such as where a file lies, whose content counts in its place; or how patiently a service is asked.
    params = {key: value for key, value in params.items() if key not in getattr(component, "not_identity", ())}
    weights = getattr(component.meta, "weights", {})
    if content := getattr(component, "content_fingerprint", None):
        more["content"] = content()
    return component_fingerprint(noun, target, component.meta.version, params, weights=weights, **more)


def _with_helpers(built: Built, config: RunConfig, models: Mapping[tuple[str, str], Built]) -> Built:
    """Mix the models that a method is given into its identity."""
    if built.unavailable or not built.component.meta.needs:
        return built
    lent = {"detector": config.models.region_detector, "recognizer": config.models.neighbour_recognizer}
    helpers = {role: models[role, lent[role].label] for role in built.component.meta.needs if role in lent}
    if "segmenter" in built.component.meta.needs:
        helpers["segmenter"] = segmenter = models["segmenter", config.models.segmenter.label]
        if not segmenter.unavailable and segmenter.component.starts_from == "objects":
            helpers["object_detector"] = models["object_detector", config.models.reference_detector.label]
    if missing := [helper for helper in helpers.values() if helper.unavailable]:
        return Built(built.label, None, "", built.target, built.params, missing[0].unavailable)
    given = {role: helper.fingerprint for role, helper in helpers.items()}
    return replace(built, fingerprint=digest(built.fingerprint, given))


def _from_instance(method: Any) -> Built:
    cls = type(method)
    names = list(inspect.signature(cls).parameters)
    if missing := [name for name in names if not hasattr(method, name)]:
        raise ConfigError(
            f"method {cls.__name__}: keep parameter {missing[0]!r} in an attribute of that name; "
            "the parameters are the method's identity"
        )
    params = {name: getattr(method, name) for name in names}
    target = f"{cls.__module__}:{cls.__qualname__}"
    return Built(method.meta.name, method, _identity("method", target, method, params), target, params)
