from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from unveil.config import RunConfig, Use, expand
from unveil.core.errors import ConfigError

BASE = """
name: demo
datasets: [sample-faces]
methods: [pixelation, {use: mask, params: {color: [1, 2, 3], more: {deep: 1}}}]
evaluations: [detection]
"""

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
name = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
number = st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False)
value = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
use = st.fixed_dictionaries({"use": name}, optional={"params": st.dictionaries(name, value, max_size=3)}) | name


def label(component: Any) -> str:
    return component if isinstance(component, str) else str(component["use"])


def components(least: int = 1) -> st.SearchStrategy[Any]:
    return st.lists(use.filter(lambda u: label(u) != "original"), min_size=least, max_size=3, unique_by=label)


epsilons = st.lists(st.floats(0.001, 0.999), min_size=1, max_size=4, unique=True)
fairness = st.fixed_dictionaries(
    {},
    optional={
        "groupings": st.lists(name, max_size=2, unique=True),
        "epsilons": epsilons,
        "definitions": st.lists(st.sampled_from(["ratio", "difference"]), min_size=1, max_size=2, unique=True),
        "mode": st.sampled_from(["corrected", "as_published"]),
        "confidence": st.floats(0.51, 0.999),
        "replicates": st.integers(100, 100_000),
    },
)
config = st.fixed_dictionaries(
    {
        "name": st.from_regex(r"[a-z][a-z0-9.-]{0,20}", fullmatch=True),
        "datasets": components(),
        "methods": components(),
        "evaluations": components(),
    },
    optional={
        "seed": st.integers(0, 2**63),
        "output": text,
        "models": st.fixed_dictionaries({}, optional={"detector": components(), "recognizer": components()}),
        "fairness": fairness,
        "engine": st.fixed_dictionaries({}, optional={"shard_size": st.integers(1, 4096), "cache": text}),
        "errors": st.fixed_dictionaries({}, optional={"budget": st.floats(0, 1)}),
    },
)


@settings(deadline=None)
@given(config)
def test_yaml_to_model_to_yaml_is_stable(data: dict[str, Any]) -> None:
    first = RunConfig.from_yaml(yaml.safe_dump(data))
    written = first.to_yaml()
    second = RunConfig.from_yaml(written)
    assert second == first
    assert second.to_yaml() == written
    assert RunConfig.from_yaml(yaml.safe_dump(first.model_dump(mode="json"))) == first, (
        "with all defaults filled in"
    )


@pytest.mark.parametrize(
    "odd", ["\x85 next line", "\u2028", "\ufeff", " ", "~", "1e3", "no", "2024-01-31", "#", "x: y", "é" * 90]
)
def test_odd_text_survives(odd: str) -> None:
    made = RunConfig.model_validate(
        {**yaml.safe_load(BASE), "methods": [{"use": "m", "params": {"p": {odd: odd}}}]}
    )
    assert RunConfig.from_yaml(made.to_yaml()).methods[0].params == {"p": {odd: odd}}


@settings(deadline=None)
@given(config)
def test_a_component_is_its_name_or_a_mapping_and_one_needs_no_list(data: dict[str, Any]) -> None:
    listed = RunConfig.model_validate(data)
    (method, *_) = data["methods"]
    alone = RunConfig.model_validate({**data, "methods": method})
    assert alone.methods == listed.methods[:1]


# --- overrides ---


def leaves(model: type[BaseModel], before: str = "") -> list[str]:
    found = []
    for key, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel) and not issubclass(inner, Use):
            found += leaves(inner, f"{before}{key}.")
        else:
            found.append(f"{before}{key}")
    return found


@pytest.mark.parametrize("path", leaves(RunConfig))
def test_every_setting_can_be_reached_from_the_command_line(path: str) -> None:
    data = RunConfig.from_yaml(BASE).model_dump(mode="json")
    for part in path.split("."):
        data = data[part]
    override = f"{path}={json.dumps(data)}"  # JSON is YAML on one line
    assert RunConfig.from_yaml(BASE, [override]) == RunConfig.from_yaml(BASE)


