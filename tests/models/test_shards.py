"""Gradients computed in shards are those of the whole batch."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from unveil.models.shards import Shards


def network() -> nn.Sequential:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(4 * 16, 2))


PICTURES = torch.rand(11, 3, 6, 6, generator=torch.Generator().manual_seed(3))


def loss(learner: nn.Module, shard: int, chosen: Tensor) -> Tensor:
    return learner(PICTURES[chosen]).square().mean()


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("pictures", [2, 3, 11])
def test_the_gradients_are_those_of_the_whole_batch(count: int, pictures: int) -> None:
    whole = network()
    torch.autograd.backward(loss(whole, 0, torch.arange(pictures)))
    learner = network()
    shards = Shards(learner, count)
    with shards.working() as learn:
        learn(torch.arange(pictures), loss)
    for expected, found in zip(whole.parameters(), learner.parameters(), strict=True):
        torch.testing.assert_close(found.grad, expected.grad)


def test_statistics_are_averaged_and_weights_are_shared() -> None:
    learner = nn.Sequential(nn.BatchNorm2d(3), nn.Flatten())
    shards = Shards(learner, 2)
    with shards.working() as learn:
        learn(torch.arange(8), loss)
    halves = [PICTURES[:4].mean(dim=(0, 2, 3)), PICTURES[4:8].mean(dim=(0, 2, 3))]
    torch.testing.assert_close(learner[0].running_mean, 0.1 * (halves[0] + halves[1]) / 2)
    first, second = shards.copies
    assert all(a is b for a, b in zip(first.parameters(), second.parameters(), strict=True))
    for a, b in zip(first.buffers(), second.buffers(), strict=True):
        assert a is not b and torch.equal(a, b)


def test_the_number_of_threads_is_put_back() -> None:
    before = torch.get_num_threads()
    with pytest.raises(RuntimeError, match="stop"), Shards(network(), 2).working():
        assert torch.get_num_threads() == 1
        raise RuntimeError("stop")
    assert torch.get_num_threads() == before
