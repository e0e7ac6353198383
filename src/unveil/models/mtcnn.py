"""Face detector MTCNN, batched over whole lists of pictures.

P-Net sees all pictures of one size at once, level by level of the pyramid; R-Net and O-Net see the crops of all
pictures. Pictures are taken in slabs bounded by pixels, several slabs at a time; a large picture needs about 25
bytes of memory per pixel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Image
from unveil.models.mtcnn_boxes import CELL
from unveil.models.mtcnn_networks import WEIGHTS, load_networks, weights_path
from unveil.models.weights import require_library

if TYPE_CHECKING:
    from torch import nn

_SLAB_PIXELS = 1 << 20
"""Pictures are worked on together up to so many pixels; a larger picture goes alone."""


class Mtcnn:
    """Multi-task cascaded convolutional networks: boxes, scores and five landmarks per face.

    Boxes are not clipped: they may reach over the border. Faces come best score first.

    Args:
        thresholds: scores that a box must exceed after P-Net, R-Net and O-Net, each in [0, 1).
        min_face: side of the smallest face to look for, in pixels; at least 12.
        factor: ratio of neighbouring levels of the pyramid, in (0, 1).

    Source: Zhang, Zhang, Li and Qiao, IEEE Signal Processing Letters 23(10), 2016. Equal to the ``mtcnn``
    1.0.0 package at the same settings, up to rounding, except where two windows have the very same score: the
    earlier one wins here, either one there.
    """

    meta = ModelMeta(
        name="mtcnn",
        version=1,
        role="detector",
        source=Source(
            citation="Zhang, Zhang, Li, Qiao: Joint Face Detection and Alignment Using Multitask Cascaded "
            "Convolutional Networks, IEEE Signal Processing Letters 23(10), 2016",
            licence="MIT (weights of the mtcnn package)",
            url="https://arxiv.org/abs/1604.02878",
        ),
        weights=WEIGHTS,
    )

    def __init__(
        self, *, thresholds: Sequence[float] = (0.6, 0.7, 0.7), min_face: float = 20, factor: float = 0.709
    ) -> None:
        if len(thresholds) != 3 or not all(0 <= value < 1 for value in thresholds):
            raise ValueError(f"thresholds must be three numbers in [0, 1), not {thresholds!r}")
        if not (math.isfinite(min_face) and min_face >= CELL):
            raise ValueError(f"min_face must be a number of pixels from {CELL}, not {min_face!r}")
        if not 0 < factor < 1:
            raise ValueError(f"factor must be in (0, 1), not {factor!r}")
        self.thresholds = thresholds
        self.min_face = min_face
        self.factor = factor

    def require(self) -> None:
        """Raise Unavailable when the weights or a library are missing."""
        require_library("torch", distribution="torch")
        for file in WEIGHTS:
            weights_path(file)

    @cached_property
    def _networks(self) -> tuple[nn.Module, nn.Module, nn.Module]:
        return load_networks()

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in each picture, in the order of ``images``; landmarks are (n, 5, 2).

        Raises:
            Unavailable: at the first call, when the weights are missing or not the known ones.
        """
        from unveil.models.parallel import fair_share, on_every_core

        networks = self._networks
        pixels = sum(image.shape[0] * image.shape[1] for image in images)
        slabs = list(_slabs(images, min(_SLAB_PIXELS, fair_share(pixels))))
        found = on_every_core(lambda slab: self._slab([images[i] for i in slab], networks), slabs)
        results = dict(zip(chain.from_iterable(slabs), chain.from_iterable(found), strict=True))
        return [results[index] for index in range(len(images))]

    def _slab(self, images: Sequence[Image], networks: Sequence[nn.Module]) -> list[Detections]:
        from unveil.models import mtcnn_stages as stages

        p_net, r_net, o_net = networks
        first, second, third = self.thresholds
        pictures = [stages.normalised(image) for image in images]
        found = stages.propose(p_net, pictures, threshold=first, min_face=self.min_face, factor=self.factor)
        found = stages.judge(r_net, found, pictures, 24, second).suppressed(0.7).squared()
        found = stages.judge(o_net, found, pictures, 48, third).suppressed(0.7, smaller=True)
        alone = (found.take(found.picture == picture) for picture in range(len(images)))
        return [Detections(faces.boxes, faces.scores, faces.landmarks) for faces in alone]


def _slabs(images: Sequence[Image], limit: int) -> Iterator[list[int]]:
    """Indices of pictures to work on together: neighbours in size, at most ``limit`` pixels or one picture."""
    slab: list[int] = []
    pixels = 0
    for index in sorted(range(len(images)), key=lambda i: images[i].shape[:2]):
        size = images[index].shape[0] * images[index].shape[1]
        if slab and pixels + size > limit:
            yield slab
            slab, pixels = [], 0
        slab.append(index)
        pixels += size
    if slab:
        yield slab
