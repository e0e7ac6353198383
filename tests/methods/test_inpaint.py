from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.methods.avatar_2d import Avatar2D
from unveil.methods.inpaint import GREY, Inpainting, continued
from unveil.methods.pixel import Mask

from .material import Context, crowd, picture, sample

side = st.integers(1, 60)


@pytest.mark.parametrize("algorithm", ["telea", "navier_stokes"])
@pytest.mark.parametrize("detail", [16, 256])
def test_a_plain_wall_closes_without_a_trace(algorithm: str, detail: int) -> None:
    wall = np.full((50, 70, 3), (30, 90, 200), np.uint8)
    people = crowd(wall.shape, [(20, 10, 40, 48)], round_masks=True)
    assert people.masks is not None
    shown = wall.copy()
    shown[people.masks[0]] = (250, 0, 0)
    method = Inpainting(algorithm=algorithm, detail=detail)  # type: ignore[arg-type]
    (result,) = method.protect([shown], Context([sample()], people=people))
    assert np.abs(result.astype(int) - wall).max() <= 4  # OpenCV rounds cell by cell


@settings(deadline=None)
@given(side, side, st.integers(0, 9999), st.sampled_from(["telea", "navier_stokes"]), st.integers(1, 70))
def test_nothing_under_the_mask_has_any_influence(
    height: int, width: int, seed: int, algorithm: str, detail: int
) -> None:
    random = np.random.default_rng(seed)
    image, mask = picture(height, width, seed), random.random((height, width)) < random.random()
    other = image.copy()
    other[mask] = random.integers(0, 256, (int(mask.sum()), 3))
    results = [
        continued(i, mask, algorithm=algorithm, detail=detail)  # type: ignore[arg-type]
        for i in (image, other)
    ]
    assert np.array_equal(*results)
    assert np.array_equal(results[0][~mask], image[~mask])


def test_without_any_background_everything_is_grey() -> None:
    assert np.abs(continued(picture(9, 7), np.ones((9, 7), bool)).astype(int) - GREY).max() <= 1


@pytest.mark.parametrize("method", [Inpainting(), Avatar2D(), Mask(region="person")])
def test_methods_that_replace_people_do_not_depend_on_their_pixels(method: Inpainting | Avatar2D | Mask) -> None:
    boxes = [(3, 5, 40, 90), (30, 10, 70, 99), (90, 0, 140, 100)]
    people = crowd((100, 150), boxes, round_masks=True)
    assert people.masks is not None
    images = [picture(100, 150, seed) for seed in (0, 1)]
    covered = people.masks.any(axis=0)
    images[1][~covered] = images[0][~covered]
    results = method.protect(images, Context([sample(), sample("b.png")], people=people))
    assert np.array_equal(*results)
