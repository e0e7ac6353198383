"""Muon: momentum whose step in every weight matrix is made orthogonal. Learns in fewer epochs than Adam."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

_POLYNOMIAL = (3.4445, -4.7750, 2.0315)
"""Coefficients of x, x^3 and x^5: a few applications bring every singular value close to 1."""

_ITERATIONS = 4


class Muon(torch.optim.Optimizer):
    """For weights of hidden layers; filters are matrices with one row per output channel.

    All directions of a matrix move by about the same amount, so that what few pictures show is not drowned by what
    all of them show.

    Args:
        parameters: tensors of two or more dimensions.
        lr: learning rate.
        weight_decay: share of the weights, times the learning rate, that each step takes away.
        momentum: share of the former steps that is kept.

    Source: Jordan, Jin, Boza, You, Cesista, Newhouse, Bernstein, "Muon: An optimizer for hidden layers in neural
    networks", 2024; Newton-Schulz iteration and Nesterov momentum as there.
    """

    def __init__(
        self, parameters: Iterable[nn.Parameter], *, lr: float, weight_decay: float, momentum: float = 0.9
    ) -> None:
        super().__init__(parameters, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> Any:
        """Move every parameter that has a gradient."""
        loss = None if closure is None else closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, group["lr"], group["weight_decay"], group["momentum"])
        return loss

    def _move(self, parameter: nn.Parameter, rate: float, decay: float, momentum: float) -> None:
        gradient = parameter.grad
        assert gradient is not None
        kept = self.state[parameter].setdefault("momentum", torch.zeros_like(parameter))
        kept.mul_(momentum).add_(gradient)
        matrix = gradient.add(kept, alpha=momentum).flatten(1)
        rows, columns = matrix.shape
        step = orthogonal(matrix).mul_(max(1.0, rows / columns) ** 0.5)
        parameter.mul_(1 - rate * decay).add_(step.view(parameter.shape), alpha=-rate)


def orthogonal(matrix: Tensor) -> Tensor:
    """A matrix with the same singular vectors, all of whose singular values are about 1 (0.5 to 1.5)."""
    a, b, c = _POLYNOMIAL
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / (x.norm() + 1e-7)
    for _ in range(_ITERATIONS):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x.T if tall else x
