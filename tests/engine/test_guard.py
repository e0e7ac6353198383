from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.core.errors import StoreError
from unveil.core.types import Failure, Reason
from unveil.engine.guard import guarded

some = st.integers(0, 40)


@settings(deadline=None)
@given(some, st.sets(st.integers(0, 39)))
def test_one_bad_picture_costs_no_neighbour(count: int, bad: set[int]) -> None:
    calls: list[int] = []

    def call(positions: Sequence[int]) -> list[str]:
        calls.append(len(positions))
        if broken := bad & set(positions):
            raise ValueError(f"picture {min(broken)}\nis bad")
        return [f"result {position}" for position in positions]

    results = guarded(call, range(count))
    for position, result in enumerate(results):
        if position in bad:
            assert isinstance(result, Failure) and result.reason is Reason.EXCEPTION
            assert result.detail.startswith(f"ValueError: picture {position} is bad (test_guard.py:")
        else:
            assert result == f"result {position}"
    assert len(results) == count and len(calls) <= max(1, 2 * count)


@settings(deadline=None)
@given(some, st.integers(1, 8))
def test_a_batch_that_is_too_large_is_made_smaller(count: int, fits: int) -> None:
    def call(positions: Sequence[int]) -> list[int]:
        if len(positions) > fits:
            raise MemoryError
        return [-position for position in positions]

    assert guarded(call, range(count)) == [-position for position in range(count)]


@settings(deadline=None)
@given(st.integers(1, 20), st.sets(st.integers(0, 19)))
def test_a_wrong_number_of_results_is_not_matched_by_guessing(count: int, dropped: set[int]) -> None:
    results = guarded(lambda positions: [p for p in positions if p not in dropped], range(count))
    for position, result in enumerate(results):
        if position in dropped:
            assert result == Failure(Reason.BAD_OUTPUT, "the component returned 0 results for one picture")
        else:
            assert result == position


def test_too_many_results_are_wrong_too() -> None:
    (result,) = guarded(lambda positions: [1, 2], [0])
    assert result == Failure(Reason.BAD_OUTPUT, "the component returned 2 results for one picture")


def test_what_a_person_has_to_change_is_passed_on() -> None:
    calls = []

    def call(positions: Sequence[int]) -> list[int]:
        calls.append(positions)
        raise StoreError("the disk is full")

    with pytest.raises(StoreError, match="the disk is full"):
        guarded(call, range(8))
    assert len(calls) == 1, "and not tried again in halves"


def test_interruptions_are_passed_on() -> None:
    def call(positions: Sequence[int]) -> list[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded(call, range(8))


def test_failures_are_results() -> None:
    failure = Failure(Reason.NO_FACE, "none found")
    assert guarded(lambda positions: [failure for _ in positions], range(3)) == [failure] * 3


def test_nothing_to_do() -> None:
    assert guarded(lambda positions: pytest.fail("must not be called"), []) == []


def test_long_messages_become_one_short_line() -> None:
    def call(positions: Sequence[int]) -> list[int]:
        raise RuntimeError("word\n" * 1000)

    (failure,) = guarded(call, [0])
    assert isinstance(failure, Failure) and "\n" not in failure.detail and len(failure.detail) < 400
