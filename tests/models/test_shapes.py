from __future__ import annotations

import pytest
import torch
from torch import nn

from unveil.models.shapes import in_few_sizes


class Counting(nn.Module):
    """A linear layer that remembers the sizes of its batches."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Conv2d(3, 2, 3)
        self.sizes: set[int] = set()

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        self.sizes.add(len(batch))
        return self.layer(batch)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_the_result_is_that_of_the_plain_call_and_sizes_are_few(layout: torch.memory_format) -> None:
    network = Counting()
    with torch.inference_mode():
        for count in range(20):
            batch = torch.randn(count, 3, 7, 7).contiguous(memory_format=layout)
            found = in_few_sizes(network, batch, 8)
            assert torch.allclose(found, network.layer(batch), atol=1e-6)
            assert len(found) == count
    assert network.sizes == {0, 1, 2, 4, 8, 16, 24}
