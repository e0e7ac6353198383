"""Every registered component of every kind keeps its promises."""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from unveil import registry
from unveil.core.errors import Unavailable
from unveil.core.protocols import DatasetMeta
from unveil.core.roles import Role
from unveil.core.types import Face, Image
from unveil.images import read_image
from unveil.testing import (
    check_classifier,
    check_component,
    check_detector,
    check_estimator,
    check_image_encoder,
    check_landmarker,
    check_method,
    check_perceptual_metric,
    check_recognizer,
)
from unveil.testing.people import Synthetic

SPELLING = {
    "methods": r"[a-z0-9_]+(\.[a-z0-9_]+)*",
    "models": "(" + "|".join(get_args(Role)) + r"):[a-z0-9_]+([-.][a-z0-9_]+)*",
    "datasets": r"[a-z0-9]+([-_.][a-z0-9]+)*",
    "evaluations": r"[a-z_]+",
    "metrics": r"[a-z0-9_]+(\.[0-9]+)?",
}
SLOW = {"detector:dlib_cnn", "dp_samp", "low_resolution.swin2sr"}


def names(kind: str) -> list[Any]:
    return [
        pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in sorted(registry.specs(kind))
    ]


@pytest.mark.parametrize("kind", registry.KINDS)
def test_names_follow_the_conventions(kind: str) -> None:
    assert registry.specs(kind)
    odd = [name for name in registry.specs(kind) if not re.fullmatch(SPELLING[kind], name)]
    assert odd == []


@pytest.mark.parametrize(
    ("kind", "name"), [(k, n) for k in registry.KINDS if k != "metrics" for n in registry.specs(k)]
)
def test_classes_are_documented(kind: str, name: str) -> None:
    cls = registry.load(registry.find(kind, name))
    first = (cls.__doc__ or "").strip().splitlines()[0]
    assert len(first) > 10, f"{name}: the first line of the docstring is what `unveil list` shows"
    public = [value for key, value in vars(cls).items() if not key.startswith("_") and callable(value)]
    assert [method.__name__ for method in public if not (method.__doc__ or "").strip()] == []


@pytest.mark.parametrize("name", sorted(registry.specs("metrics")))
def test_metrics_are_documented_and_complete(name: str) -> None:
    spec = registry.find("metrics", name)
    metric = registry.load(spec)
    check_component("metrics", metric)
    assert metric.meta.name == name
    assert _text_below(spec) or _function(metric).__doc__, f"{name}: nothing says what it is"


def _function(metric: Any) -> Any:
    return getattr(metric.compute, "func", metric.compute)  # a partial has its parameters filled in


def _text_below(spec: registry.Spec) -> str:
    """The docstring below the assignment of a ready metric."""
    module, _, attribute = spec.target.partition(":")
    body = ast.parse(Path(importlib.import_module(module).__file__ or "").read_text(encoding="utf-8")).body
    position = next(i for i, node in enumerate(body) if attribute in _assigned(node))
    match body[position + 1 : position + 2]:
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            return text
    return ""


def _assigned(node: ast.stmt) -> list[str]:
    targets = (
        node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    )
    return [target.id for target in targets if isinstance(target, ast.Name)]


def test_a_name_without_presets_is_the_name_in_the_metadata() -> None:
    for kind in ("methods", "models", "evaluations"):
        for name, spec in registry.specs(kind).items():
            if not spec.preset:
                meta = registry.load(spec).meta
                assert name == (f"{meta.role}:{meta.name}" if kind == "models" else meta.name)


# --- methods ---


