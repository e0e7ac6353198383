"""Synthetic faces for evaluations: people whose faces were found or not, and models that look at drawings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.core.fingerprint import rng
from unveil.core.protocols import Version
from unveil.core.similarity import similarity_of
from unveil.core.types import Face, Failure, Image, Value
from unveil.images import valid_image
from unveil.testing.gaze import FACE_MODELS, drawn_face, drawn_picture
from unveil.testing.telling import Teller

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["ok", "not_acquired", "not_protected", "error"]

STATUSES: tuple[Status, ...] = ("ok", "not_acquired", "not_protected", "error")
"""What can have become of one picture."""

MODELS_OF_FACES: Mapping[str, Any] = {**FACE_MODELS, "estimator": Teller()}
"""Role -> model; the detector has done its work before an evaluation of faces begins."""

_GROUPS = {"Female": (0, 1, 2, 3), "Male": (4, 5, 6), "Other": (7,)}
_PHOTOS = 4
_DIMENSION = 6
_NOISE: Mapping[Version, float] = {"original": 0.1, "protected": 0.5}


def face_samples() -> pd.DataFrame:
    """Eight people of three groups with four photos each, and one person with a single photo."""
    import pandas as pd

    rows = [
        (f"{group}/{person}/{photo}.png", f"person_{person}", group)
        for group, people in _GROUPS.items()
        for person in people
        for photo in range(_PHOTOS)
    ]
    rows.append(("Female/8/0.png", "person_8", "Female"))
    ids, identity, group = zip(*rows, strict=True)
    columns = {"identity": identity, "split": "", "content_hash": ids, "gender": group, "demographic_group": group}
    return pd.DataFrame(columns, index=pd.Index(ids, name="sample_id"))


class FaceTemplates:
    """Faces of one version (:class:`unveil.core.protocols.Templates`).

    Args:
        samples: from :func:`face_samples`.
        statuses: of each face (n,).
        version: of the pictures.
    """

    def __init__(self, samples: pd.DataFrame, statuses: NDArray[Any], version: Version) -> None:
        import pandas as pd

        ok = statuses == "ok"
        facts = {
            "status": statuses,
            "reason": np.where(ok, "", "synthetic"),
            "n_faces": ok.astype(np.int32),
            "score": np.where(ok, np.float32(0.9), np.float32("nan")),
            "face_area": np.where(ok, np.float32(0.5), np.float32("nan")),
        }
        self.faces = pd.DataFrame(facts, index=samples.index)
        self._version = version
        rows = [_embedding(i, who, _NOISE[version]) for i, who in samples["identity"].items()]
        self._vectors = np.where(ok[:, None], np.asarray(rows, np.float32), np.float32("nan"))

    def vectors(self, sample_ids: Sequence[str]) -> NDArray[np.float32]:
        """Embeddings (n, 6); NaN where there is no face."""
        return self._vectors[self.faces.index.get_indexer(list(sample_ids))]

    def attributes(self, sample_ids: Sequence[str]) -> list[Mapping[str, Value]]:
        """What an estimator says of the drawn pictures; nothing where there is no face."""
        statuses = self.faces.loc[list(sample_ids), "status"]
        return [self._told(i) if status == "ok" else {} for i, status in statuses.items()]

    def _told(self, sample_id: Any) -> Mapping[str, Value]:
        picture = drawn_picture(self._version, sample_id, "ok")
        assert not isinstance(picture, Failure), "a face that was found is in a picture"
        (told,) = MODELS_OF_FACES["estimator"].estimate([picture], [drawn_face()])
        return told

    def found(self, sample_ids: Sequence[str]) -> list[Face | None]:
        """Where the face is; None where there is none."""
        statuses = self.faces.loc[list(sample_ids), "status"]
        return [drawn_face() if status == "ok" else None for status in statuses]


def _embedding(sample_id: Any, identity: str, noise: float) -> NDArray[np.float64]:
    centre = rng("person", identity).normal(size=_DIMENSION)
    return centre + noise * rng("photo", sample_id, noise).normal(size=_DIMENSION)


class Faces:
    """What an evaluation of faces may ask for (:class:`unveil.core.protocols.FaceContext`).

    Args:
        samples: from :func:`face_samples`.
        statuses: what has become of each protected picture (n,), of :data:`STATUSES`.
    """

    distance: Literal["cosine", "euclidean"] = "cosine"
    method = "synthetic"

    def __init__(self, samples: pd.DataFrame, statuses: NDArray[Any]) -> None:
        self.samples = samples
        # Originals are never unprotected, and neither lose all faces when the method broke.
        seen = np.where(statuses == "not_acquired", "not_acquired", "ok")
        self._versions = {
            "original": FaceTemplates(samples, seen, "original"),
            "protected": FaceTemplates(samples, statuses, "protected"),
        }

    def templates(self, version: Literal["original", "protected"]) -> FaceTemplates:
        """Faces of one version."""
        return self._versions[version]

    def compare(self, protected: Sequence[str], originals: Sequence[str]) -> list[float]:
        """Similarity of each pair."""
        left, right = self._versions["protected"].vectors(protected), self._versions["original"].vectors(originals)
        return list(similarity_of(left, right, self.distance))

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image | Failure]:
        """Drawn pictures one by one."""
        statuses = self._versions["protected"].faces.loc[list(sample_ids), "status"]
        return (drawn_picture(version, sample_id, status) for sample_id, status in statuses.items())

    def model(self, role: str) -> Any:
        """A model that looks at the drawn pictures."""
        return MODELS_OF_FACES[role]

    def keep(self, name: str, picture: Image) -> None:
        """Check a picture for the report, and forget it."""
        assert re.fullmatch(r"\w[\w .-]{0,120}", name), f"no name of a picture: {name!r}"
        assert valid_image(picture), f"picture {name!r} must be uint8 (height, width, 3)"

    def rng(self, *key: str) -> np.random.Generator:
        """Random stream of a key."""
        return rng("context", *key)
