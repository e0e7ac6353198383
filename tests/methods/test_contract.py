"""What every registered method must do, whatever it is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unveil.core.errors import ConfigError
from unveil.core.fingerprint import canonical
from unveil.core.protocols import Guarantee
from unveil.core.types import Failure, Image, Protected, Reason
from unveil.images import encode_png, valid_image
from unveil.methods import COMPONENTS
from unveil.registry import build, find, load, parameters

from .material import Context, MemoryGallery, crowd, picture, sample

COPY = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2], dirs_exist_ok=True)"
SHAPES = [(1, 1), (1, 40), (40, 1), (2, 3), (16, 16), (17, 90), (33, 20)]
BOXES = [(0, 0, 8, 8), (3.2, 2.1, 14.7, 30)]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory, tiny_swin2sr: str) -> dict[str, dict[str, Any]]:
    """Parameters that have no default."""
    folder = tmp_path_factory.mktemp("made")
    for number in range(len(SHAPES)):
        (folder / f"p{number}").mkdir()
        (folder / f"p{number}/0.png").write_bytes(encode_png(picture(5, 6)))
    return {
        "block_permutation": {"key": "secret"},
        "pixel_relocation": {"key": "secret"},
        "encryption": {"key": "00" * 32},
        "encryption.person": {"key": "00" * 32},
        "low_resolution.swin2sr": {"folder": tiny_swin2sr},
        "external.folder": {"folder": str(folder)},
        "external.command": {"command": [sys.executable, "-c", COPY, "{input}", "{output}"]},
        **{name: {"k": 3} for name in COMPONENTS if name.startswith("k_same")},
    }


@pytest.fixture(autouse=True)
def installed(request: pytest.FixtureRequest) -> None:
    """What a method needs beyond the package's own dependencies."""
    callspec = getattr(request.node, "callspec", None)
    if callspec is not None and callspec.params.get("name") == "avatar_3d.person":
        pytest.importorskip("anny", reason="the body comes with anny (extra: avatar)")


def made(name: str, given: dict[str, dict[str, Any]]) -> Any:
    method = build("methods", name, given.get(name))
    if hasattr(method, "fit"):
        method.fit(MemoryGallery(people=len(SHAPES), photos=1))
    return method


def context(*numbers: int) -> Context:
    return Context([sample(f"p{n}/0.png") for n in numbers], BOXES)


def image_of(result: Image | Protected | Failure) -> Image:
    """The picture. There is one: every picture has boxes, though not all have pixels in each of them."""
    assert not isinstance(result, Failure), result
    return result.image if isinstance(result, Protected) else result


def originals() -> list[Image]:
    return [picture(h, w, seed=n) for n, (h, w) in enumerate(SHAPES)]


