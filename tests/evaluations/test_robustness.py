from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.signal import convolve2d

from unveil.core.types import Failure, Image, Reason
from unveil.evaluations.robustness import CROP, Robustness, similarity
from unveil.testing.scenes import Scenes, scene_samples

from .scenes import MISSING, Album, Known, boxed, numbered, observed

LEFT, RIGHT = (0.0, 0.0, 10.0, 20.0), (30.0, 0.0, 40.0, 20.0)
WHOLE = np.array([0, 0, *CROP], np.float32)


def noise(seed: int, size: tuple[int, int] = (CROP[1], CROP[0])) -> Image:
    return np.random.default_rng(seed).integers(0, 256, (*size, 3), np.uint8)


def direct_ssim(one: NDArray[Any], two: NDArray[Any]) -> float:
    """Wang et al. 2004 for one channel: equation 13 in every whole 11 x 11 Gaussian window, then the mean (17)."""
    axis = np.arange(-5, 6)
    window = np.exp(-(axis[:, None] ** 2 + axis[None] ** 2) / (2 * 1.5**2))
    window /= window.sum()

    def mean(values: NDArray[Any]) -> NDArray[Any]:
        return convolve2d(values, window, mode="valid")

    x, y = one.astype(np.float64), two.astype(np.float64)
    mx, my = mean(x), mean(y)
    vx, vy, cov = mean(x * x) - mx**2, mean(y * y) - my**2, mean(x * y) - mx * my
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    index = (2 * mx * my + c1) * (2 * cov + c2) / ((mx**2 + my**2 + c1) * (vx + vy + c2))
    return float(index.mean())


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_similarity_is_the_published_one(share: float) -> None:
    one = noise(1)
    two = ((1 - share) * one + share * noise(2)).astype(np.uint8)
    wanted = np.mean([direct_ssim(one[..., c], two[..., c]) for c in range(3)])
    assert similarity(one, two, WHOLE) == pytest.approx(wanted, abs=1e-9)


@given(st.tuples(*[st.floats(-20, 90)] * 2), st.tuples(*[st.floats(0.1, 200)] * 2))
def test_any_box_can_be_compared(corner: tuple[float, float], size: tuple[float, float]) -> None:
    box = np.array([*corner, corner[0] + size[0], corner[1] + size[1]], np.float32)
    one, two = noise(3, (50, 70)), noise(4, (50, 70))
    assert similarity(one, one, box) == pytest.approx(1)
    assert -1 <= similarity(one, two, box) < 1


def test_only_what_is_in_the_box_counts() -> None:
    one = noise(5, (60, 80))
    two = one.copy()
    two[:, 40:] = 0
    assert similarity(one, two, np.array([0, 0, 40, 60], np.float32)) == pytest.approx(1)
    assert similarity(one, two, np.array([40, 0, 80, 60], np.float32)) < 0.1


def look(before: Any, after: Any, protected: Image | Failure, original: Image | Failure | None = None) -> Any:
    detector = Known({1: before, 2: after})
    first = numbered(1) if original is None else original
    return observed(
        Robustness(), Album({"a": first}, {"a": protected}, models={("object_detector", "original"): detector})
    )


def test_people_are_matched_one_to_one_and_only_those_who_are_surely_there() -> None:
    before = boxed(("person", 0.9, LEFT), ("person", 0.8, RIGHT), ("person", 0.4, RIGHT), ("car", 0.9, RIGHT))
    after = boxed(
        ("person", 0.7, (0, 0, 10, 18)), ("person", 0.6, LEFT), ("person", 0.3, RIGHT), ("car", 0.9, RIGHT)
    )
    rows = look(before, after, numbered(2))
    assert rows["unit_id"].tolist() == ["a#0", "a#1"] and set(rows["status"]) == {"ok"}
    nan = float("nan")
    assert rows["score"].to_numpy() == pytest.approx([0.9, 0.8])
    assert rows["iou"].to_numpy() == pytest.approx([1, nan], nan_ok=True), "the closest, not the surest"
    assert rows["score_protected"].to_numpy() == pytest.approx([0.6, nan], nan_ok=True)
    assert rows["ssim"].notna().tolist() == [True, False]


def test_a_protected_picture_of_another_size_is_brought_back() -> None:
    after = boxed(("person", 0.7, (15, 0, 20, 10)))
    rows = look(boxed(("person", 0.9, RIGHT)), after, numbered(2, (20, 30)))
    assert rows["iou"].tolist() == [1.0] and rows["ssim"].notna().all()


def test_people_of_a_picture_that_was_left_out() -> None:
    rows = look(boxed(("person", 0.9, LEFT), ("person", 0.9, RIGHT)), boxed(), MISSING)
    assert rows["status"].tolist() == ["not_protected"] * 2
    assert rows["score"].notna().all() and rows[["iou", "ssim", "score_protected"]].isna().all(axis=None)


@pytest.mark.parametrize("where", ["original", "protected"])
def test_an_unreadable_picture_is_one_error(where: str) -> None:
    broken = Failure(Reason.UNDECODABLE, "damaged")
    people = boxed(("person", 0.9, LEFT), ("person", 0.9, RIGHT))
    rows = look(people, people, broken) if where == "protected" else look(people, people, numbered(2), broken)
    assert rows[["unit_id", "status", "reason"]].to_numpy().tolist() == [["a#0", "error", "undecodable"]]
    assert rows[list(Robustness.meta.columns)].isna().all(axis=None)


def test_a_picture_without_people_has_no_rows() -> None:
    assert look(boxed(), boxed(("person", 0.9, LEFT)), numbered(2)).empty


def test_originals_are_like_themselves() -> None:
    rows = observed(Robustness(), Scenes(scene_samples(40), ["ok"] * 40, "original"))
    assert len(rows) > 10 and (rows["iou"] == 1).all() and rows["ssim"].to_numpy() == pytest.approx(1)
    veiled = observed(Robustness(), Scenes(scene_samples(40), ["ok"] * 40))
    assert len(veiled) == len(rows) and (veiled["ssim"].fillna(0) < 0.9).all()


def test_operating_points_begin_with_the_first_of_both() -> None:
    assert Robustness().operating_points[:2] == ("iou=0.5,ssim=0.5", "iou=0.5,ssim=0.3")
    assert len(set(Robustness().operating_points)) == 9
    points = Robustness(iou_thresholds=[0.75], ssim_thresholds=[0.2, 1]).operating_points
    assert points == ("iou=0.75,ssim=0.2", "iou=0.75,ssim=1")


@pytest.mark.parametrize("name", ["iou_thresholds", "ssim_thresholds"])
@pytest.mark.parametrize(
    "values", [[], 0.5, [0], [1.5], [float("nan")], [0.5, 0.5], ["0.5"], [True], [0.5, 0.50000001]]
)
def test_wrong_thresholds_are_refused(name: str, values: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Robustness(**{name: values})
