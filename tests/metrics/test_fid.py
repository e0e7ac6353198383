from __future__ import annotations

import csv
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import sqrtm

from unveil.metrics.fid import CHUNK, FID, NOTHING, fid, fid_success
from unveil.models.hog import Hog
from unveil.testing.scenes import MeanColours, scene

Floats = NDArray[np.float64]


def sets(seed: int, m: int = 40, n: int = 30, d: int = 6) -> tuple[Floats, Floats]:
    draw = np.random.default_rng(seed)
    return draw.normal(0.3, 1, (m, d)), draw.normal(-0.1, 1.5, (n, d)) @ draw.normal(size=(d, d))


def direct(x: Floats, y: Floats) -> float:
    """The definition, with SciPy's root of the product of both covariances."""
    one, two = np.cov(x.T), np.cov(y.T)
    root = sqrtm(one @ two)
    return float(np.square(x.mean(axis=0) - y.mean(axis=0)).sum() + np.trace(one + two - 2 * root.real))


@given(st.integers(0, 10**6), st.integers(8, 60), st.integers(8, 60), st.integers(2, 7))
@settings(max_examples=30, deadline=None)
def test_it_is_the_definition(seed: int, m: int, n: int, d: int) -> None:
    x, y = sets(seed, m, n, d)
    assert fid(x, y) == pytest.approx(direct(x, y), rel=1e-6, abs=1e-6)


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 12), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_symmetric_not_negative_zero_for_equal_sets_and_blind_to_turns(seed: int, m: int, n: int, d: int) -> None:
    x, y = sets(seed, m, n, d)
    value = fid(x, y)
    assert value >= 0 and value == pytest.approx(fid(y, x), rel=1e-9, abs=1e-9)
    assert fid(x, x[::-1]) == pytest.approx(0, abs=1e-9)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
    assert fid(x @ turn + 3, y @ turn + 3) == pytest.approx(value, rel=1e-8, abs=1e-8)
    assert fid(x, x + 2) == pytest.approx(4 * d, rel=1e-9), "only the mean has moved"


@given(st.integers(0, 10**6), st.integers(3, 30), st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_weights_are_copies_and_the_bootstrap_computes_the_same(seed: int, n: int, d: int) -> None:
    x, y = sets(seed, n, n, d)
    weights = np.random.default_rng(seed).integers(0, 3, n).astype(float)
    weights[0] += 2
    copies = weights.astype(int)
    expected = fid(np.repeat(x, copies, axis=0), np.repeat(y, copies, axis=0))
    assert fid(x, y, weights) == pytest.approx(expected, rel=1e-8, abs=1e-8)
    assert FID.prepare(x, y)(weights) == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_many_pictures_are_read_in_parts() -> None:
    x, y = sets(0, m=2 * CHUNK + 5, n=CHUNK + 1, d=4)
    assert fid(x, y) == pytest.approx(direct(x, y), rel=1e-9)


def test_one_picture_is_no_distribution() -> None:
    x, y = sets(0)
    assert math.isnan(fid(x[:1], y)) and math.isnan(fid(x, y[:1]))
    assert math.isnan(fid(y, y, np.eye(30)[0]))


@pytest.mark.parametrize("encoder", [MeanColours(), Hog()])
def test_torchmetrics_gives_the_same(encoder: MeanColours | Hog) -> None:
    """Its own accumulation and eigenvalues, with the encoder passed as a module, on drawn pictures."""
    torch = pytest.importorskip("torch")
    images = pytest.importorskip("torchmetrics.image.fid")

    class Encoder(torch.nn.Module):  # type: ignore[misc]
        num_features = 12

        def forward(self, pictures: Any) -> Any:
            arrays = [picture.permute(1, 2, 0).numpy() for picture in pictures]
            return torch.tensor(encoder.encode(arrays)[:, :12].astype(np.float64))

    originals = np.stack([scene(number)[0] for number in range(40)])
    noise = np.random.default_rng(0).integers(0, 60, originals.shape, np.uint8)
    theirs, ours = images.FrechetInceptionDistance(feature=Encoder()), []
    for pictures, real in ((originals, True), (originals // 2 + noise, False)):
        theirs.update(torch.tensor(pictures).permute(0, 3, 1, 2), real=real)
        ours.append(encoder.encode(list(pictures))[:, :12])
    expected = float(theirs.compute())
    assert expected > 0 and fid(*ours) == pytest.approx(expected, rel=1e-5)


def test_success_is_one_minus_the_share_of_the_worst_group() -> None:
    assert fid_success({"a": 5.0, "b": 20.0, "c": 0.0}) == {"a": 0.75, "b": 0.0, "c": 1.0}
    with_gap = fid_success({"a": 5.0, "b": math.nan, "c": 10.0})
    assert with_gap["a"] == 0.5 and math.isnan(with_gap["b"]) and with_gap["c"] == 0
    assert fid_success({}) == {}


@pytest.mark.parametrize("rates", [{"Females": -0.0, "Males": 0.0}, {"a": NOTHING / 2}, {"a": math.nan}])
def test_of_equal_folders_there_is_no_success(rates: dict[str, float]) -> None:
    assert all(map(math.isnan, fid_success(rates).values()))


def test_published_success_follows_from_the_published_fid(shared_data: Path) -> None:
    """Every method and data set but one, whose folders were equal: its published 1.0 is no success."""
    with (shared_data / "reference" / "fairdeface" / "tidy" / "fid.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rates: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    published: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        key = row["method"], row["dataset"]
        rates[key][row["group"]], published[key][row["group"]] = float(row["fid"]), float(row["success"])
    equal = [key for key, fids in rates.items() if any(map(math.isnan, fid_success(fids).values()))]
    assert equal == [("DP1", "CelebA")] and len(rates) > 20
    for key in rates.keys() - set(equal):
        worst = max(rates[key].values())
        rounding = 0.005 + 0.01 / worst  # of the success itself, and of both FIDs
        assert fid_success(rates[key]) == pytest.approx(published[key], abs=rounding + 1e-9)