@pytest.mark.parametrize("name", COMPONENTS)
class TestEveryMethod:
    def test_describes_itself(self, name: str, given: dict[str, dict[str, Any]]) -> None:
        method = made(name, given)
        meta = method.meta
        assert name == meta.name or name.startswith(f"{meta.name}.")
        assert meta.version >= 1
        assert meta.scope == ("dataset" if name.startswith("k_same") else "image")
        assert (meta.scope == "dataset") == hasattr(method, "fit")
        assert set(meta.needs) <= {"detector", "recognizer", "segmenter"}
        assert ("segmenter" in meta.needs) == (".person" in name)
        assert ("detector" in meta.needs) == (
            name.endswith(".face") or name == "eye_mask" or name.startswith("k_same")
        )
        assert meta.source.citation
        assert type(method).__doc__

    def test_a_guarantee_says_what_and_where(self, name: str, given: dict[str, dict[str, Any]]) -> None:
        guarantee = made(name, given).guarantee
        assert guarantee is None or (isinstance(guarantee, Guarantee) and guarantee.statement and guarantee.source)

    def test_parameters_are_an_identity(self, name: str, given: dict[str, dict[str, Any]]) -> None:
        spec = find("methods", name)
        full = parameters(load(spec), {**spec.preset, **given.get(name, {})}, name=name)
        before = canonical(full)
        method = build("methods", name, given.get(name))
        if not name.startswith(("k_same", "external.folder")):
            method.protect(originals(), context(*range(len(SHAPES))))
        assert canonical(full) == before

    def test_gives_pictures_of_the_same_size_and_leaves_the_originals_alone(
        self, name: str, given: dict[str, dict[str, Any]]
    ) -> None:
        images = originals()
        for image in images:
            image.flags.writeable = False
        copies = [image.copy() for image in images]
        protected = made(name, given).protect(images, context(*range(len(SHAPES))))
        assert len(protected) == len(images)
        for result, image, copy in zip(protected, images, copies, strict=True):
            assert np.array_equal(image, copy)
            assert valid_image(image_of(result))
            assert image_of(result).shape == (image.shape if name != "external.folder" else (5, 6, 3))

    def test_does_not_depend_on_the_batch(self, name: str, given: dict[str, dict[str, Any]]) -> None:
        images = originals()
        together = made(name, given).protect(images, context(*range(len(SHAPES))))
        method = made(name, given)
        for number in (4, 5, 0):
            alone = method.protect([images[number]], context(number))[0]
            assert np.array_equal(image_of(alone), image_of(together[number]))

    def test_takes_an_empty_batch(self, name: str, given: dict[str, dict[str, Any]]) -> None:
        assert made(name, given).protect([], Context([])) == []

    def test_takes_pictures_that_are_views(self, name: str, given: dict[str, dict[str, Any]]) -> None:
        whole = picture(40, 50)
        view = whole[3:33:2, ::-1]
        result = made(name, given).protect([view, np.ascontiguousarray(view)], context(0, 0))
        assert np.array_equal(image_of(result[0]), image_of(result[1]))

    def test_refuses_an_unknown_parameter(self, name: str, given: dict[str, dict[str, Any]]) -> None:
        with pytest.raises(ConfigError, match="unknown parameter"):
            build("methods", name, {**given.get(name, {}), "nonsense": 1})


@pytest.mark.parametrize("name", [n for n in COMPONENTS if n.endswith(".face") or n == "eye_mask"])
def test_a_picture_without_a_face_is_a_failure(name: str) -> None:
    (result,) = build("methods", name).protect([picture(9, 8)], Context([sample("x.png")]))
    assert result == Failure(Reason.NO_FACE, "x.png: needs at least one detected face, 0 found in 8x9 pixels")


@pytest.mark.parametrize("name", [n for n in COMPONENTS if ".person" in n])
class TestEveryMethodOnPeople:
    def made(self, name: str) -> Any:
        return build("methods", name, {"key": "00" * 32} if name.startswith("encryption") else None)

    def test_nobody_there_leaves_the_picture_as_it_is(self, name: str) -> None:
        image = picture(9, 8)
        (result,) = self.made(name).protect([image], Context([sample()]))
        assert np.array_equal(result, image)

    def test_a_failure_of_the_segmenter_is_the_result(self, name: str) -> None:
        failure = Failure(Reason.NO_PERSON, "nobody found, though somebody may be there")
        assert self.made(name).protect([picture(9, 8)], Context([sample()], people=failure)) == [failure]

    def test_who_has_no_usable_mask_is_named_and_the_others_are_protected(self, name: str) -> None:
        image = picture(40, 60)
        people = crowd(image.shape, [(2, 2, 48, 38), (100, 0, 110, 20)])
        (result,) = self.made(name).protect([image], Context([sample()], people=people))
        assert isinstance(result, Protected)
        assert result.unprotected == ("person at (100, 0, 110, 20): mask has 0 pixels",)
        (alone,) = self.made(name).protect([image], Context([sample()], people=people.take([0])))
        assert np.array_equal(result.image, alone)
        assert not np.array_equal(alone, image)