@pytest.mark.parametrize("name", names("methods"))
def test_methods(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    given: Mapping[str, Mapping[str, Any]] = {
        "external.folder": {"folder": str(tmp_path / "protected")},
        "external.command": {"command": ["sh", "-c", 'cp -R "$0/." "$1"', "{input}", "{output}"]},
        "block_permutation": {"key": "k"},
        "pixel_relocation": {"key": "k"},
        "encryption": {"key": "0f" * 16},
        "encryption.person": {"key": "0f" * 16},
        "low_resolution.swin2sr": {"folder": request.getfixturevalue("tiny_swin2sr") if "swin" in name else ""},
    }
    if name == "external.folder":
        Synthetic.write(tmp_path / "protected")
    if name == "avatar_3d.person":
        pytest.importorskip("anny", reason="the body comes with anny (extra: avatar)")
    check_method(registry.build("methods", name, given.get(name, {})))


# --- models ---


@pytest.fixture(scope="session")
def photos() -> list[Image]:
    """One photo each of four bundled people, one of every group."""
    samples = registry.build("datasets", "sample-faces")
    first = {entry.identity: entry for entry in samples.entries()}
    groups: dict[tuple[str, ...], list[str]] = {}
    for entry in first.values():
        groups.setdefault(tuple(entry.attributes.values()), []).append(entry.path)
    images = [read_image(samples.root / path) for paths in groups.values() for path in paths[:1]]
    assert len(images) == 4
    return images  # type: ignore[return-value]


@pytest.fixture(scope="session")
def faces(photos: list[Image]) -> list[tuple[Image, Face]]:
    found = registry.build("models", "detector:mtcnn").detect(photos)
    return [(image, faces.face(faces.largest())) for image, faces in zip(photos, found, strict=True) if len(faces)]


@pytest.mark.parametrize("name", [p for p in names("models") if str(p.values[0]).startswith("detector:")])
def test_detectors(name: str, photos: list[Image]) -> None:
    check_detector(_ready(name), photos=photos)


@pytest.mark.parametrize("name", [p for p in names("models") if str(p.values[0]).startswith("recognizer:")])
def test_recognizers(name: str, faces: list[tuple[Image, Face]]) -> None:
    assert len(faces) >= 3
    check_recognizer(_ready(name), faces=faces)


@pytest.mark.parametrize("name", [p for p in names("models") if str(p.values[0]).startswith("estimator:")])
def test_estimators(name: str, faces: list[tuple[Image, Face]]) -> None:
    check_estimator(_ready(name), faces=faces)


@pytest.mark.parametrize("name", [p for p in names("models") if str(p.values[0]).startswith("landmarker:")])
def test_landmarkers(name: str, faces: list[tuple[Image, Face]]) -> None:
    check_landmarker(_ready(name), faces=faces)


@pytest.mark.parametrize("name", [p for p in names("models") if str(p.values[0]).startswith("classifier:")])
def test_classifiers(name: str, request: pytest.FixtureRequest) -> None:
    given: Mapping[str, Mapping[str, Any]] = {
        "classifier:small": {"epochs": 1, "width": 64, "height": 48},
        "classifier:hf": {"epochs": 1, "side": 64, "folder": _tiny(request, name, "tiny_resnet")},
    }
    check_classifier(registry.build("models", name, given[name]))


@pytest.mark.parametrize("name", [p for p in names("models") if str(p.values[0]).startswith("image_encoder:")])
def test_image_encoders(name: str, request: pytest.FixtureRequest) -> None:
    folder = _tiny(request, name, "tiny_clip")
    check_image_encoder(_ready(name, {"folder": folder} if folder else {}))


@pytest.mark.parametrize("name", [p for p in names("models") if str(p.values[0]).startswith("perceptual_metric:")])
def test_perceptual_metrics(name: str) -> None:
    check_perceptual_metric(_ready(name))


@pytest.fixture(autouse=True)
def weights(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Where the files for tests are, the components that need them are checked with them."""
    if not os.environ.get("UNVEIL_WEIGHTS"):
        with contextlib.suppress(pytest.skip.Exception):
            monkeypatch.setenv("UNVEIL_WEIGHTS", str(request.getfixturevalue("shared_weights")))


def _ready(name: str, params: Mapping[str, Any] | None = None) -> Any:
    """A model, unless its weights or its library are not on this machine."""
    model = registry.build("models", name, params)
    try:
        model.require()
    except Unavailable as reason:
        pytest.skip(str(reason))
    return model


def _tiny(request: pytest.FixtureRequest, name: str, fixture: str) -> str:
    return request.getfixturevalue(fixture) if name.endswith((":hf", "336")) else ""


# --- datasets, evaluations ---


def picture_folder(root: Path, *paths: str) -> str:
    from PIL import Image as Pillow

    for number, path in enumerate(paths):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        Pillow.new("RGB", (12, 8), (number, 0, 0)).save(root / path)
    return str(root)


READ = ("affectnet", "agedb", "bfw", "demogpairs", "fairface", "folder", "lfw", "utkface")


@pytest.mark.parametrize("name", ["sample-faces", "sample-scenes", *READ])
def test_datasets(name: str, tmp_path: Path) -> None:
    layouts = {
        "affectnet": ("Manually_Annotated_Images/1/a.jpg", "Manually_Annotated_Images/2/b.jpg"),
        "agedb": ("0_Ann_35_f.jpg", "1_Ann_40_f.jpg", "2_Bo_41_m.jpg"),
        "fairface": ("val/1.jpg", "val/2.jpg"),
        "utkface": ("26_1_3_20170117175041574.jpg", "61_1_20170109142408075.jpg"),
        "folder": ("ann/1.png", "ann/2.png", "bo/1.png"),
        "bfw": ("asian_females/n1/1.jpg", "white_males/n2/1.jpg"),
        "demogpairs": ("Asian_Females/n1/1.jpg", "White_Males/n2/1.jpg"),
        "lfw": ("Ann/Ann_0001.jpg", "Ann/Ann_0002.jpg", "Bo/Bo_0001.jpg"),
    }
    given = {"root": picture_folder(tmp_path, *layouts[name])} if name in layouts else {}
    lists = {
        "affectnet": ("validation.csv", "subDirectory_filePath,expression\n1/a.jpg,1\n2/b.jpg,6\n"),
        "fairface": (
            "fairface_label_val.csv",
            "file,age,gender,race\nval/1.jpg,3-9,Male,East Asian\nval/2.jpg,20-29,Female,White\n",
        ),
        "lfw": ("pairs.txt", "1\t1\nAnn\t1\t2\nAnn\t1\tBo\t1\n"),
    }
    if name in lists:
        file, text = lists[name]
        (tmp_path / file).write_text(text)
    if name == "folder":
        given["citation"] = "made for this test"
    check_component("datasets", registry.build("datasets", name, given))


@pytest.mark.parametrize("name", sorted(registry.specs("datasets")))
def test_dataset_metadata_needs_no_file(name: str) -> None:
    spec = registry.find("datasets", name)
    cls = registry.load(spec)
    if spec.target.endswith((":Folder", ":Coco")) and not spec.preset:
        return  # anybody's own folder: its parameters say what it is
    meta = cls.meta if isinstance(cls.meta, DatasetMeta) else cls(**_rootless(cls), **spec.preset).meta
    assert meta.version >= 1 and meta.source.citation and meta.source.licence and meta.has


def _rootless(cls: type) -> dict[str, str]:
    needs_root = (
        "root" in registry.parameters(cls, {"root": "x"}, name="x") if "Sample" not in cls.__name__ else False
    )
    return {"root": "nowhere"} if needs_root else {}


@pytest.mark.parametrize("name", names("evaluations"))
def test_evaluations(name: str) -> None:
    check_component("evaluations", registry.build("evaluations", name))


def test_whatever_an_evaluation_may_be_given_as_metric_reads_its_columns() -> None:
    for name, spec in registry.specs("evaluations").items():
        meta = registry.load(spec).meta
        known = {"outcome", "similar", "sample_id", "status", "reason", "identity", *meta.columns}
        for metric in (*meta.metrics, *meta.baseline_metrics):
            reads = registry.load(registry.find("metrics", metric)).meta.reads
            assert set(reads) <= known, f"{name}: {metric} reads {set(reads) - known}"


def test_a_column_has_one_type_whatever_evaluation_writes_it() -> None:
    known: dict[str, tuple[str, Any]] = {}
    for name, spec in registry.specs("evaluations").items():
        for column, kind in registry.load(spec).meta.columns.items():
            owner, other = known.setdefault(column, (name, kind))
            assert kind == other, f"{column} is {other} in {owner} and {kind} in {name}: no query can read both"


def test_the_pictures_of_the_suite_are_nobody() -> None:
    from unveil.testing.people import PEOPLE, portrait

    drawn = [portrait(person, 0) for person in range(PEOPLE)]
    assert len({image.tobytes() for image in drawn}) == PEOPLE
    assert np.array_equal(portrait(3, 1), portrait(3, 1)) and not np.array_equal(portrait(3, 0), portrait(3, 1))
