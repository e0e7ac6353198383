from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.ndimage import gaussian_filter

from unveil.core.face_regions import MESH_POINTS, REGIONS
from unveil.evaluations.heat import overlay, region_masks, region_means, smoothed, stretched


@given(arrays(np.float32, st.integers(1, 20), elements=st.floats(-1e6, 1e6, width=32) | st.just(np.nan)))
def test_stretched_values_fill_the_unit_interval_in_their_order(values: np.ndarray) -> None:
    found = stretched(values)
    assert np.array_equal(np.isnan(found), np.isnan(values))
    known = ~np.isnan(values)
    if known.sum() and np.ptp(values[known]) > 0:
        assert found[known].min() == 0 and found[known].max() == pytest.approx(1)
        order = np.argsort(values[known], kind="stable")
        assert (np.diff(found[known][order]) >= 0).all()
    else:
        assert (found[known] == 0).all()


def test_smoothing_is_that_of_the_scripts() -> None:
    rough = np.random.default_rng(0).random((60, 50)).astype(np.float32) ** 4
    once = gaussian_filter(stretched(rough), 5)
    assert np.allclose(smoothed(rough), gaussian_filter(stretched(once), 3), atol=2e-3)


@pytest.mark.parametrize("level", [0.0, 3.5])
def test_a_gradient_without_a_place_is_cold_everywhere(level: float) -> None:
    heat = smoothed(np.full((30, 30), level, np.float32))
    assert np.array_equal(heat, np.zeros((30, 30), np.float32))


def test_a_single_hot_pixel_is_found_again() -> None:
    gradient = np.zeros((60, 60), np.float32)
    gradient[20, 40] = 1e-12
    heat = smoothed(gradient)
    assert np.unravel_index(heat.argmax(), heat.shape) == (20, 40)
    assert heat.min() >= 0 and 0.2 < heat.max() <= 1


def test_a_region_is_the_hull_of_its_landmarks_and_may_lie_outside() -> None:
    landmarks = np.full((MESH_POINTS, 2), -50, np.float32)
    chin, jaw = list(REGIONS["Chin"]), list(REGIONS["Left Jaw"])
    corners = np.array([[2, 3], [7, 3], [7, 9], [2, 9]], np.float32)
    landmarks[chin] = corners[np.arange(len(chin)) % 4]
    landmarks[jaw] = (corners + np.array([10, 0]))[np.arange(len(jaw)) % 4]  # cut off by the border at 14
    masks = dict(zip(REGIONS, region_masks(landmarks, (12, 14)), strict=True))
    expected = np.zeros((12, 14), bool)
    expected[3:10, 2:8] = True
    assert np.array_equal(masks["Chin"], expected)
    assert masks["Left Jaw"].sum() == 7 * 2 and masks["Forehead"].sum() == 0
    values = np.arange(12 * 14, dtype=np.float32).reshape(12, 14)
    means = dict(zip(REGIONS, region_means(values, np.array(list(masks.values()))), strict=True))
    assert means["Chin"] == pytest.approx(values[3:10, 2:8].mean())
    assert np.isnan(means["Forehead"]), "nothing was seen of it: that is not the same as no heat"


def test_an_overlay_is_six_tenths_of_the_picture() -> None:
    picture = np.full((4, 4, 3), 100, np.uint8)
    heat = np.zeros((4, 4), np.float32)
    heat[:, 2:] = 1
    shown = overlay(picture, heat)
    assert shown.dtype == np.uint8
    assert shown[0, 0].tolist() == [60, 60, 60 + 51], "jet is dark blue where it is cold"
    assert shown[0, 3].tolist() == [60 + 51, 60, 60], "and dark red where it is hottest"
