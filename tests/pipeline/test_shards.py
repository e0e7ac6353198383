from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unveil.core.types import Sample
from unveil.pipeline.shards import MAX_SHARD_PIXELS, shards

sides = st.integers(1, 9000)


@given(sizes=st.lists(st.tuples(sides, sides), max_size=60), most=st.integers(1, 20))
def test_shards_keep_order_and_bounds(sizes, most):
    samples = [Sample(str(i), "d", "", width=w, height=h) for i, (w, h) in enumerate(sizes)]
    parts = list(shards(samples, most))
    assert [sample for part in parts for sample in part] == samples
    for part in parts:
        assert 1 <= len(part) <= most
        assert len(part) == 1 or sum(s.width * s.height for s in part) <= MAX_SHARD_PIXELS
