"""The synthetic faces and scenes that come with ``unveil``."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from unveil.core.protocols import DatasetMeta, Entry
from unveil.core.types import Detections, Failure, Pair
from unveil.datasets.coco import Coco
from unveil.datasets.folder import Folder


class SampleFaces:
    """Bundled faces of people who do not exist, with gender and skin tone; ``CARD.md`` beside them says more.

    Args:
        limit: keep all pictures of this many people, taken in turn from each group.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    def __init__(self, *, limit: int | None = None) -> None:
        self._folder = Folder(
            root=str(files("unveil.datasets") / "data" / "sample_faces"),
            labels="labels.csv",
            name="sample-faces",
            attributes=("gender", "tone"),
            limit=limit,
            citation="Made for unveil with the generator of gan-face-generate 1.1.1, which learned from rendered "
            "faces (DigiFace-1M: Bae et al., WACV 2023); CARD.md beside the pictures says how",
            licence="generator: MIT; pictures: as unveil itself",
        )

    @property
    def root(self) -> Path:
        """Folder inside the installed package."""
        return self._folder.root

    @property
    def meta(self) -> DatasetMeta:
        """Provenance, groupings ``gender`` and ``tone``, identity."""
        return self._folder.meta

    def entries(self) -> Iterator[Entry]:
        """Every picture."""
        return self._folder.entries()

    def pairs(self) -> list[Pair]:
        """None."""
        return self._folder.pairs()


class SampleScenes:
    """Bundled scenes with rendered people and objects, their outlines and privacy attributes.

    Boxes, masks, keypoints, the 18 labels of HR-VISPR and the splits are exact, because the pictures were made
    from them; ``CARD.md`` beside them says more. Some scenes show nobody.

    Args:
        limit: keep this many pictures of each split, taken in turn from each group.

    Raises:
        ValueError: for a parameter that breaks its rule.
    """

    def __init__(self, *, limit: int | None = None) -> None:
        self._scenes = Coco(
            root=str(files("unveil.datasets") / "data" / "sample_scenes"),
            labels="labels.csv",
            name="sample-scenes",
            attributes=("gender", "tone"),
            limit=limit,
            citation="Made for unveil; CARD.md beside the pictures says how",
            licence="as unveil itself",
        )

    @property
    def root(self) -> Path:
        """Folder inside the installed package."""
        return self._scenes.root

    @property
    def meta(self) -> DatasetMeta:
        """Provenance, groupings ``gender`` and ``tone``, labels, objects, masks, keypoints and splits."""
        return self._scenes.meta

    def entries(self) -> Iterator[Entry]:
        """Every picture."""
        return self._scenes.entries()

    def pairs(self) -> list[Pair]:
        """None."""
        return self._scenes.pairs()

    def objects(self, sample_id: str) -> Detections | Failure:
        """Everything in one scene, with names, masks and keypoints of people."""
        return self._scenes.objects(sample_id)
