from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.methods.keyed import BlockPermutation, PixelRelocation, keyed_order

from .material import Context, picture, sample

side = st.integers(1, 40)


@given(side, side, st.integers(1, 12), st.text(min_size=1, max_size=8))
def test_block_permutation_is_undone_exactly(height: int, width: int, block: int, key: str) -> None:
    method, image, one = BlockPermutation(key=key, block=block), picture(height, width), sample("x/ä.png")
    (scrambled,) = method.protect([image], Context([one]))
    assert np.array_equal(method.recover(scrambled, one), image)
    assert np.array_equal(np.sort(scrambled.reshape(-1, 3), axis=0), np.sort(image.reshape(-1, 3), axis=0))


@given(side, side, st.text(min_size=1, max_size=8))
def test_pixel_relocation_is_undone_exactly(height: int, width: int, key: str) -> None:
    method, image, one = PixelRelocation(key=key), picture(height, width), sample()
    (scrambled,) = method.protect([image], Context([one]))
    assert np.array_equal(method.recover(scrambled, one), image)


@pytest.mark.parametrize("method", [BlockPermutation, PixelRelocation])
def test_another_key_or_sample_does_not_undo_it(method: type[BlockPermutation] | type[PixelRelocation]) -> None:
    image, one = picture(64, 64), sample("a.png")
    (scrambled,) = method(key="right").protect([image], Context([one]))
    assert not np.array_equal(scrambled, image)
    assert not np.array_equal(method(key="wrong").recover(scrambled, one), image)
    assert not np.array_equal(method(key="right").recover(scrambled, sample("b.png")), image)


def test_blocks_stay_whole() -> None:
    image = picture(32, 32)
    (scrambled,) = BlockPermutation(key="k", block=8).protect([image], Context([sample()]))

    def blocks(of: np.ndarray) -> set[bytes]:
        return {of[y : y + 8, x : x + 8].tobytes() for y in range(0, 32, 8) for x in range(0, 32, 8)}

    assert blocks(scrambled) == blocks(image)


def test_the_order_is_the_same_on_every_machine() -> None:
    assert keyed_order("secret", "a.png", "all", 12).tolist() == [11, 2, 10, 5, 9, 4, 3, 0, 1, 7, 6, 8]


def test_all_orders_are_about_equally_likely() -> None:
    seen = np.zeros((5, 5), int)
    for number in range(2000):
        seen[np.arange(5), keyed_order("k", str(number), "all", 5)] += 1
    assert np.abs(seen - 400).max() < 5 * np.sqrt(400 * 0.8)


@given(st.integers(0, 300))
def test_an_order_is_a_permutation(places: int) -> None:
    assert sorted(keyed_order("k", "s", "all", places)) == list(range(places))