@pytest.mark.parametrize("name", ["dp_pix", "dp_snow", "dp_samp", "metric_svd", "gaussian_noise"])
def test_random_methods_follow_the_seed_and_the_sample(name: str) -> None:
    method, image = build("methods", name), picture(64, 64)

    def run(seed: int, sample_id: str) -> Image:
        return method.protect([image], Context([sample(sample_id)], seed=seed))[0]

    assert np.array_equal(run(1, "a.png"), run(1, "a.png"))
    assert not np.array_equal(run(1, "a.png"), run(2, "a.png"))
    assert not np.array_equal(run(1, "a.png"), run(1, "b.png"))


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("pixelation", {"size": 0}, "size must be a whole number of at least 1, got 0"),
        ("pixelation", {"size": 1.5}, "size must be a whole number"),
        ("pixelation", {"unit": "cm"}, "unit must be one of grid, pixel, got 'cm'"),
        ("pixelation", {"region": "hand"}, "region must be one of image, face, person, got 'hand'"),
        ("pixelation", {"margin": -0.1}, "margin must be at least 0, got -0.1"),
        ("blur.gaussian", {"kernel": 0}, "kernel must be above 0, got 0"),
        ("blur.box", {"kernel": float("nan")}, "kernel must be a finite number, got nan"),
        ("mask", {"color": [0, 0, 256]}, "color must be three whole numbers"),
        ("mask", {"color": "abc"}, "color must be three whole numbers"),
        ("eye_mask", {"length": 0.0}, "length must be above 0"),
        ("dp_pix", {"region": "person"}, "region must be one of image, face, got 'person'"),
        ("dp_samp", {"region": "person"}, "region must be one of image, face, got 'person'"),
        ("metric_svd", {"region": "person"}, "region must be one of image, face, got 'person'"),
        ("embossing", {"strength": 0}, "strength must be above 0, got 0"),
        (
            "mask.person.inpaint",
            {"algorithm": "magic"},
            "algorithm must be one of telea, navier_stokes, got 'magic'",
        ),
        ("mask.person.inpaint", {"detail": 8}, "detail must be a whole number of at least 16, got 8"),
        ("avatar_2d.person", {"keypoints": 18}, "keypoints must be at most 17, got 18"),
        ("avatar_3d.person", {"keypoints": 3}, "keypoints must be a whole number of at least 4, got 3"),
        ("low_resolution", {"factor": 0.5}, "factor must be at least 1, got 0.5"),
        ("low_resolution", {"upscaler": "magic"}, "upscaler must be one of bicubic, lanczos, got 'magic'"),
        ("encryption", {"key": "00" * 16, "region": "face"}, "region must be one of image, person, got 'face'"),
        ("encryption", {}, "'key' must be given"),
        ("low_resolution.swin2sr", {"folder": None}, "folder must be a text, got None"),
        ("gaussian_noise", {"sigma": float("inf")}, "sigma must be a finite number, got inf"),
        ("block_permutation", {"key": ""}, "key must be a text of at least one character"),
        ("block_permutation", {"key": "k", "block": 0}, "block must be a whole number"),
        ("block_permutation", {}, "'key' must be given"),
        ("k_same_average", {"k": 1}, "k must be a whole number of at least 2, got 1"),
        ("k_same_average", {"distinct_identities": 1}, "distinct_identities must be true or false"),
        ("k_same_select", {"attribute": 3}, "attribute must be a text"),
        ("k_same_eigen", {"components": 0}, "components must be a whole number"),
        ("dp_pix", {"eps": 0}, "eps must be above 0, got 0"),
        ("dp_pix", {"eps": float("nan")}, "eps must be a finite number"),
        ("dp_pix", {"eps": True}, "eps must be a finite number"),
        ("dp_pix", {"b": 0}, "b must be a whole number"),
        ("dp_pix", {"budget": "all"}, "budget must be one of channel, image"),
        ("dp_snow", {"replace_fraction": 1.1}, "replace_fraction must be at least 0 and at most 1, got 1.1"),
        ("dp_samp", {"eps": -1.0}, "eps must be above 0"),
        ("metric_svd", {"eps": "1"}, "eps must be a finite number, got '1'"),
        ("external.folder", {"folder": ""}, "folder must be a text"),
        ("external.command", {"command": "rm -rf {input} {output}"}, "command must be a list of texts"),
        ("external.command", {"command": ["cp", "{input}"]}, "command must contain {output}"),
        (
            "external.command",
            {"command": ["cp", "{input}", "{output}"], "timeout_s": 0},
            "timeout_s must be above 0",
        ),
    ],
)
def test_wrong_parameters_are_named(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build("methods", name, params)
    assert message in str(caught.value)


def test_importing_the_table_imports_no_method(tmp_path: Path) -> None:
    import subprocess

    code = "import sys, unveil.methods; print([m for m in sys.modules if m.startswith('unveil.methods.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "[]"
