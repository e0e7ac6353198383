"""Words for what a face does, by a rule over MediaPipe's blendshapes. Nothing here is learnt.

A blendshape says how far one part of the face has moved, in [0, 1]; most of them correspond to an action unit
(AU) of the Facial Action Coding System. An expression is a combination of action units, after the prototypes of
EMFACS (Friesen and Ekman, 1983; Ekman, Friesen, Hager, FACS Investigator's Guide, 2002, table of emotions):

=========  =====================================================  ==================================
word       action units                                           prototype in EMFACS
=========  =====================================================  ==================================
happy      lip corners up (12)                                    6 + 12
surprise   brows up, inner and outer (1, 2), jaw down (26)        1 + 2 + 5 + 26
fear       inner brows up (1), eyes wide (5), lips drawn (20)     1 + 2 + 4 + 5 + 20 + 26
sad        inner brows up (1), lip corners down (15)              1 + 4 + 15
angry      brows down (4), lips pressed (24)                      4 + 5 + 7 + 23 or 24
disgust    upper lip up (10), brows down as in a wrinkled nose    9 or 10, with 15 or 16
=========  =====================================================  ==================================

Limits. The model leaves ``cheekSquint`` (AU 6), ``noseSneer`` (AU 9) and ``cheekPuff`` at zero in every one of 488
real photos, so real and posed smiles are one, and disgust rests on what goes along with a wrinkled nose. A face
with naturally low or high brows starts nearer to a threshold. The rule was measured for smiles alone, since the
photos at hand have labels for nothing else: an active smile agrees with CelebA's label ``Smiling`` in 89 % of
253 photos; of ten smiling London portraits eight are ``happy``, of the neutral ones of the same people one. Of
the 488 photos, nearly all of smiling or calm faces, few have another word, and whether it is right nobody said.
So a preserving rate of expressions speaks of smiles, and of the others with reserve.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

NEUTRAL = "neutral"
SMILE = "mouthSmile"
HAPPY = "happy"

ACTIVE: Mapping[str, float] = {
    SMILE: 0.4,
    "browInnerUp": 0.45,
    "browOuterUp": 0.45,
    "browDown": 0.4,
    "eyeWide": 0.05,
    "jawOpen": 0.1,
    "mouthFrown": 0.1,
    "mouthStretch": 0.3,
    "mouthUpperUp": 0.15,
    "mouthPress": 0.2,
}
"""From where on an action is active. The smile: where both sets of labelled photos are told best. The others: the
90th percentile over 275 real photos without a smile, rounded, so that each is unusual for itself. (``eyeWide`` and
``jawOpen`` are small numbers: this is what the model gives.)"""

OTHERS: Mapping[str, tuple[str, ...]] = {
    "surprise": ("browInnerUp", "browOuterUp", "jawOpen"),
    "fear": ("browInnerUp", "eyeWide", "mouthStretch"),
    "sad": ("browInnerUp", "mouthFrown"),
    "angry": ("browDown", "mouthPress"),
    "disgust": ("mouthUpperUp", "browDown"),
}
"""Expressions without a smile, by the actions that must all be active."""

CLOSED = 0.5
"""From which ``eyeBlink`` on an eye is closed: half way. Looking down raises it, too; so does a squint."""

OPEN = 0.08
"""From which gap between the lips on a mouth is open, as a share of its inner width.

The gap is measured between landmarks: over 253 photos it agrees with CelebA's label ``Mouth_Slightly_Open`` in
92 % (area under the curve 0.96), the blendshape ``jawOpen`` in 78 % at its best threshold (0.85), for lips part
while the jaw stays.
"""

_LIPS = (13, 14)  # middle of the inner edge of the upper and the lower lip in the face mesh
_CORNERS = (78, 308)  # where the inner edges of both lips meet


def smile(shapes: Mapping[str, float]) -> float:
    """How far the corners of the mouth are drawn up, mean of both sides, in [0, 1]."""
    return _action(shapes, SMILE)


def expression(shapes: Mapping[str, float]) -> str:
    """``happy`` with an active smile, which is part of no other combination; else the strongest that is active.

    An expression is as strong as its weakest action, in units of the thresholds; below 1 the face is neutral.
    """
    if smile(shapes) >= ACTIVE[SMILE]:
        return HAPPY
    strength = {
        word: min(_action(shapes, action) / ACTIVE[action] for action in actions)
        for word, actions in OTHERS.items()
    }
    word = max(strength, key=strength.__getitem__)
    return word if strength[word] >= 1 else NEUTRAL


def eye_status(shapes: Mapping[str, float], side: str) -> str:
    """``open`` or ``closed``.

    Args:
        shapes: all blendshapes.
        side: ``Left`` or ``Right``, the person's own.
    """
    return "closed" if shapes[f"eyeBlink{side}"] >= CLOSED else "open"


def mouth_status(points: NDArray[np.floating]) -> str:
    """``open`` when the lips are apart, else ``closed``; from the points of a mesh (at least 309, 2)."""
    gap, width = (float(np.linalg.norm(points[a] - points[b])) for a, b in (_LIPS, _CORNERS))
    return "open" if gap >= OPEN * width and gap > 0 else "closed"


def _action(shapes: Mapping[str, float], name: str) -> float:
    """A blendshape, or the mean of its two sides."""
    if name in shapes:
        return shapes[name]
    return (shapes[f"{name}Left"] + shapes[f"{name}Right"]) / 2
