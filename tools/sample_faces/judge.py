"""Which pictures are kept: the rules, and what is measured on the pictures that passed.

The rules use the models of ``unveil`` itself, so the figures hold for whoever runs ``unveil`` on the set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from unveil.core.types import Detections, Face, Failure, Image
from unveil.registry import build

LIGHT_ABOVE = 41.0
DARK_BELOW = -30.0
"""Degrees of ITA. Skin above 41 is *light* or *very light*, below -30 *dark* (Del Bino and Bernerd, British
Journal of Dermatology 169, 2013, after Chardon et al., 1991); what lies between is left out."""

FACE_SCORE = 1.0
PHOTO_SCORE = 0.3
"""Score of dlib's detector that a person's first picture and a photo must reach: it is high for clear faces."""

SURE = 0.9
"""Probability of one gender that the gender model must give to the first picture and to every photo."""

CHEEK = 0.12
"""Half the side of a cheek patch, in distances between the eyes."""

TURNED = 0.45
"""Distance of the nose from the middle of the eyes, along the line of the eyes, in distances between them."""

LIGHTNESS = (28.0, 85.0)
SKIN_HUE = (25.0, 80.0)
LIGHT_CHROMA = 10.0
DARK_CHROMA = 14.0
UNEVEN = 14.0
HIGHLIGHT = 45.0
"""Rules for the light, in CIELAB: lightness, hue angle in degrees and least chroma of the cheeks (dark and
nearly grey is mostly fair skin in the shade); largest difference of lightness between them; lightness that
2 % of the face must exceed (eye white, teeth, gloss)."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Portrait:
    """A picture that passed the rules for one picture.

    Attributes:
        image: the pixels.
        face: as MTCNN found it.
        ita: individual typology angle of the cheeks, in degrees.
        gender: ``Female`` or ``Male``, as the gender model reads it.
    """

    image: Image
    face: Face
    ita: float
    gender: str

    @property
    def group(self) -> str:
        """Gender and tone: ``Female_Light``, ``Female_Dark``, ``Male_Light`` or ``Male_Dark``."""
        return f"{self.gender}_{'Light' if self.ita > LIGHT_ABOVE else 'Dark'}"


def cheeks(lab: Floats, landmarks: NDArray[np.float32]) -> Floats:
    """Median CIELAB colour (2, 3) of a square patch on either cheek.

    A patch lies half-way between an eye and the corner of the mouth on its side.

    Args:
        lab: the picture in CIELAB (h, w, 3).
        landmarks: (5, 2): left eye, right eye, nose, left and right corner of the mouth.
    """
    half = CHEEK * float(np.linalg.norm(landmarks[0] - landmarks[1]))
    colours = []
    for centre in (landmarks[[0, 1]] + landmarks[[3, 4]]) / 2:
        low = np.clip(np.floor(centre - half), 0, np.array(lab.shape[1::-1]) - 1).astype(int)
        high = np.maximum(np.ceil(centre + half).astype(int), low + 1)
        colours.append(np.median(lab[low[1] : high[1], low[0] : high[0]].reshape(-1, 3), axis=0))
    return np.array(colours)


def typology_angle(colour: Floats) -> float:
    """Individual typology angle of a CIELAB colour, in degrees: atan((L* - 50) / b*), for b* > 0."""
    return float(np.degrees(np.arctan2(colour[0] - 50, colour[2])))


def turned(landmarks: NDArray[np.float32]) -> float:
    """How far the nose lies from the middle of the eyes, along the line of the eyes; 0 in a frontal face."""
    line = landmarks[1] - landmarks[0]
    return float(abs((landmarks[2] - landmarks[:2].mean(axis=0)) @ line) / (line @ line))


def skin(image: Image, face: Face) -> float | str:
    """The typology angle, or the name of the rule that the pose, the light or the skin breaks."""
    assert face.landmarks is not None, "MTCNN gives landmarks"
    lab = cv2.cvtColor(image.astype(np.float32) / 255, cv2.COLOR_RGB2LAB).astype(np.float64)
    both = cheeks(lab, face.landmarks)
    colour = both.mean(axis=0)
    ita = typology_angle(colour)
    hue, chroma = np.degrees(np.arctan2(colour[2], colour[1])), np.hypot(colour[1], colour[2])
    left, top, right, bottom = np.clip(face.box, 0, max(image.shape)).astype(int)
    highlight = np.percentile(lab[top:bottom, left:right, 0], 98)
    least = LIGHT_CHROMA if ita > LIGHT_ABOVE else DARK_CHROMA
    rules = {
        "turned away": turned(face.landmarks) > TURNED,
        "light uneven": abs(both[0, 0] - both[1, 0]) > UNEVEN,
        "too dark or too bright": not LIGHTNESS[0] <= colour[0] <= LIGHTNESS[1] or highlight < HIGHLIGHT,
        "tone between light and dark": DARK_BELOW <= ita <= LIGHT_ABOVE,
        "colour cast or grey": not SKIN_HUE[0] <= hue <= SKIN_HUE[1] or chroma < least,
    }
    return next((rule for rule, broken in rules.items() if broken), ita)