@pytest.mark.parametrize(
    ("override", "get", "wanted"),
    [
        ("seed=8", lambda c: c.seed, 8),
        ("fairness.mode=as_published", lambda c: c.fairness.mode, "as_published"),
        ("models.detector=[opencv, dlib]", lambda c: [u.use for u in c.models.detector], ["opencv", "dlib"]),
        ("models.region_detector=dlib", lambda c: c.models.region_detector.use, "dlib"),
        ("methods.0=mask.face", lambda c: c.methods[0].use, "mask.face"),
        ("methods.1.params.color.2=9", lambda c: c.methods[1].params["color"], [1, 2, 9]),
        ("methods.1.params.more.deep=no", lambda c: c.methods[1].params["more"], {"deep": False}),
        ("methods.1.params.new.er=2.5", lambda c: c.methods[1].params["new"], {"er": 2.5}),
        ("output=a=b", lambda c: c.output, "a=b"),
        ("datasets.0={use: folder, params: {root: x}}", lambda c: c.datasets[0].params, {"root": "x"}),
    ],
)
def test_overrides(override: str, get: Any, wanted: Any) -> None:
    assert get(RunConfig.from_yaml(BASE, [override])) == wanted


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seed", "must look like setting=value"),
        ("methods.2=mask", r"'2' must be a position from 0 to 1"),
        ("methods.-1=mask", r"'-1' must be a position"),
        ("methods.²=mask", r"'²' must be a position"),
        ("methods.first.use=mask", r"'first' must be a position"),
        ("methods.0.params.size=8", r"'0' has the value 'pixelation', which has no settings inside"),
        ("seed.deep=1", r"seed"),
        ("name.deep=1", r"'name' has the value 'demo', which has no settings inside"),
        ("seed=[1", "not valid YAML"),
        ("name=2024-13-01", "not valid YAML"),
    ],
)
def test_overrides_that_lead_nowhere_are_refused(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        RunConfig.from_yaml(BASE, [override])
    assert override.partition("=")[0].partition(".")[0] in str(caught.value)


def test_overrides_do_not_touch_what_they_do_not_name() -> None:
    changed = RunConfig.from_yaml(BASE, ["fairness.replicates=200"])
    assert changed.model_copy(update={"fairness": RunConfig.from_yaml(BASE).fairness}) == RunConfig.from_yaml(BASE)


# --- errors name the setting, the rule and the value ---


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("seed=-1", ("seed", "greater than or equal to 0", "-1")),
        ("seed=.nan", ("seed", "finite number", "nan")),
        ("errors.budget=.inf", ("errors.budget", "finite number", "inf")),
        ("errors.budget=1.5", ("errors.budget", "less than or equal to 1", "1.5")),
        ("fairness.epsilons=[0.1, 1]", ("fairness.epsilons.1", "less than 1", "1")),
        ("fairness.definitions=[odds]", ("fairness.definitions.0", "'ratio' or 'difference'", "odds")),
        ("fairness.confidence=0.5", ("fairness.confidence", "greater than 0.5", "0.5")),
        ("engine.shard_size=0", ("engine.shard_size", "greater than or equal to 1", "0")),
        ("engine.workers=4", ("engine.workers", "Extra inputs are not permitted", "4")),
        ("methodes=[mask]", ("methodes", "Extra inputs are not permitted", "mask")),
        ("methods=[]", ("methods", "at least 1 item")),
        ("methods=[mask, mask]", ("methods", "'mask' stands there twice", "name")),
        ("datasets=[{use: folder}, {use: folder}]", ("datasets", "'folder' stands there twice")),
        ("methods=[{use: mask, name: original}]", ("methods", "'original' is kept", "mask")),
        ("methods=[{use: mask, name: a/b}]", ("methods.0.name", "'a/b' must have no '/'")),
        ("datasets=[{use: folder, name: ..}]", ("datasets.0.name", "leading '.'")),
        ("name=../escape", ("name", "it names a folder", "../escape")),
        ("name=''", ("name", "it names a folder", "''")),
        (
            "methods=[{use: mask, params: {color: .nan}}]",
            ("methods.0.params", "params.color", "finite number", "nan"),
        ),
        ("methods=[{use: mask, params: {a: [1, {b: -.inf}]}}]", ("params.a[1].b", "finite number", "-inf")),
        (
            "methods=[{use: mask, params: {a: 2024-01-31}}]",
            ("params.a", "put text in quotes", "datetime.date(2024"),
        ),
        ("methods=[{use: mask, params: {a: {1: x}}}]", ("params.a", "must be text, not 1")),
        ("methods=[{use: mask, parameter: {}}]", ("methods.0.parameter", "Extra inputs")),
        (
            "practicality.weights.robustness=0.8",
            ("practicality.weights", "three numbers from 0 that sum to 1", "0.8", "1.46667"),
        ),
        ("practicality.weights={robustness: -1}", ("practicality.weights.robustness", "-1")),
        ("practicality.weights.throughput=.nan", ("practicality.weights.throughput", "finite number", "nan")),
        ("practicality.weights.speed=1", ("practicality.weights.speed", "Extra inputs")),
        ("practicality.normalisation=z", ("practicality.normalisation", "'min_max' or 'anchors'", "z")),
        ("models.classifier=[]", ("models.classifier", "at least 1")),
        ("models.segmenter=[a, b]", ("models.segmenter",)),
        ("evaluations=[{use: privacy, segmenter: box}]", ("evaluations.0.segmenter", "Extra inputs")),
        ("methods=[3]", ("methods.0", "3")),
        ("datasets=null", ("datasets", "None")),
    ],
)
def test_errors_name_setting_rule_and_value(override: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_yaml(BASE, [override], source="demo.yaml")
    for part in ("demo.yaml", *parts):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("role", ["detector", "recognizer", "classifier", "object_detector", "image_encoder"])
def test_an_evaluation_may_be_made_with_models_of_its_own(role: str) -> None:
    made = RunConfig.from_yaml(BASE, [f"evaluations=[{{use: any, {role}: [one, {{use: two, name: second}}]}}]"])
    assert [use.label for use in getattr(made.evaluations[0], role)] == ["one", "second"]


def test_weights_sum_to_one() -> None:
    made = RunConfig.from_yaml(
        BASE, ["practicality.weights={robustness: 0.1, intelligibility: 0.1, throughput: 0.8}"]
    )
    assert made.practicality.weights.throughput == 0.8
    assert RunConfig.from_yaml(BASE).practicality.weights.robustness == pytest.approx(1 / 3)


def test_one_component_twice_under_two_names() -> None:
    twice = "methods=[{use: mask, name: white, params: {color: [255, 255, 255]}}, mask]"
    assert [m.label for m in RunConfig.from_yaml(BASE, [twice]).methods] == ["white", "mask"]


@pytest.mark.parametrize("broken", ["", "- a", "a: [", "a: !!python/object:os.system x", "x: 2024-99-01", "\0"])
def test_text_that_is_no_configuration(broken: str) -> None:
    with pytest.raises(ConfigError, match=r"^here: (not valid YAML|must be a mapping)"):
        RunConfig.from_yaml(broken, source="here")


def test_files(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(BASE, encoding="utf-8")
    bad.write_bytes(b"name: \xff\xfe")
    assert RunConfig.load(good, ["seed=9"]).seed == 9
    for path in (bad, tmp_path / "none.yaml", tmp_path):
        with pytest.raises(ConfigError, match="cannot be read"):
            RunConfig.load(path)


def test_values_from_python_are_held_to_the_same_rules() -> None:
    given_ = {"name": "x", "datasets": ["d"], "evaluations": ["e"]}
    made = RunConfig(**given_, methods=[{"use": "m", "params": {"folder": Path("a/b"), "sizes": (1, 2)}}])  # type: ignore[arg-type]
    assert made.methods[0].params == {"folder": "a/b", "sizes": [1, 2]}
    with pytest.raises(ValueError, match="finite number"):
        Use(use="m", params={"x": math.inf})
    with pytest.raises(ValueError, match="must be text, a number"):
        Use(use="m", params={"x": object()})
    with pytest.raises(ValueError, match="frozen"):
        made.seed = 3  # type: ignore[misc]


# --- environment ---


def test_the_environment_is_read_late_and_never_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    made = RunConfig.from_yaml(
        BASE, ["output=${SECRET_PLACE}/runs", "datasets=[{use: folder, params: {root: '${ROOT}'}}]"]
    )
    for variable, content in (("SECRET_PLACE", "/one"), ("ROOT", "/faces")):
        monkeypatch.setenv(variable, content)
    assert made.folder == Path("/one/runs/demo")
    assert expand(made.datasets[0].params) == {"root": "/faces"}
    assert "/one" not in made.to_yaml() and "/faces" not in str(made.model_dump())
    monkeypatch.setenv("SECRET_PLACE", "/two")
    assert made.folder == Path("/two/runs/demo")
    monkeypatch.delenv("SECRET_PLACE")
    with pytest.raises(ConfigError, match=r"SECRET_PLACE is not set; the configuration uses \$\{SECRET_PLACE\}"):
        _ = made.folder


def test_expansion_reaches_everywhere_and_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A", "~")
    monkeypatch.setenv("HOME", "/home/me")
    found = expand({"x": ["${A}/b", 3, None], "y": ("~/z", "a~", "$A", "~nobody-of-this-name")})
    assert found == {"x": ["/home/me/b", 3, None], "y": ["/home/me/z", "a~", "$A", "~nobody-of-this-name"]}
