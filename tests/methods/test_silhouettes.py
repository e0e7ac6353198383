from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import distance_transform_edt

from unveil.core.types import Detections, Protected
from unveil.methods.pixel import Mask, Pixelation
from unveil.methods.silhouettes import silhouettes, union

from .material import Context, crowd, picture, sample

SHAPE = (30, 40, 3)


def with_masks(masks: np.ndarray | None) -> Detections:
    n = 1 if masks is None else len(masks)
    return Detections(np.tile(np.float32([1, 2, 3, 4]), (n, 1)), np.ones(n, np.float32), masks=masks)


def test_a_person_is_the_mask_and_not_the_box() -> None:
    mask = np.zeros((1, 30, 40), bool)
    mask[0, 5:20, 7:9] = mask[0, 6, 7:31] = True
    (person,), unusable = silhouettes(with_masks(mask), SHAPE, 0)
    assert person.box == (7, 5, 31, 20)
    assert person.where == "person at (1, 2, 3, 4)"
    assert unusable == []
    assert np.array_equal(union([person], SHAPE), mask[0])


@pytest.mark.parametrize(
    ("masks", "line"),
    [
        (None, "person at (1, 2, 3, 4): no mask is known"),
        (np.ones((1, 9, 8), bool), "person at (1, 2, 3, 4): mask is 8x9 pixels, the picture 40x30"),
        (np.zeros((1, 30, 40), bool), "person at (1, 2, 3, 4): mask has 0 pixels"),
    ],
)
def test_what_cannot_be_used_is_said(masks: np.ndarray | None, line: str) -> None:
    assert silhouettes(with_masks(masks), SHAPE, 0.1) == ([], [line])
    image = picture(30, 40)
    (result,) = Mask(region="person").protect([image], Context([sample()], people=with_masks(masks)))
    assert isinstance(result, Protected)
    assert result.unprotected == (line,)
    assert np.array_equal(result.image, image)


@given(st.integers(0, 10_000), st.floats(0, 3))
def test_margin_grows_a_mask_in_all_directions(seed: int, margin: float) -> None:
    random = np.random.default_rng(seed)
    mask = np.zeros((30, 40), bool)
    mask[tuple(random.integers(0, (30, 40), (5, 2)).T)] = True
    (person,), _ = silhouettes(with_masks(mask[None]), SHAPE, margin)
    rows, columns = np.nonzero(mask)
    reach = margin * min(np.ptp(rows) + 1, np.ptp(columns) + 1)
    near = distance_transform_edt(~mask)
    grown = union([person], SHAPE)
    assert grown[mask].all()
    assert grown[near <= reach - 1e-4].all() or reach < 1
    assert not grown[near > reach + 1e-4].any()


def test_only_pixels_under_a_mask_change_and_all_of_them() -> None:
    image = picture(40, 60)
    people = crowd(image.shape, [(2, 3, 30, 38), (20, 1, 55, 39)], round_masks=True)
    assert people.masks is not None
    covered = people.masks.any(axis=0)
    (masked,) = Mask(region="person", color=(9, 8, 7)).protect([image], Context([sample()], people=people))
    assert (masked[covered] == (9, 8, 7)).all()
    assert np.array_equal(masked[~covered], image[~covered])


def test_a_person_too_small_for_the_mosaic_is_not_called_protected() -> None:
    image = picture(40, 60)
    people = crowd(image.shape, [(0, 0, 16, 30), (20, 0, 60, 40)])
    (result,) = Pixelation(region="person").protect([image], Context([sample()], people=people))
    assert isinstance(result, Protected)
    why = "person at (0, 0, 16, 30): the method changed none of its pixels, in a box of 16x30"
    assert result.unprotected == (why,)
