"""Random changes of pictures that leave their labels true, drawn from one stream for the whole batch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How far pictures are changed while a network learns.

    Attributes:
        flips: mirror half of the pictures.
        shift: most that a picture moves, as a share of its size.
        zoom: most that it grows or shrinks, as a share of its size.
        light: most that brightness and contrast change, as a share.
        tint: most that each colour channel is changed, as a share; skin and hair colour are labels, so little.
        erase: share of the pictures from which one small rectangle is taken.
    """

    flips: bool = True
    shift: float = 0.1
    zoom: float = 0.2
    light: float = 0.2
    tint: float = 0.05
    erase: float = 0.2

    def __call__(self, batch: Tensor, stream: torch.Generator) -> Tensor:
        """Changed pictures.

        Args:
            batch: float (n, 3, height, width) in 0..1.
            stream: of random numbers.

        Returns:
            The same shape, clipped to 0..1.
        """
        batch = self._coloured(self._moved(batch, stream), stream)
        return self._erased(batch.clamp_(0, 1), stream)

    def _moved(self, batch: Tensor, stream: torch.Generator) -> Tensor:
        count = len(batch)
        scale = 1 + self.zoom * _symmetric(count, stream)
        mirror = torch.where(torch.rand(count, generator=stream) < 0.5, -1.0, 1.0) if self.flips else 1.0
        matrix = torch.zeros(count, 2, 3)
        matrix[:, 0, 0] = scale * mirror
        matrix[:, 1, 1] = scale
        for axis in (0, 1):  # the grid spans -1 to 1
            matrix[:, axis, 2] = 2 * self.shift * _symmetric(count, stream)
        grid = functional.affine_grid(matrix, list(batch.shape), align_corners=False)
        return functional.grid_sample(batch, grid, padding_mode="border", align_corners=False)

    def _coloured(self, batch: Tensor, stream: torch.Generator) -> Tensor:
        count = len(batch)
        gain = 1 + self.light * _symmetric(count, stream)[:, None, None, None]
        gain = gain * (1 + self.tint * _symmetric(count * 3, stream).view(count, 3, 1, 1))
        lift = 0.5 * self.light * _symmetric(count, stream)[:, None, None, None]
        return batch * gain + lift

    def _erased(self, batch: Tensor, stream: torch.Generator) -> Tensor:
        count, _, height, width = batch.shape
        chosen = torch.rand(count, generator=stream) < self.erase
        corner = torch.rand(count, 2, generator=stream)
        side = 0.1 + 0.15 * torch.rand(count, 2, generator=stream)
        for index in torch.nonzero(chosen).flatten().tolist():
            top, left = (corner[index] * torch.tensor([height, width])).long().tolist()
            tall, wide = (side[index] * torch.tensor([height, width])).long().tolist()
            batch[index, :, top : top + tall, left : left + wide] = 0.5
        return batch


def _symmetric(count: int, stream: torch.Generator) -> Tensor:
    """Uniform in -1..1."""
    return 2 * torch.rand(count, generator=stream) - 1
