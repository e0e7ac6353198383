"""Of boxes that overlap, the surest of each class is kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unveil.core.boxes import overlaps
from unveil.models.suppression import keep_surest

corners = st.tuples(*[st.integers(0, 40)] * 2, *[st.integers(1, 20)] * 2)
some_boxes = st.lists(corners, min_size=1, max_size=12).map(
    lambda rows: np.array([(x, y, x + w, y + h) for x, y, w, h in rows], np.float32)
)


@given(some_boxes, st.randoms(use_true_random=False))
def test_what_is_kept_covers_what_is_dropped(boxes: np.ndarray, random: object) -> None:
    stream = np.random.default_rng(random.randrange(1 << 30))  # type: ignore[attr-defined]
    scores = stream.random(len(boxes)).astype(np.float32)
    classes = stream.integers(0, 2, len(boxes))
    kept = keep_surest(boxes, scores, classes, 0.5)
    assert (np.diff(scores[kept]) <= 0).all()
    table = overlaps(boxes, boxes)
    for index in range(len(boxes)):
        rivals = [k for k in kept if k != index and classes[k] == classes[index] and table[k, index] > 0.5]
        if index in kept:
            assert rivals == []
        else:
            assert any(scores[k] >= scores[index] for k in rivals)
