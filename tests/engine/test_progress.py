from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.engine.progress import Silent, counting


@settings(deadline=None)
@given(st.lists(st.integers(0, 1000)).map(sorted))
def test_totals_so_far_become_steps(so_far: list[int]) -> None:
    steps: list[int] = []
    totals: set[int | None] = set()

    def advance(done: int, total: int | None = None) -> None:
        steps.append(done)
        totals.add(total)

    tell = counting(advance)
    for done in so_far:
        tell(done, 1000)
    assert sum(steps) == (so_far[-1] if so_far else 0) and all(step >= 0 for step in steps)
    assert totals <= {1000}


def test_nobody_watches() -> None:
    with Silent().step("title", 3, "photos") as advance:
        assert advance(3) is None  # type: ignore[func-returns-value]
