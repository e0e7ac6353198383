"""Things for one thread at a time: never lent twice, and used again."""

from __future__ import annotations

import threading

import pytest

from unveil.models.parallel import on_every_core
from unveil.models.pool import Pool


def test_one_after_the_other_share_one() -> None:
    made: list[object] = []
    pool = Pool(lambda: made.append(object()) or made[-1])
    for _ in range(3):
        with pool.lend() as thing:
            assert thing is made[0]
    assert len(made) == 1
    with pool.lend() as one, pool.lend() as two:
        assert one is not two
    assert len(made) == 2


def test_what_was_lent_comes_back_after_an_error() -> None:
    pool = Pool(object)
    with pool.lend() as first:
        pass
    with pytest.raises(RuntimeError), pool.lend():
        raise RuntimeError
    with pool.lend() as again:
        assert again is first


def test_no_two_threads_hold_the_same() -> None:
    pool, held, lock = Pool(object), set[int](), threading.Lock()

    def work(_: int) -> None:
        with pool.lend() as thing:
            with lock:
                assert id(thing) not in held
                held.add(id(thing))
            with lock:
                held.remove(id(thing))

    on_every_core(work, range(200))
