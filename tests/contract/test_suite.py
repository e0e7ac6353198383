"""The suite itself: each broken promise is found, and named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from unveil.core.protocols import DatasetMeta, Entry, EvaluationMeta, MethodMeta, Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Failure, Protected, Reason
from unveil.evaluations.detection import DetectionRate
from unveil.testing import (
    check_component,
    check_dataset,
    check_detector,
    check_evaluation,
    check_method,
    check_recognizer,
)

SOURCE = Source("made for this test")


class Invert:
    """Inverts the colours."""

    meta = MethodMeta("invert", 1, "image", True, SOURCE)
    guarantee = None

    def protect(self, images: Any, context: Any) -> list[Any]:
        return [255 - image for image in images]


def broken(**members: Any) -> Any:
    return type("Broken", (Invert,), {"__doc__": "Breaks a promise.", **members})()


def meta(**changes: Any) -> MethodMeta:
    return MethodMeta(
        **{"name": "m", "version": 1, "scope": "image", "deterministic": True, "source": SOURCE, **changes}
    )


class Positional(Invert):
    """Takes a positional parameter."""

    def __init__(self, size: int = 3) -> None:
        self.size = size


class AcceptsNan(Invert):
    """Does not look at its parameter."""

    def __init__(self, *, share: float = 0.5) -> None:
        self.share = share


def in_place(self: Any, images: Any, context: Any) -> list[Any]:
    for image in images:
        image[...] = 0
    return list(images)


def unnamed(self: Any, images: Any, context: Any) -> list[Any]:
    return [Protected(image, ()) for image in images]


def by_batch(self: Any, images: Any, context: Any) -> list[Any]:
    return [np.full_like(image, len(images)) for image in images]


def by_position(self: Any, images: Any, context: Any) -> list[Any]:
    return [np.full_like(image, position) for position, image in enumerate(images)]


def by_stream(self: Any, images: Any, context: Any) -> list[Any]:
    return [
        context.rng(s).integers(0, 256, i.shape, np.uint8) for i, s in zip(images, context.samples, strict=True)
    ]


def by_chance(self: Any, images: Any, context: Any) -> list[Any]:
    return [np.random.default_rng().integers(0, 256, image.shape, np.uint8) for image in images]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (broken(__doc__=""), "needs a docstring"),
        (broken(meta=None), "meta must be a MethodMeta, not NoneType"),
        (broken(meta=meta(name="a b")), "meta.name must be letters"),
        (broken(meta=meta(version=0)), "meta.version must be a whole number from 1, not 0"),
        (broken(meta=meta(source=Source(" "))), "meta.source.citation"),
        (broken(meta=meta(scope="photo")), "meta.scope must be one of"),
        (broken(meta=meta(needs=("gpu",))), "meta.needs may name detector, recognizer, segmenter, not"),
        (broken(meta=meta(scope="dataset")), "needs fit"),
        (broken(fit=lambda self, gallery: None), "scope 'image' has no fit"),
        (Positional(), "parameter 'size' must be keyword-only"),
        (AcceptsNan(), "parameter 'share' must be refused with ValueError when it is NaN"),
        (broken(protect=in_place), "wrote into the pictures"),
        (broken(protect=lambda self, images, context: images[:-1]), "results for"),
        (broken(protect=lambda self, images, context: tuple(images)), "must return a list"),
        (broken(protect=lambda self, images, context: [i / 255 for i in images]), "must be uint8 .*, not float64"),
        (broken(protect=lambda self, images, context: [i[..., 0] for i in images]), "must be uint8"),
        (broken(protect=lambda self, i, c: [Failure(Reason.NO_FACE, "none")] * len(i)), "gave no picture for any"),
        (broken(protect=lambda self, i, c: [Failure(Reason.NO_FACE)] * len(i)), "Failure.detail must be one line"),
        (broken(protect=lambda self, i, c: [Failure(Reason.EXCEPTION, "x")] * len(i)), "for the pipeline alone"),
        (broken(protect=unnamed), "Protected.unprotected must have one line for each region"),
        (broken(meta=meta(needs=("segmenter",))), "must be a Failure where the segmenter has one"),
        (broken(protect=by_batch), "another result in a batch of its own"),
        (broken(protect=by_position), "another result with the batch in another order"),
        (broken(protect=by_stream), "with other random streams, though deterministic"),
        (broken(protect=by_chance, meta=meta(deterministic=False)), "called again with the same random streams"),
    ],
)
def test_a_broken_method_is_told_what_is_broken(method: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_method(method)


def test_methods_that_keep_their_promises_pass() -> None:
    check_component("methods", Invert())
    check_method(broken(protect=by_stream, meta=meta(deterministic=False)))


class Nothing:
    """Finds nothing."""

    meta = ModelMeta("nothing", 1, "detector", SOURCE)

    def detect(self, images: Any) -> list[Detections]:
        return [Detections.empty() for _ in images]


class Sideways(Nothing):
    """Gives left, right, top, bottom."""

    def detect(self, images: Any) -> list[Detections]:
        box = np.array([[0.4, 0.6, 0.5, 0.5]], np.float32)
        return [Detections(box, np.ones(1, np.float32)) for _ in images]


class Double(Nothing):
    """Gives boxes of the wrong type."""

    def detect(self, images: Any) -> list[Detections]:
        return [Detections(np.array([[0.0, 0, 1, 1]]), np.ones(1)) for _ in images]


def test_a_broken_detector_is_told_what_is_broken() -> None:
    check_detector(Nothing())
    with pytest.raises(AssertionError, match="found a face in 0 of 1 photos"):
        check_detector(Nothing(), photos=[np.zeros((9, 9, 3), np.uint8)])
    with pytest.raises(AssertionError, match="boxes are left, top, right, bottom"):
        check_detector(Sideways())
    with pytest.raises(AssertionError, match="boxes must be float32"):
        check_detector(Double())
    with pytest.raises(AssertionError, match=r"meta.role must be 'recognizer'"):
        check_recognizer(Nothing())
    with pytest.raises(AssertionError, match=r"meta.role must be one of"):
        check_component("models", Invert())
    with pytest.raises(ValueError, match="kind must be one of"):
        check_component("model", Nothing())


class Means:
    """Describes a face by the mean colour of the whole picture."""

    meta = ModelMeta("means", 1, "recognizer", SOURCE)
    distance = "cosine"
    dimension = 3
    customary_threshold = 0.1

    def embed(self, images: Any, faces: Any) -> list[Any]:
        return [image.mean(axis=(0, 1)).astype(np.float32) for image in images]


class ComparesOnly:
    """Says how alike two pictures are in the mean."""

    meta = ModelMeta("compares", 1, "recognizer", SOURCE)
    distance = "cosine"
    customary_threshold = 0.3

    def compare(self, left: Any, right: Any) -> list[float]:
        return [-abs(float(a.mean()) - float(b.mean())) for (a, _), (b, _) in zip(left, right, strict=True)]


def unlike(self: Any, left: Any, right: Any) -> list[float]:
    """The more alike, the lower."""
    return [-1 + abs(float(a.mean()) - float(b.mean())) / 255 for (a, _), (b, _) in zip(left, right, strict=True)]


def test_recognizers() -> None:
    check_recognizer(Means())
    check_recognizer(ComparesOnly())
    wrong = type("Wrong", (Means,), {"__doc__": "Lies about its dimension.", "dimension": 4})
    with pytest.raises(AssertionError, match=r"must have the shape \(4,\), not \(3,\)"):
        check_recognizer(wrong())
    for broken_promise, message in (
        ({"distance": "hamming"}, "distance must be cosine or euclidean, not 'hamming'"),
        ({"customary_threshold": 0.0}, "customary_threshold cannot be"),
        ({"compare": lambda self, left, right: [0.5] * (len(left) - 1)}, "results for"),
        ({"compare": lambda self, left, right: [float("nan")] * len(left)}, r"another result|finite number"),
        ({"compare": lambda self, left, right: [70.0] * len(left)}, "finite number of at most 1, as distance is"),
        ({"compare": unlike}, "more alike to another .* than to itself"),
    ):
        promise = {"__doc__": "Breaks a promise.", **broken_promise}
        with pytest.raises(AssertionError, match=message):
            check_recognizer(type("Breaks", (ComparesOnly,), promise)())
    nan = lambda self, images, faces: [np.full(3, np.nan, np.float32) for _ in images]  # noqa: E731
    with pytest.raises(AssertionError, match=r"another result|must be finite"):
        check_recognizer(type("Nan", (Means,), {"__doc__": "Describes nothing.", "embed": nan})())


class Album:
    """Pictures in a folder."""

    meta = DatasetMeta("album", 1, SOURCE, ("gender",), frozenset({"identity", "demographics"}))

    def __init__(self, *, root: Path, listed: list[Entry]) -> None:
        self.root = root
        self.listed = listed

    def entries(self) -> Iterator[Entry]:
        yield from self.listed

    def pairs(self) -> list[Any]:
        return []


def test_a_broken_dataset_is_told_what_is_broken(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    good = Entry("a.png", "ann", "", {"gender": "Female"})
    check_dataset(Album(root=tmp_path, listed=[good]))
    cases = [
        ([], "has no entries"),
        ([good, good], "is an entry once"),
        ([Entry("../a.png", "ann", "", {"gender": "Female"})], "never leave it"),
        ([Entry("b.png", "ann", "", {"gender": "Female"})], "there is no such file"),
        ([Entry("a.png", "ann", "", {"gender": 1})], "are text"),  # type: ignore[dict-item]
        ([Entry("a.png", "ann")], "which meta.groupings names"),
        ([Entry("a.png", "", "", {"gender": "Female"})], "exactly when people are known"),
    ]
    for listed, message in cases:
        with pytest.raises(AssertionError, match=message):
            check_dataset(Album(root=tmp_path, listed=listed))


class DropsRows(DetectionRate):
    """Forgets the photos in which nothing was found."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        observed = super().observe(units, threat_model, context)
        return observed[observed["n_faces"] > 0]


class WrongType(DetectionRate):
    """Gives text where numbers were promised."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        return super().observe(units, threat_model, context).assign(score="high")


class Unseeded(DetectionRate):
    """Draws its units by chance."""

    def units(self, samples: Any, threat_model: str, pairs: Any, rng: Any) -> pd.DataFrame:
        units = super().units(samples, threat_model, pairs, rng)
        return units.sample(frac=1, random_state=np.random.default_rng()).reset_index(drop=True)


def test_a_broken_evaluation_is_told_what_is_broken() -> None:
    for evaluation, message in (
        (DropsRows(), "one row per unit"),
        (WrongType(), "column 'score' is no float"),
        (Unseeded(), "same for the same random stream"),
    ):
        with pytest.raises(AssertionError, match=message):
            check_evaluation(evaluation)
    taken: dict[str, pa.DataType] = {"status": pa.string()}
    old = DetectionRate.meta
    changed = EvaluationMeta("d", 1, old.dimension, old.unit, old.roles, ("",), old.has, taken, (), SOURCE)
    with pytest.raises(AssertionError, match="every observation has a column"):
        check_evaluation(type("Taken", (DetectionRate,), {"__doc__": "Takes a name.", "meta": changed})())
