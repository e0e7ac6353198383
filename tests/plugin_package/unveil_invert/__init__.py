"""A plug-in: one class, and one line in ``pyproject.toml`` that names it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Failure, Image


class Invert:
    """Turns colours into their complement, in part. Protects nobody: it shows how a plug-in is made.

    Args:
        share: how far each value moves towards its complement, from 0 to 1.

    Raises:
        ValueError: for a share outside its range.
    """

    meta = MethodMeta("invert", 1, "image", True, Source("an example for authors of plug-ins", "Apache-2.0"))
    guarantee: Guarantee | None = None

    def __init__(self, *, share: float = 1.0) -> None:
        if not 0 <= share <= 1:
            raise ValueError(f"share must lie between 0 and 1, not be {share}")
        self.share = share

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Image | Failure]:
        """Pictures of the same size."""
        return [np.round(image + self.share * (255.0 - 2.0 * image)).astype(np.uint8) for image in images]
