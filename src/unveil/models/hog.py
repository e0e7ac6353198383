"""A picture as its histograms of gradients: an encoder that needs no weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Image
from unveil.models.weights import require_library

_SIDE, _BLOCK, _CELL, _BINS = 128, 32, 16, 9


class Hog:
    """Histograms of oriented gradients of the grey picture: where its edges are and how they run.

    The picture is scaled to fit 128 x 128 pixels, and its border is continued where it leaves room. It is a
    stand-in for machines without CLIP: it sees shapes but understands nothing, and distances computed with it can
    never be compared with those of another encoder.

    Source: Dalal and Triggs, "Histograms of Oriented Gradients for Human Detection", CVPR 2005; cells of 16
    pixels, blocks of 2 x 2 cells, 9 directions.
    """

    meta = ModelMeta(
        name="hog",
        version=1,
        role="image_encoder",
        source=Source(
            citation="Dalal and Triggs: Histograms of Oriented Gradients for Human Detection, CVPR 2005",
            licence="Apache-2.0 (OpenCV)",
            url="https://doi.org/10.1109/CVPR.2005.177",
        ),
    )
    dimension: int = ((_SIDE - _BLOCK) // _CELL + 1) ** 2 * (_BLOCK // _CELL) ** 2 * _BINS

    def require(self) -> None:
        """Raise Unavailable when OpenCV is missing."""
        require_library("cv2", distribution="opencv-python-headless")

    def encode(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Vectors (n, 1764); every block of four cells has a length of about 1, or 0 where nothing changes."""
        import cv2

        describe = cv2.HOGDescriptor((_SIDE, _SIDE), (_BLOCK, _BLOCK), (_CELL, _CELL), (_CELL, _CELL), _BINS)
        vectors = np.empty((len(images), self.dimension), np.float32)
        for vector, image in zip(vectors, images, strict=True):
            vector[:] = np.ravel(describe.compute(_fitted(image)))
        return vectors


def _fitted(image: Image) -> NDArray[np.uint8]:
    """Grey, (128, 128); no edge appears where the picture ends."""
    import cv2

    height, width = image.shape[:2]
    scale = _SIDE / max(height, width)
    wide, tall = max(1, round(width * scale)), max(1, round(height * scale))
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    grey = cv2.resize(grey, (wide, tall), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    top, left = (_SIDE - tall) // 2, (_SIDE - wide) // 2
    sides = (top, _SIDE - tall - top, left, _SIDE - wide - left)
    return np.asarray(cv2.copyMakeBorder(grey, *sides, cv2.BORDER_REPLICATE), np.uint8)
