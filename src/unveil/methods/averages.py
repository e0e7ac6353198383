"""Averages of pictures of different sizes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Gallery
from unveil.core.types import Failure, Image

_KEPT = 64
"""Averages kept at a time: a group's photos usually follow each other, and memory stays bounded."""


def resized(image: Image, shape: tuple[int, ...]) -> Image:
    """The picture in another height and width: by area means when it shrinks, else bilinear."""
    import cv2

    height, width = shape[:2]
    if image.shape[:2] == (height, width):
        return image
    shrinks = height <= image.shape[0] and width <= image.shape[1]
    method = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=method), np.uint8)


def average(total: NDArray[np.float32], count: int) -> Image:
    """The rounded mean of ``count`` pictures from their sum."""
    return np.rint(total / count).astype(np.uint8)


class GroupAverages:
    """The mean picture of each group, made when it is asked for and kept for a while.

    Args:
        gallery: where the pictures are.
        groups: ids of the pictures of each group.
    """

    def __init__(self, gallery: Gallery, groups: Sequence[Sequence[str]]) -> None:
        self._gallery = gallery
        self._groups = groups
        self._kept: OrderedDict[tuple[int, int, int], Image] = OrderedDict()

    def get(self, group: int, shape: tuple[int, ...]) -> Image | Failure:
        """The mean of one group at a given height and width; a new array each time.

        Returns:
            The mean, or the Failure of a member that can no longer be read.
        """
        key = (group, shape[0], shape[1])
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key].copy()
        total = np.zeros((shape[0], shape[1], 3), np.float32)
        for member in self._groups[group]:
            picture = self._gallery.read(member)
            if isinstance(picture, Failure):
                return Failure(picture.reason, f"member of the group, {member}: {picture.detail}")
            total += resized(picture, shape)
        self._kept[key] = average(total, len(self._groups[group]))
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._kept[key].copy()
