from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest

from unveil.core.face_regions import REGIONS
from unveil.core.fingerprint import rng
from unveil.core.protocols import Version
from unveil.core.types import Face, Failure, Image, Reason
from unveil.evaluations.focus import Focus, correlation, ranked
from unveil.images import read_image
from unveil.testing.gaze import FACE_MODELS
from unveil.testing.people import face_of, portrait

SCORES = ["verification", "obfuscation"]


class Context:
    """Drawn faces with real models; what is kept is remembered."""

    def __init__(
        self,
        originals: Mapping[str, Image | Failure],
        protected: Mapping[str, Image | Failure],
        *,
        method: str = "mine",
        without_face: Sequence[str] = (),
        identity: Mapping[str, str] | None = None,
        group: str = "Female",
        models: Mapping[str, Any] = FACE_MODELS,
        faces: Mapping[str, Face] | None = None,
    ) -> None:
        ids = pd.Index(list(originals), name="sample_id")
        people = [(identity or {}).get(i, i) for i in ids]
        self.samples = pd.DataFrame({"identity": people, "demographic_group": group}, index=ids)
        statuses = ["not_acquired" if i in without_face else "ok" for i in ids]
        self.faces = pd.DataFrame({"status": statuses}, index=ids)
        self.method = method
        self.kept: dict[str, Image] = {}
        self._found = faces or {i: face_of(portrait(0, 0)) for i in ids}
        self._models, self._versions = models, {"original": originals, "protected": protected}

    def templates(self, version: Version) -> Context:
        assert version == "original", "geometry is that of the original"
        return self

    def found(self, sample_ids: Sequence[str]) -> list[Face | None]:
        return [self._found[i] if self.faces.loc[i, "status"] == "ok" else None for i in sample_ids]

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        return (self._versions[version][i] for i in sample_ids)

    def model(self, role: str) -> Any:
        return self._models[role]

    def keep(self, name: str, picture: Image) -> None:
        assert name not in self.kept
        self.kept[name] = picture


def portraits(count: int) -> dict[str, Image | Failure]:
    return {f"{n}.png": portrait(n, 0) for n in range(count)}


def inverted(originals: Mapping[str, Image | Failure]) -> dict[str, Image | Failure]:
    return {i: image if isinstance(image, Failure) else 255 - image for i, image in originals.items()}


def observe(context: Context, **params: Any) -> pd.DataFrame:
    focus = Focus(**params)
    return focus.observe(focus.units(context.samples, "", [], rng(0)), "", context)  # type: ignore[arg-type]


def test_every_face_has_scores_of_every_region() -> None:
    context = Context(portraits(18), inverted(portraits(18)))  # more than one batch
    observed = observe(context)
    assert len(observed) == 18 * 15 and observed["unit_id"].is_unique
    assert set(observed["status"]) == {"ok"} and set(observed["reason"]) == {""}
    for _, rows in observed.groupby("sample_id"):
        assert rows["region"].tolist() == list(REGIONS)
        for score, rank in zip(SCORES, ("rank_verification", "rank_obfuscation"), strict=True):
            assert rows[score].min() == 0 and rows[score].max() == 1
            assert sorted(rows[rank]) == list(range(1, 16))
            assert rows.sort_values(rank)[score].is_monotonic_decreasing
        assert rows["correlation"].nunique() == 1
        expected = np.corrcoef(rows["verification"], rows["obfuscation"])[0, 1]
        assert rows["correlation"].iloc[0] == pytest.approx(expected, abs=1e-5)
    assert (observed["changed"] > 0).all() and (observed["changed"] <= 1).all()


def test_what_is_looked_at_depends_on_the_protected_picture_alone_where_it_should() -> None:
    one, two = (observe(Context(portraits(3), protected)) for protected in (inverted(portraits(3)), portraits(3)))
    assert one["verification"].equals(two["verification"])
    assert not one["obfuscation"].equals(two["obfuscation"])
    assert (two["changed"] == 0).all() and two["correlation"].to_numpy() == pytest.approx(1)


def test_unprotected_photos_are_compared_with_nothing() -> None:
    observed = observe(Context(portraits(3), portraits(3), method="original"))
    assert observed["verification"].equals(observed["obfuscation"])
    assert observed["rank_verification"].equals(observed["rank_obfuscation"])
    assert observed["correlation"].isna().all() and (observed["changed"] == 0).all()


def test_trouble_with_one_picture_is_a_status() -> None:
    originals = portraits(6)
    protected = inverted(originals)
    originals["1.png"] = Failure(Reason.UNDECODABLE, "broken")
    protected["2.png"] = Failure(Reason.MISSING, "none")
    protected["3.png"] = Failure(Reason.EXCEPTION, "crash")
    originals["5.png"] = portrait(5, 0) // 8  # the landmarker sees nothing in the dark
    observed = observe(Context(originals, protected, without_face=["2.png", "4.png"]))
    assert observed.groupby("sample_id").size().eq(15).all(), "so many regions could not be told"
    told = observed.groupby("sample_id")[["status", "reason"]].agg(set).to_dict("index")
    expected = {
        "0.png": ("ok", ""),
        "1.png": ("error", "undecodable"),
        "2.png": ("not_protected", "missing"),
        "3.png": ("error", "exception"),
        "4.png": ("error", "no_face_in_original"),
        "5.png": ("error", "landmarks: no_face"),
    }
    assert told == {i: {"status": {status}, "reason": {reason}} for i, (status, reason) in expected.items()}
    lost = observed[observed["status"] != "ok"]
    assert lost[[*SCORES, "changed", "rank_verification", "correlation"]].isna().all(axis=None)


