"""Muon: orthogonal steps."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from unveil.models.muon import Muon, orthogonal


@pytest.mark.parametrize("shape", [(4, 30), (30, 4), (12, 12)])
def test_every_direction_moves_about_as_far(shape: tuple[int, int]) -> None:
    stream = torch.Generator().manual_seed(1)
    left, _, right = torch.linalg.svd(torch.randn(shape, generator=stream), full_matrices=False)
    values = torch.linspace(1, 0.2, min(shape))
    matrix = left @ torch.diag(values) @ right
    step = orthogonal(matrix)
    found = torch.linalg.svdvals(step)
    assert step.shape == shape and found.min() > 0.5 and found.max() < 1.5
    inside = left.T @ step @ right.T
    assert torch.allclose(inside, torch.diag(inside.diagonal()), atol=1e-4), "the directions stay"


def test_nothing_comes_of_nothing() -> None:
    assert not orthogonal(torch.zeros(3, 5)).any()


def test_it_walks_downhill_and_forgets_weights_without_gradient() -> None:
    stream = torch.Generator().manual_seed(2)
    goal = torch.randn(6, 3, 3, 3, generator=stream)
    moved, still = nn.Parameter(torch.zeros_like(goal)), nn.Parameter(torch.ones(2, 2))
    walk = Muon([moved, still], lr=0.05, weight_decay=0.0)
    distances = []
    for _ in range(200):
        walk.zero_grad()
        loss = (moved - goal).square().sum()
        torch.autograd.backward(loss)
        walk.step()
        distances.append(float(loss.detach()))
    assert distances[-1] < 0.2 * distances[0]
    assert torch.equal(still, torch.ones(2, 2))
