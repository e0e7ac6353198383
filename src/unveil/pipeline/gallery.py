"""What a method with scope ``identity`` or ``dataset`` may look at while it is fitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Failure, Image, Sample
from unveil.images import read_image
from unveil.pipeline.templates import FaceTemplates


class OriginalsGallery:
    """The originals of a dataset (:class:`unveil.core.protocols.Gallery`); pictures are read when asked for.

    Args:
        samples: all readable samples of the dataset.
        root: folder of the dataset.
        templates: gives their faces, found by the models that the run lends to protection methods.
    """

    def __init__(self, samples: Sequence[Sample], root: Path, templates: Callable[[], FaceTemplates]) -> None:
        self.samples = samples
        self._root = root
        self._templates = templates
        self._known = {sample.id for sample in samples}

    def read(self, sample_id: str) -> Image | Failure:
        """One picture, decoded anew.

        Raises:
            KeyError: for an id that is not in the gallery.
        """
        if sample_id not in self._known:
            raise KeyError(sample_id)
        return read_image(self._root / sample_id)

    def embeddings(self) -> tuple[list[str], NDArray[np.float32]]:
        """Ids of the samples with a face, and their embeddings (n, dimension)."""
        templates = self._templates()
        ids = templates.faces.index[templates.faces["status"] == "ok"].tolist()
        return ids, templates.vectors(ids)