def test_a_picture_of_another_size_is_brought_to_that_of_the_original() -> None:
    originals = portraits(2)
    large = {
        i: cv2.resize(image, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST) for i, image in originals.items()
    }
    observed = observe(Context(originals, large))
    assert (observed["status"] == "ok").all() and observed["changed"].max() < 0.01


def test_order_and_correlation() -> None:
    assert ranked(np.array([0.2, 0.9, np.nan, 0.2], np.float32)) == [2, 1, None, 3]
    assert ranked(np.zeros(3, np.float32)) == [None] * 3, "nothing stands out"
    assert ranked(np.full(2, np.nan, np.float32)) == [None, None]
    one = np.array([0, 1, 2, np.nan], np.float32)
    assert correlation(one, -one) == pytest.approx(-1)
    assert correlation(one, np.array([np.nan, 3, 9, 5], np.float32)) == pytest.approx(1)
    assert math.isnan(correlation(one, np.full(4, 7, np.float32)))
    assert math.isnan(correlation(one, np.array([1, np.nan, np.nan, 4], np.float32)))


def test_only_recognizers_with_gradients_suit() -> None:
    class Service:
        def compare(self, left: Any, right: Any) -> list[float]:
            return [0.5 for _ in left]

    assert Focus().suits("", {**FACE_MODELS})
    assert not Focus().suits("", {**FACE_MODELS, "recognizer": Service()})


@pytest.mark.parametrize("value", [-1, 1.5, True, math.nan, "2"])
def test_the_number_of_overlays_is_a_whole_one(value: Any) -> None:
    with pytest.raises(ValueError, match="overlays_per_group must be a whole number of at least 0"):
        Focus(overlays_per_group=value)


def test_pictures_for_the_report() -> None:
    identity = {f"{n}.png": f"person {n // 2}" for n in range(12)}  # two photos each
    context = Context(portraits(12), inverted(portraits(12)), identity=identity, group="Black/Female")
    observe(context, overlays_per_group=3)
    names = ["overlay Black-Female 1", "overlay Black-Female 2", "overlay Black-Female 3"]
    assert list(context.kept) == [*names, "average Black-Female", "average Black-Female original"]
    assert all(re.fullmatch(r"\w[\w .-]*", name) for name in context.kept)
    side = FACE_MODELS["recognizer"].side
    for number, name in enumerate(names):
        shown = context.kept[name]
        assert shown.shape == (side, 4 * side, 3) and shown.dtype == np.uint8
        crops = FACE_MODELS["recognizer"].chips([portrait(2 * number, 0)], [face_of(portrait(0, 0))])
        assert np.array_equal(shown[:, :side], crops[0]), "one photo of each person"
        assert np.array_equal(shown[:, 2 * side : 3 * side], 255 - crops[0])
    assert context.kept["average Black-Female"].shape == (side, side, 3)


def test_unprotected_photos_have_pictures_of_one_version() -> None:
    context = Context(portraits(6), portraits(6), method="original", group="")
    observe(context, overlays_per_group=1)
    assert list(context.kept) == ["overlay all 1", "average all"]
    side = FACE_MODELS["recognizer"].side
    assert context.kept["overlay all 1"].shape == (side, 2 * side, 3)


@pytest.mark.parametrize(
    "identity",
    [{f"{n}.png": f"person {n % 4}" for n in range(12)}, {f"{n}.png": "" for n in range(12)}],
    ids=["four people", "nobody knows who"],
)
def test_no_photo_leaves_the_run_that_should_not(identity: Mapping[str, str]) -> None:
    context = Context(portraits(12), inverted(portraits(12)), identity=identity)
    observe(context, overlays_per_group=0)
    assert context.kept == {}


def test_a_mean_face_is_of_each_person_once() -> None:
    identity = {f"{n}.png": "the one with many photos" if n >= 5 else f"person {n}" for n in range(40)}
    many = Context(portraits(40), inverted(portraits(40)), identity=identity)
    few = Context(portraits(6), inverted(portraits(6)))
    observe(many, overlays_per_group=0)
    observe(few, overlays_per_group=0)
    assert np.array_equal(many.kept["average Female"], few.kept["average Female"])


def test_real_faces(shared_data: Path, shared_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mediapipe")
    from unveil import registry
    from unveil.models.mtcnn import Mtcnn

    monkeypatch.setenv("UNVEIL_WEIGHTS", str(shared_weights))
    files = sorted((shared_data / "faces" / "london").glob("*/*.jpg"))[::3]
    originals = {path.name: image[::4, ::4] for path in files if isinstance(image := read_image(path), np.ndarray)}
    found = Mtcnn().detect(list(originals.values()))
    faces = {i: one.face(one.largest()) for i, one in zip(originals, found, strict=True)}
    blocks = {i: image[::6, ::6].repeat(6, axis=0).repeat(6, axis=1) for i, image in originals.items()}
    protected = {i: image[: originals[i].shape[0], : originals[i].shape[1]] for i, image in blocks.items()}
    models = {
        "recognizer": registry.build("models", "recognizer:dlib"),
        "landmarker": registry.build("models", "landmarker:face_landmarker"),
    }
    observed = observe(Context(originals, protected, models=models, faces=faces))
    assert (observed["status"] == "ok").all(), "landmarks are found on the recognizer's own crops"
    means = observed.groupby("region")[["verification", "changed"]].mean()
    inner, outer = ["Nose", "Nose Tip", "Nose Bridge"], ["Left Jaw", "Right Jaw", "Chin"]
    assert means.loc[inner, "verification"].min() > means.loc[outer, "verification"].max()
    assert means.loc["Forehead", "changed"] < means.loc["Left Eye", "changed"], "coarse blocks hurt details most"
    assert observed["correlation"].between(-1, 0.99).all()
