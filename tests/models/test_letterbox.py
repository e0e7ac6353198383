"""Pictures fitted into the input of a network."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unveil.models.letterbox import letterbox


@given(st.integers(1, 300), st.integers(1, 300))
def test_boxes_come_back_from_the_canvas(height: int, width: int) -> None:
    image = np.full((height, width, 3), 7, np.uint8)
    canvas, scale = letterbox(image, 64, 48, 114)
    assert canvas.shape == (48, 64, 3)
    rows, columns = np.flatnonzero((canvas == 7).all(2).any(1)), np.flatnonzero((canvas == 7).all(2).any(0))
    shown = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
    assert np.allclose(shown / scale, [0, 0, width, height], atol=1e-3)
    assert set(np.unique(canvas)) <= {7, 114}
    assert max(shown[2] / 64, shown[3] / 48) > 0.97  # as large as it can be
