"""Identity: what changes an answer changes the fingerprint, and nothing else does."""

from __future__ import annotations

import json

import pytest

import unveil
from unveil import RunConfig
from unveil.config import Models
from unveil.core.errors import ConfigError, Unavailable, UnknownComponent
from unveil.core.fingerprint import file_hash
from unveil.pipeline import components
from unveil.pipeline.components import build_components
from unveil.pipeline.manifest import manifest
from unveil.store.run import RunStore


def config(*methods, **more) -> RunConfig:
    return RunConfig.model_validate(
        {
            "name": "x",
            "datasets": ["sample-faces"],
            "methods": list(methods),
            "evaluations": ["verification"],
            **more,
        }
    )


def fingerprints(*methods, **more) -> dict[str, str]:
    return {built.label: built.fingerprint for built in build_components(config(*methods, **more)).methods}


def test_a_parameter_given_as_its_default_is_the_same_method():
    given = {"use": "pixelation", "params": {"size": 16}}
    assert fingerprints("pixelation") == fingerprints(given)
    assert fingerprints("pixelation")["pixelation"] != fingerprints("pixelation.8")["pixelation.8"]


def test_the_region_detector_is_part_of_the_methods_that_use_it():
    opencv = {"models": {"region_detector": "opencv"}}
    assert fingerprints("eye_mask") != fingerprints("eye_mask", **opencv)
    assert fingerprints("mask") == fingerprints("mask", **opencv)


@pytest.mark.parametrize("name", ["block_permutation", "pixel_relocation"])
def test_a_secret_changes_the_method_and_is_not_stored(monkeypatch, small_config, name):
    method = {"use": name, "params": {"key": "${UNVEIL_TEST_KEY}"}}
    monkeypatch.setenv("UNVEIL_TEST_KEY", "open-sesame")
    first = fingerprints(method)
    assert "open-sesame" not in str(first)
    store = unveil.run(small_config(methods=[method], evaluations=["detection"]))
    assert "open-sesame" not in json.dumps(store.manifest())
    assert "${UNVEIL_TEST_KEY}" in json.dumps(store.manifest())
    assert fingerprints(method) == first
    monkeypatch.setenv("UNVEIL_TEST_KEY", "another")
    assert fingerprints(method) != first


def test_thresholds_are_no_part_of_an_evaluation():
    def cells(**params):
        return build_components(
            config("mask", evaluations=[{"use": "verification", "params": params}])
        ).evaluations

    (_, plain), (_, strict) = cells()[0], cells(thresholds=["fmr=0.001"])[0]
    (_, more_pairs) = cells(pairs_per_photo=5)[0]
    assert plain.fingerprint == strict.fingerprint != more_pairs.fingerprint


def model(role, use, **params):
    """Fingerprint of a model of the attacker; and what of its weights the manifest will hold."""
    asked = config("mask", models={role: {"use": use, "params": params}})
    (built,) = (built for (of, _), built in build_components(asked).models.items() if of == role)
    assert built.unavailable == ""
    return built.fingerprint, dict(built.weights)


@pytest.mark.parametrize("role", ["detector", "recognizer"])
def test_how_patiently_a_service_is_asked_changes_no_answer(monkeypatch, role):
    pytest.importorskip("httpx", reason="needs the extra facepp")
    monkeypatch.setenv("FACEPP_API_KEY", "key")
    monkeypatch.setenv("FACEPP_API_SECRET", "secret")
    plain = model(role, "facepp")
    assert model(role, "facepp", requests_per_second=3.0, retries=1, timeout=5.0) == plain
    assert model(role, "facepp", endpoint="http://127.0.0.1:1") != plain


@pytest.mark.parametrize(
    ("role", "use"), [("detector", "insightface.scrfd"), ("recognizer", "insightface.arcface")]
)
def test_a_file_that_is_named_counts_by_its_content_alone_and_stands_in_the_manifest(tmp_path, role, use):
    graph, copy, other = tmp_path / "a.onnx", tmp_path / "folder" / "a.onnx", tmp_path / "b.onnx"
    copy.parent.mkdir()
    for path, content in ((graph, b"one"), (copy, b"one"), (other, b"two")):
        path.write_bytes(content)
    first, weights = model(role, use, path=str(graph))
    assert weights["a.onnx"] == file_hash(graph)
    assert model(role, use, path=str(copy), pack="antelopev2") == (first, weights), "no pack is read"
    assert model(role, use, path=str(other))[0] != first
    asked = config("mask", models={role: {"use": use, "params": {"path": str(graph)}}})
    (entry,) = (e for e in manifest_of(asked, tmp_path)["components"] if e["label"] == use)
    assert entry["weights"]["a.onnx"] == file_hash(graph)


def manifest_of(asked, folder):
    return manifest(unveil.plan(asked), RunStore(folder / "run"), started="now")


def test_one_name_with_two_meanings_is_refused():
    models = {"detector": {"use": "dlib", "params": {"upsample": 0}}, "region_detector": "dlib"}
    with pytest.raises(ConfigError, match=r"detector 'dlib' .* different parameters"):
        build_components(config("mask.face", models=models))


@pytest.mark.parametrize("setting", list(Models.model_fields))
def test_a_misspelt_model_is_an_error_also_where_nothing_needs_it(setting):
    with pytest.raises(UnknownComponent, match=r"unknown name in models: '\w+:smal'"):
        build_components(config("mask", models={setting: "smal"}, evaluations=["detection"]))


def test_an_instance_must_keep_its_parameters():
    class Forgetful:
        from unveil.core.protocols import MethodMeta, Source

        meta = MethodMeta("forgetful", 1, "image", True, Source("this test"))

        def __init__(self, *, strength: int = 3) -> None:
            self._hidden = strength

    with pytest.raises(ConfigError, match="Forgetful: keep parameter 'strength'"):
        build_components(config("mask"), [Forgetful()])


def test_what_cannot_be_built_is_named_and_the_rest_goes_on(monkeypatch, small_config):
    original = components.registry.load

    def without_blur(spec):
        if spec.name == "blur.box":
            raise Unavailable("blur.box needs a library that is not here; install it with: pip install it")
        return original(spec)

    monkeypatch.setattr(components.registry, "load", without_blur)
    store = unveil.run(small_config(methods=["blur.box", "mask"], evaluations=["detection"]))
    manifest = store.manifest()
    assert any("blur.box" in line and "pip install" in line for line in manifest["skipped"])
    assert {cell["method"] for cell in manifest["cells"]} == {"original", "mask"}
