"""Both versions of a face as a recognizer sees them: crops, heat maps, and where the regions are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import FaceContext
from unveil.core.roles import DifferentiableRecognizer
from unveil.core.types import Face, Failure, Image
from unveil.evaluations.heat import region_masks
from unveil.evaluations.pictures import Sight, faces_in_originals
from unveil.evaluations.saliency import saliency


@dataclass(frozen=True, slots=True)
class Look:
    """What a recognizer looks at in both versions of one face.

    Attributes:
        original, protected: the same place of both pictures (height, width, 3).
        verification, obfuscation: heat maps of them in [0, 1] (height, width).
        masks: pixels of each region, bool (15, height, width).
    """

    original: Image
    protected: Image
    verification: NDArray[np.float32]
    obfuscation: NDArray[np.float32]
    masks: NDArray[np.bool_]


def looks(batch: Sequence[Sight], context: FaceContext) -> list[tuple[Sight, Look | None]]:
    """Pictures with what is looked at in them; None, with the status that says why, where that cannot be told."""
    ended: list[tuple[Sight, Look | None]] = [(sight, None) for sight in batch]
    faces: dict[int, Face] = {}
    for index, face in faces_in_originals(batch, context).items():
        if face is None:
            ended[index] = _broken(batch[index], "no_face_in_original"), None
        else:
            faces[index] = face
    if not faces:
        return ended
    before, after = _crops(context.model("recognizer"), [batch[i] for i in faces], list(faces.values()))
    height, width = before.shape[1:3]
    whole_crop = Face(np.array([0, 0, width, height], np.float32))
    meshes = context.model("landmarker").landmarks(list(before), [whole_crop] * len(before))
    clear = [position for position, mesh in enumerate(meshes) if not isinstance(mesh, Failure)]
    heats = _heats(context, before[clear], after[clear])
    for index, mesh in zip(faces, meshes, strict=True):
        if isinstance(mesh, Failure):
            ended[index] = _broken(batch[index], f"landmarks: {mesh.reason}"), None
    indices = list(faces)
    for position, verification, obfuscation in zip(clear, *heats, strict=True):
        masks = region_masks(meshes[position], (height, width))
        look = Look(before[position], after[position], verification, obfuscation, masks)
        ended[indices[position]] = batch[indices[position]], look
    return ended


def _broken(sight: Sight, reason: str) -> Sight:
    return replace(sight, status="error", reason=reason)


def _crops(
    recognizer: DifferentiableRecognizer, batch: Sequence[Sight], faces: Sequence[Face]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The faces of originals and protected pictures, both where they are in the original."""
    originals, protected = (list(column) for column in zip(*(sight.both for sight in batch), strict=True))
    before = recognizer.chips(originals, faces)
    return before, recognizer.chips(protected, faces, aligned_by=originals)


def _heats(
    context: FaceContext, before: NDArray[np.uint8], after: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Heat maps of both versions (n, height, width); of unprotected photos they are the same."""
    recognizer = context.model("recognizer")
    verification = saliency(recognizer, before)
    return verification, verification if context.method == "original" else saliency(recognizer, after)
