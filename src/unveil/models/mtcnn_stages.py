"""The stages of MTCNN on a handful of pictures: P-Net proposes, R-Net and O-Net judge. PyTorch inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import grid_sample

from unveil.core.types import Image
from unveil.models import mtcnn_boxes as geometry
from unveil.models.mtcnn_boxes import Floats, Integers
from unveil.models.shapes import in_few_sizes

_BAND_PIXELS = 1 << 19
"""P-Net sees about so many pixels at a time."""

_CROPS = 64
"""R-Net and O-Net see at most so many crops at a time: their layers then stay in the cache of the processor."""


class Proposals(NamedTuple):
    """Boxes in several pictures.

    Attributes:
        picture: (n,) index of the picture of each box.
        boxes: (n, 4) left, top, right, bottom in pixels.
        scores: (n,) probability of a face.
        landmarks: (n, 5, 2) in pixels after O-Net, (n, 0, 2) before.
    """

    picture: Integers
    boxes: Floats
    scores: Floats
    landmarks: Floats

    def take(self, index: Any) -> Proposals:
        """Some of the boxes."""
        return Proposals(*(column[index] for column in self))

    def suppressed(self, threshold: float, *, groups: Integers | None = None, smaller: bool = False) -> Proposals:
        """Without boxes that a better one of the same picture (and group) overlaps; best first per picture."""
        keep = [np.zeros(0, np.int64)]
        for picture in np.unique(self.picture):
            mine = np.flatnonzero(self.picture == picture)
            group = None if groups is None else groups[mine]
            best = geometry.survivors(
                self.boxes[mine], self.scores[mine], threshold, groups=group, smaller=smaller
            )
            keep.append(mine[best])
        return self.take(np.concatenate(keep))

    def squared(self) -> Proposals:
        """With boxes grown to squares."""
        return self._replace(boxes=geometry.square(self.boxes))


def normalised(image: Image) -> Floats:
    """A picture as the networks want it: (height, width, 3) in [-1, 1]."""
    picture = image.astype(np.float32)
    picture -= 127.5
    picture *= 1 / 128
    return picture


def propose(
    p_net: nn.Module, pictures: Sequence[Floats], *, threshold: float, min_face: float, factor: float
) -> Proposals:
    """Square windows in which P-Net sees a face, suppressed within each level and then across levels."""
    parts = [_proposals([], np.zeros((0, 4), np.float32), [])]
    levels = [np.zeros(0, np.int64)]
    for members in _by_size(pictures):
        height, width = pictures[members[0]].shape[:2]
        for level, scale in enumerate(geometry.pyramid(height, width, min_face, factor)):
            batch = _resized([pictures[i] for i in members], int(height * scale), int(width * scale))
            part = _scan(p_net, batch, scale, threshold)
            parts.append(part._replace(picture=np.array(members)[part.picture]))
            levels.append(np.full(len(part.scores), level))
    return _joined(parts).suppressed(0.5, groups=np.concatenate(levels)).suppressed(0.7).squared()


def judge(
    network: nn.Module, found: Proposals, pictures: Sequence[Floats], side: int, threshold: float
) -> Proposals:
    """Boxes that R-Net (``side`` 24) or O-Net (48) accepts, refined, with the landmarks that it gives."""
    crops = _crops(found, pictures, side)
    starts = range(0, max(len(crops), 1), _CROPS)
    output = torch.cat([in_few_sizes(network, crops[i : i + _CROPS], _CROPS // 4) for i in starts])
    scores = torch.sigmoid(output[:, -1]).numpy()
    boxes, shares = found.boxes, output[:, :-1].numpy()
    landmarks = geometry.landmarks(boxes, shares[:, 4:])
    refined = geometry.refine(boxes, shares[:, :4])
    return Proposals(found.picture, refined, scores, landmarks).take(scores > threshold)


def _proposals(picture: Any, boxes: Floats, scores: Any) -> Proposals:
    none = np.zeros((len(boxes), 0, 2), np.float32)
    return Proposals(np.asarray(picture, np.int64), boxes, np.asarray(scores, np.float32), none)


def _joined(parts: Sequence[Proposals]) -> Proposals:
    return Proposals(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _by_size(pictures: Sequence[Floats]) -> list[list[int]]:
    sizes: dict[tuple[int, ...], list[int]] = {}
    for index, picture in enumerate(pictures):
        sizes.setdefault(picture.shape, []).append(index)
    return list(sizes.values())


def _resized(pictures: Sequence[Floats], height: int, width: int) -> Tensor:
    """(n, 3, height, width), channels last in memory, by area averaging."""
    batch = np.empty((len(pictures), height, width, 3), np.float32)
    for target, picture in zip(batch, pictures, strict=True):
        cv2.resize(picture, (width, height), dst=target, interpolation=cv2.INTER_AREA)
    return torch.from_numpy(batch).permute(0, 3, 1, 2)


def _scan(p_net: nn.Module, batch: Tensor, scale: float, threshold: float) -> Proposals:
    """Windows of one level in which P-Net sees a face.

    Large levels go in bands that overlap by a window less a stride, which changes no output.
    """
    count, _, height, width = batch.shape
    step = max(1, _BAND_PIXELS // (count * width) // geometry.STRIDE) * geometry.STRIDE
    overlap = geometry.CELL - geometry.STRIDE
    parts = []
    for top in range(0, max(height - geometry.CELL, 1), step):
        last = top + step + geometry.CELL >= height
        output = p_net(batch[:, :, top:] if last else batch[:, :, top : top + step + overlap])
        scores = torch.sigmoid(output[:, 4])
        picture, row, column = (scores > threshold).nonzero(as_tuple=True)
        offsets = output[picture, :4, row, column].numpy()
        boxes = geometry.windows(row.numpy() + top // geometry.STRIDE, column.numpy(), offsets, scale)
        parts.append(_proposals(picture, boxes, scores[picture, row, column]))
        if last:
            break
    return _joined(parts)


def _crops(found: Proposals, pictures: Sequence[Floats], side: int) -> Tensor:
    """Every box resized to ``side`` x ``side`` by bilinear sampling: (n, 3, side, side), channels last."""
    crops = torch.empty(len(found.scores), 3, side, side, memory_format=torch.channels_last)
    for index in np.unique(found.picture):
        mine = np.flatnonzero(found.picture == index)
        picture = torch.from_numpy(pictures[index]).permute(2, 0, 1)[None]
        grid = geometry.sampling_grid(found.boxes[mine], side, *picture.shape[2:])
        tall = torch.from_numpy(grid).view(1, -1, side, 2)
        sampled = grid_sample(picture, tall, mode="bilinear", padding_mode="zeros", align_corners=True)
        crops[torch.from_numpy(mine)] = sampled.view(3, -1, side, side).transpose(0, 1)
    return crops
