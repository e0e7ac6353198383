"""The one model of a run's settings. YAML is its file form, ``--set`` overrides it, Python builds it.

>>> config = RunConfig(name="try", datasets=["sample-faces"], methods=["pixelation"], evaluations=["detection"])
>>> config.methods[0].use
'pixelation'
>>> RunConfig.from_yaml(config.to_yaml()) == config
True
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from unveil.core.errors import ConfigError
from unveil.overrides import apply

Definition = Literal["ratio", "difference"]
Mode = Literal["corrected", "as_published"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _plain(value: Any, where: str = "params") -> Any:
    """Only what YAML and a result's identity can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where}: must be a finite number, not {value}")
    if isinstance(value, Mapping):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise ValueError(f"{where}: names inside must be text, not {odd[0]!r}; put it in quotes")
        return {k: _plain(v, f"{where}.{k}") for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, f"{where}[{i}]") for i, v in enumerate(value)]
    if isinstance(value, Path):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(
        f"{where}: must be text, a number, true, false, a list or a mapping, not {value!r}; put text in quotes"
    )


class Use(_Part):
    """A component by its registered name, with parameters.

    Attributes:
        use: registered name; ``unveil list`` shows them.
        params: parameters of the component; those not given keep their defaults.
        name: what the run calls it; needed when one component is used twice.
    """

    use: str
    params: dict[str, Any] = Field(default_factory=dict)
    name: str = ""

    @field_validator("params")
    @classmethod
    def _params_are_plain(cls, value: dict[str, Any]) -> dict[str, Any]:
        return _plain(value)

    @field_validator("name")
    @classmethod
    def _name_stays_in_its_folder(cls, value: str) -> str:
        if not re.fullmatch(r"(?!\.)[^/\\\x00-\x1f]{0,100}", value):
            raise ValueError(
                f"{value!r} must have no '/', '\\', line break or leading '.', and at most 100 characters: "
                "files are named after it"
            )
        return value

    @property
    def label(self) -> str:
        """The name by which tables and figures show it."""
        return self.name or self.use


def _named(value: Any) -> Any:
    return {"use": value} if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    items = [value] if isinstance(value, str | Mapping) else value
    return [_named(v) for v in items] if isinstance(items, Sequence) else items


Component = Annotated[Use, BeforeValidator(_named)]
Components = Annotated[tuple[Component, ...], BeforeValidator(_listed)]


def component_list(value: Any, where: str) -> tuple[Use, ...]:
    """A list of components as settings write it.

    Raises:
        ConfigError: names ``where`` it stands, the rule and the value.
    """
    try:
        return TypeAdapter(Components).validate_python(value)
    except ValidationError as error:
        raise ConfigError(f"{where}: {_explain(error)}") from error


class Models(_Part):
    """The models of attackers and users, and those that protection methods may use; only what is needed is built.

    Where several can stand, ``available`` stands for all that work on this machine without sending pictures away.

    Attributes:
        detector: face detectors of the attacker; attacks run with each.
        recognizer: recognizers of the attacker; attacks run with each. ``best`` is the one that tells people
            apart best on the originals, of all that are available or of ``{use: best, params: {among: [...]}}``.
        estimator: describes faces (age, gender, expression); measured with each.
        landmarker: finds many points of a face; measured with each.
        perceptual_metric: says how different two pictures look; measured with each.
        classifier: tells privacy attributes of people; attacks run with each.
        object_detector: finds people and objects, as a user of the pictures would; measured with each.
        image_encoder: describes whole pictures, for distances between sets of them; measured with each.
        region_detector: finds the faces that methods protect; its owner sees the originals.
        neighbour_recognizer: finds alike faces for k-same methods.
        segmenter: finds the people that methods protect; its owner sees the originals.
        reference_detector: finds people and objects in originals, where a dataset has no boxes.
    """

    detector: Components = Field(default=(Use(use="mtcnn"),), min_length=1)
    recognizer: Components = Field(default=(Use(use="dlib"),), min_length=1)
    estimator: Components = Field(default=(Use(use="age_gender"),), min_length=1)
    landmarker: Components = Field(default=(Use(use="face_landmarker"),), min_length=1)
    perceptual_metric: Components = Field(default=(Use(use="lpips"),), min_length=1)
    classifier: Components = Field(default=(Use(use="small"),), min_length=1)
    object_detector: Components = Field(default=(Use(use="small"),), min_length=1)
    image_encoder: Components = Field(default=(Use(use="clip-vit-large-patch14-336"),), min_length=1)
    region_detector: Component = Use(use="mtcnn")
    neighbour_recognizer: Component = Use(use="dlib")
    segmenter: Component = Use(use="annotated")
    reference_detector: Component = Use(use="yolox_nano")


