from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.methods import cells
from unveil.methods.differential import DPPix, DPSnow

from .material import Context, picture, sample


def pix_noise(method: DPPix, shape: tuple[int, int], draws: int) -> np.ndarray:
    """Noise on the cells of a mid-grey picture, before rounding hides anything: (draws * cells, 3)."""
    grey = np.full((*shape, 3), 128, np.uint8)
    images = method.protect([grey] * draws, Context([sample(f"{n}.png") for n in range(draws)]))
    rows, columns = cells.steps(shape[0], method.b), cells.steps(shape[1], method.b)
    return np.concatenate([i[np.ix_(rows, columns)].reshape(-1, 3) for i in images]).astype(float) - 128


@pytest.mark.parametrize(
    ("eps", "m", "b", "budget", "scale"),
    [
        (8.0, 1, 8, "channel", 255 / 64 / 8),
        (1.0, 1, 8, "channel", 255 / 64),
        (2.0, 3, 8, "channel", 255 * 3 / 64 / 2),
        (3.0, 1, 8, "image", 255 / 64),
    ],
)
def test_pix_noise_is_laplace_of_the_published_scale(
    eps: float, m: int, b: int, budget: str, scale: float
) -> None:
    noise = pix_noise(DPPix(eps=eps, m=m, b=b, budget=budget), (160, 160), 40)
    # For a Laplace variable X: E|X| = scale and E X^2 = 2 scale^2; rounding adds at most 1/12.
    n = noise.size
    assert abs(noise).mean() == pytest.approx(scale, rel=0.02 + 4 / np.sqrt(n), abs=0.15)
    assert (noise**2).mean() == pytest.approx(2 * scale**2 + 1 / 12, rel=0.02 + 4 * np.sqrt(5 / n))
    assert abs(noise.mean()) < 5 * scale * np.sqrt(2 / n)
    assert abs(np.corrcoef(noise[:, 0], noise[:, 1])[0, 1]) < 0.03


def test_pix_cells_cut_by_the_border_get_more_noise() -> None:
    method = DPPix(eps=4.0, m=1, b=8)
    grey = np.full((8, 10, 3), 128, np.uint8)  # one cell of 64 pixels, one of 16
    images = np.array(method.protect([grey] * 3000, Context([sample(f"{n}.png") for n in range(3000)])), float)
    whole, cut = np.abs(images[:, 0, 0] - 128).mean(), np.abs(images[:, 0, 9] - 128).mean()
    assert whole == pytest.approx(255 / 64 / 4, rel=0.1)
    assert cut == pytest.approx(255 / 16 / 4, rel=0.1)


def test_pix_bounds_the_odds_of_every_output() -> None:
    """The definition itself, on pictures of one cell that differ in m pixels by the most they can."""
    eps, m, b, draws = 1.0, 2, 4, 12_000
    method = DPPix(eps=eps, m=m, b=b)
    one = np.full((4, 4, 3), 100, np.uint8)
    other = one.copy()
    other[0, :m, 0] = 255
    one[0, :m, 0] = 0
    edges = [-1, 40, 70, 100, 130, 160, 200, 255]
    counts = [
        np.histogram([i[0, 0, 0] for i in method.protect([image] * draws, context)], edges)[0]
        for image, context in (
            (one, Context([sample(f"a{n}") for n in range(draws)])),
            (other, Context([sample(f"b{n}") for n in range(draws)])),
        )
    ]
    ratio = counts[0] / counts[1]
    slack = 4 * np.sqrt(1 / counts[0] + 1 / counts[1])
    assert (np.abs(np.log(ratio)) <= eps + slack).all()
    assert np.abs(np.log(ratio)).max() > 0.8 * eps  # and it is not far better than promised


def test_pix_with_much_budget_is_pixelation() -> None:
    image = picture(30, 22)
    (protected,) = DPPix(eps=1e9, b=8).protect([image], Context([sample()]))
    rows, columns = cells.steps(30, 8), cells.steps(22, 8)
    assert np.array_equal(protected, cells.paint(cells.means(image, rows, columns)[0], rows, columns, image.shape))


def test_pix_states_what_it_promises() -> None:
    stated = DPPix(eps=0.5, m=16).guarantee.statement
    assert "eps = 0.5 for each colour channel, 1.5 for the picture" in stated
    assert "at most 16 pixels" in stated
    assert "face" not in stated
    assert "eps = 0.5 for the colour picture" in DPPix(eps=0.5, budget="image").guarantee.statement
    assert "detected face boxes" in DPPix(region="face").guarantee.statement


@given(st.integers(1, 30), st.integers(1, 30), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.9, 1.0]))
def test_snow_replaces_exactly_its_share(height: int, width: int, share: float) -> None:
    image = np.zeros((height, width, 3), np.uint8)
    (snowy,) = DPSnow(replace_fraction=share).protect([image], Context([sample()]))
    grey = (snowy == 127).all(2)
    assert grey.sum() == -int(-(share * 1000) * height * width // 1000)
    assert (snowy[~grey] == 0).all()


def test_snow_falls_everywhere_alike() -> None:
    image = np.zeros((6, 5, 3), np.uint8)
    snow = DPSnow(replace_fraction=0.3).protect([image] * 2000, Context([sample(f"{n}") for n in range(2000)]))
    hits = (np.array(snow)[..., 0] == 127).sum(0)
    assert np.abs(hits - 600).max() < 5 * np.sqrt(2000 * 0.3 * 0.7)


def test_snow_states_delta_as_one_minus_the_share() -> None:
    assert "delta = 0.2," in DPSnow(replace_fraction=0.8).guarantee.statement
