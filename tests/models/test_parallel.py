"""Batches run on several cores, and nothing of it is seen from outside."""

from __future__ import annotations

import threading

import pytest
import torch

from unveil.models.parallel import fair_share, on_every_core


@pytest.mark.parametrize("threads", [1, 2])
def test_results_come_in_order_from_threads_of_one_core_each(threads: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        found = on_every_core(
            lambda item: (item, torch.get_num_threads(), torch.is_inference_mode_enabled(), threading.get_ident()),
            range(20),
        )
        assert [item for item, *_ in found] == list(range(20))
        assert all(cores == 1 and inference for _, cores, inference, _ in found)
        assert threading.get_ident() not in {thread for *_, thread in found}
        assert torch.get_num_threads() == threads and not torch.is_inference_mode_enabled()
        assert fair_share(10) == -(-10 // threads) and fair_share(0) == 1
    finally:
        torch.set_num_threads(before)
    assert on_every_core(str, []) == []


def test_errors_reach_the_caller_and_threads_started_later_are_not_limited() -> None:
    before = torch.get_num_threads()
    with pytest.raises(ZeroDivisionError):
        on_every_core(lambda item: 1 / item, [1, 0])
    seen: list[int] = []
    later = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    later.start()
    later.join()
    assert seen == [before] == [torch.get_num_threads()]