class EvaluationUse(Use):
    """An evaluation with its parameters.

    Attributes:
        threat_models: which attacks to run; all of the evaluation when empty.
        detector, recognizer and the other roles: override the run's models.
    """

    threat_models: tuple[str, ...] = ()
    detector: Components = ()
    recognizer: Components = ()
    estimator: Components = ()
    landmarker: Components = ()
    perceptual_metric: Components = ()
    classifier: Components = ()
    object_detector: Components = ()
    image_encoder: Components = ()


EvaluationComponents = Annotated[tuple[EvaluationUse, ...], BeforeValidator(_listed)]


class Fairness(_Part):
    """How rates of groups are compared.

    Attributes:
        groupings: attributes, or products such as ``gender+race``; the dataset's own when empty.
        epsilons: tolerated gaps.
        definitions: ``ratio`` (p_a / p_b <= 1 - epsilon) and ``difference`` (p_a - p_b < -epsilon).
        mode: ``corrected``, or ``as_published`` to repeat the released scripts.
        confidence: of every interval.
        replicates: bootstrap replicates, resampled by identity.
        minimum_identities: smaller groups get no verdict.
    """

    groupings: tuple[str, ...] = ()
    epsilons: tuple[Annotated[float, Field(gt=0, lt=1)], ...] = Field(
        default=(0.02, 0.05, 0.1, 0.15, 0.2), min_length=1
    )
    definitions: tuple[Definition, ...] = Field(default=("ratio", "difference"), min_length=1)
    mode: Mode = "corrected"
    confidence: float = Field(default=0.95, gt=0.5, lt=1)
    replicates: int = Field(default=1000, ge=100, le=100_000)
    minimum_identities: int = Field(default=5, ge=2)

    @field_validator("groupings", "epsilons", "definitions")
    @classmethod
    def _nothing_stands_twice(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        for items in (list(value), *(str(item).split("+") for item in value)):
            if twice := [item for item in items if items.count(item) > 1]:
                raise ValueError(f"{twice[0]!r} stands there twice")
        return value


class Weights(_Part):
    """What each part of practicality counts; they sum to 1.

    Attributes:
        robustness, intelligibility, throughput: w_r, w_i and w_t.
    """

    robustness: float = Field(default=1 / 3, ge=0, le=1)
    intelligibility: float = Field(default=1 / 3, ge=0, le=1)
    throughput: float = Field(default=1 / 3, ge=0, le=1)

    @model_validator(mode="after")
    def _they_sum_to_one(self) -> Self:
        from unveil.metrics.practicality import check_weights  # late: not every command needs metrics

        check_weights((self.robustness, self.intelligibility, self.throughput))
        return self


class Practicality(_Part):
    """How throughput, robustness and intelligibility become one number.

    Attributes:
        weights: see :class:`Weights`.
        normalisation: ``min_max`` over the methods of the run (published; a score then depends on its
            company), or fixed ``anchors``.
    """

    weights: Weights = Field(default_factory=Weights)
    normalisation: Literal["min_max", "anchors"] = "min_max"


class Report(_Part):
    """What the report shows.

    Attributes:
        examples_per_group: people shown per finest demographic group, original and protected; 0 when no
            photo may leave the run: evaluations then keep no pictures either.
    """

    examples_per_group: int = Field(default=2, ge=0, le=8)


class Engine(_Part):
    """How the work is done. Nothing here changes an answer, so nothing here is part of an identity.

    Attributes:
        shard_size: pictures per step; a killed run loses at most one step.
        cache: folder shared by all runs; the user's cache folder when empty.
    """

    shard_size: int = Field(default=64, ge=1, le=4096)
    cache: str = ""


class Errors(_Part):
    """What is tolerated.

    Attributes:
        budget: share of pictures for which a component may *break* (not: have no result) before the
            cells that depend on it are marked failed.
    """

    budget: float = Field(default=0.01, ge=0, le=1)


class RunConfig(_Part):
    """Everything that determines a run.

    Attributes:
        name: of the run and of its folder.
        seed: of pair plans, splits, random methods and bootstrap.
        output: folder that holds the runs.
        datasets, methods, evaluations: components by name, ``{use, params, name}``.
        models: see :class:`Models`.
        fairness, practicality, report, engine, errors: see there.
    """

    name: str
    seed: int = Field(default=7, ge=0)
    output: str = "runs"
    datasets: Components = Field(min_length=1)
    methods: Components = Field(min_length=1)
    models: Models = Models()
    evaluations: EvaluationComponents = Field(min_length=1)
    fairness: Fairness = Fairness()
    practicality: Practicality = Field(default_factory=Practicality)
    report: Report = Report()
    engine: Engine = Engine()
    errors: Errors = Errors()

    @field_validator("name")
    @classmethod
    def _name_is_a_folder(cls, value: str) -> str:
        if not re.fullmatch(r"[\w][\w.-]{0,99}", value):
            raise ValueError(f"{value!r} must be letters, digits, '_', '-' or '.', at most 100: it names a folder")
        return value

    @model_validator(mode="after")
    def _labels_are_unique(self) -> Self:
        for field in ("datasets", "methods", "evaluations"):
            labels = [use.label for use in getattr(self, field)]
            if twice := sorted({label for label in labels if labels.count(label) > 1}):
                raise ValueError(f"{field}: {twice[0]!r} stands there twice; give one of them another `name`")
        if odd := [use for use in self.methods if use.label == "original" != use.use]:
            raise ValueError(
                f"methods: the name 'original' is kept for the unprotected photos, not {odd[0].use!r}"
            )
        return self

    @property
    def folder(self) -> Path:
        """Folder of this run."""
        return Path(expand(self.output)) / self.name

    def to_yaml(self) -> str:
        """The settings that differ from the defaults, as YAML."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
        # PyYAML writes U+0085 unescaped and reads it as a line break.
        return text if yaml.safe_load(text) == data else yaml.safe_dump(data, sort_keys=False)

    @classmethod
    def from_yaml(cls, text: str, overrides: Sequence[str] = (), *, source: str = "configuration") -> RunConfig:
        """Parse YAML and apply overrides such as ``seed=8`` or ``models.detector=[opencv]``.

        Raises:
            ConfigError: names the source, the setting, the rule and the value.
        """
        try:
            data = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError) as error:  # ValueError: a date such as 2024-13-01
            raise ConfigError(f"{source}: not valid YAML: {' '.join(str(error).split())}") from error
        if not isinstance(data, dict):
            raise ConfigError(f"{source}: must be a mapping of settings, not {type(data).__name__}")
        for override in overrides:
            apply(override, data)
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise ConfigError(f"{source}: {_explain(error)}") from error

    @classmethod
    def load(cls, path: str | Path, overrides: Sequence[str] = ()) -> RunConfig:
        """Read a YAML file; see :meth:`from_yaml`."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
        return cls.from_yaml(text, overrides, source=str(path))


def expand(value: Any) -> Any:
    """Fill in ``${NAME}`` from the environment and ``~``, as late as possible, so neither is ever stored.

    Raises:
        ConfigError: for a variable that is not set.
    """
    if isinstance(value, Mapping):
        return {k: expand(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [expand(v) for v in value]
    if not isinstance(value, str):
        return value

    def variable(match: re.Match[str]) -> str:
        name = match[1]
        if name not in os.environ:
            raise ConfigError(f"environment variable {name} is not set; the configuration uses {match[0]}")
        return os.environ[name]

    return os.path.expanduser(re.sub(r"\$\{(\w+)\}", variable, value))  # leaves "~nobody" as it is


def hidden(params: Any) -> dict[str, str]:
    """What :func:`expand` fills into these settings -> how it is written there, for masking it in messages."""
    names = set(re.findall(r"\$\{(\w+)\}", str(params)))
    return {os.environ[name]: f"${{{name}}}" for name in names if os.environ.get(name)}


def _explain(error: ValidationError) -> str:
    lines = []
    for item in error.errors(include_url=False):
        where = ".".join(str(part) for part in item["loc"]) or "settings"
        shown = repr(item["input"])
        value = "" if item["type"] == "missing" or len(shown) > 80 else f" (value: {shown})"
        lines.append(f"{where}: {item['msg'].removeprefix('Value error, ')}{value}")
    return "; ".join(lines)