class Judge:
    """The models, and the rules that need them."""

    def __init__(self) -> None:
        self.mtcnn = build("models", "detector:mtcnn")
        self.dlib = build("models", "detector:dlib", {"upsample": 0})
        self.recognizer = build("models", "recognizer:dlib")
        self.estimator = build("models", "estimator:age_gender")

    def portraits(self, images: Sequence[Image], score: float) -> list[Portrait | str]:
        """Each picture with what was measured on it, or the name of the first rule it breaks."""
        results: list[Portrait | str] = ["no clear face by dlib"] * len(images)
        clear = [i for i, found in enumerate(self.dlib.detect(images)) if _one(found, score)]
        passed: list[tuple[int, Face, float]] = []
        for index, found in zip(clear, self.mtcnn.detect([images[i] for i in clear]), strict=True):
            verdict = skin(images[index], found.face(0)) if len(found) == 1 else "no single face by MTCNN"
            if isinstance(verdict, str):
                results[index] = verdict
            else:
                passed.append((index, found.face(0), verdict))
        genders = self._genders([images[i] for i, _, _ in passed], [face for _, face, _ in passed])
        for (index, face, ita), gender in zip(passed, genders, strict=True):
            results[index] = Portrait(images[index], face, ita, gender) if gender else "gender unsure"
        return results

    def _genders(self, images: Sequence[Image], faces: Sequence[Face]) -> list[str]:
        """Gender of each face, or ``""`` where the model is not sure."""
        answers = self.estimator.estimate(images, faces)
        return [
            "" if isinstance(answer, Failure) or answer["gender_confidence"] < SURE else str(answer["gender"])
            for answer in answers
        ]

    def embeddings(self, portraits: Sequence[Portrait]) -> Floats:
        """Embeddings (n, 128)."""
        vectors = self.recognizer.embed([p.image for p in portraits], [p.face for p in portraits])
        return np.stack(vectors).astype(np.float64)

    def apart(self, person: Floats, others: Sequence[Floats]) -> bool:
        """Whether the mean distance of this person's photos to every other person's exceeds the threshold.

        Not the distance of mean embeddings: averaging takes out what differs between photos and draws all
        means together, so that the threshold, which was set for single photos, would not apply.
        """
        return all(distances(person, other).mean() > self.recognizer.customary_threshold for other in others)


def _one(found: Detections, score: float) -> bool:
    return len(found) == 1 and bool(found.scores[0] >= score)


def distances(left: Floats, right: Floats) -> Floats:
    """Euclidean distances (n, m) of embeddings (n, d) and (m, d)."""
    return np.linalg.norm(left[:, None] - right[None], axis=-1)  # type: ignore[no-any-return]


def found_rate(detections: Sequence[Detections]) -> float:
    """Share of pictures with at least one face."""
    return float(np.mean([len(found) > 0 for found in detections]))


def separation(embeddings: Floats, identities: NDArray[Any], threshold: float) -> dict[str, float]:
    """How well distances tell mated from non-mated pairs: all pairs of the pictures given."""
    from sklearn.metrics import roc_auc_score, roc_curve

    first, second = np.triu_indices(len(identities), 1)
    distance = distances(embeddings, embeddings)[first, second]
    mated = identities[first] == identities[second]
    fpr, tpr, _ = roc_curve(mated, -distance, drop_intermediate=False)
    return {
        "mated pairs": int(mated.sum()),
        "non-mated pairs": int((~mated).sum()),
        "AUC": float(roc_auc_score(mated, -distance)),
        "TPR at FPR 0.01": float(tpr[fpr <= 0.01].max()),
        "TPR at FPR 0.1": float(tpr[fpr <= 0.1].max()),
        f"TPR at distance {threshold}": float((distance[mated] <= threshold).mean()),
        f"FPR at distance {threshold}": float((distance[~mated] <= threshold).mean()),
        "mean distance, mated": float(distance[mated].mean()),
        "mean distance, non-mated": float(distance[~mated].mean()),
    }
