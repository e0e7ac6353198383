"""What Face++ says of a face, in the project's words."""

from __future__ import annotations

import math
from collections.abc import Mapping

from unveil.core.roles import Kind
from unveil.core.types import Value
from unveil.models.facepp_answer import Node

REQUESTED = "gender,age,smiling,headpose,facequality,blur,eyestatus,emotion,beauty,mouthstatus,eyegaze,skinstatus"
"""Value of ``return_attributes``: all that the service documents."""

EXPRESSIONS = {
    "anger": "angry",
    "disgust": "disgust",
    "fear": "fear",
    "happiness": "happy",
    "sadness": "sad",
    "surprise": "surprise",
    "neutral": "neutral",
}
"""The service's name of an emotion -> the value of ``expression``."""

EYES = {
    "no_glass_eye_open": "open, no glasses",
    "no_glass_eye_close": "closed, no glasses",
    "normal_glass_eye_open": "open, glasses",
    "normal_glass_eye_close": "closed, glasses",
    "dark_glasses": "dark glasses",
    "occlusion": "occluded",
}
"""The service's name of an eye's state -> the value of ``left_eye_status`` and ``right_eye_status``."""

MOUTHS = {
    "open": "open",
    "close": "closed",
    "surgical_mask_or_respirator": "mask",
    "other_occlusion": "occluded",
}
"""The service's name of a mouth's state -> the value of ``mouth_status``."""

SKINS = {"health": "healthy", "stain": "stain", "acne": "acne", "dark_circle": "dark circles"}
"""The service's name of a skin's state -> the value of ``skin_status``."""

_CHOICES = {
    "expression": (("emotion",), EXPRESSIONS),
    "left_eye_status": (("eyestatus", "left_eye_status"), EYES),
    "right_eye_status": (("eyestatus", "right_eye_status"), EYES),
    "mouth_status": (("mouthstatus",), MOUTHS),
    "skin_status": (("skinstatus",), SKINS),
}
"""Attribute -> where it stands how sure the service is of each of its values, and their words."""

_MEASURED = {
    "face_quality": ("facequality", "value"),
    "blur": ("blur", "blurness", "value"),
    "beauty_to_women": ("beauty", "female_score"),
    "beauty_to_men": ("beauty", "male_score"),
}
"""Attribute -> where its number in [0, 100] stands."""

_GAZES = {
    "left_eye_gaze": ("eyegaze", "left_eye_gaze"),
    "right_eye_gaze": ("eyegaze", "right_eye_gaze"),
}
"""Attribute -> where its direction stands."""

KINDS: Mapping[str, Kind] = {
    "gender": "categorical",
    "age": "numeric",
    "head_pose": "angles",
    "smiling": "categorical",
    "smile": "confidence",
    **dict.fromkeys(_CHOICES, "categorical"),
    **dict.fromkeys([f"{name}_confidence" for name in _CHOICES], "confidence"),
    **dict.fromkeys(_MEASURED, "numeric"),
    **dict.fromkeys(_GAZES, "angles"),
}
"""Name of each attribute -> its kind."""


def described(attributes: Node) -> dict[str, Value]:
    """Values of all attributes of :data:`KINDS`, of one face.

    Of an attribute with several possible values the surest is taken, the first of equals; how sure the service
    is of it, in [0, 1], is the confidence. ``smiling`` follows the threshold that the service gives. Left and
    right are those of the picture. A gaze is a vector in axes that the service does not document; it is given as
    (yaw, pitch, 0) in degrees: from z towards x and y, and a direction has no roll.

    Raises:
        Changed: when a field is missing or of another type.
    """
    smile = attributes["smile"]
    values: dict[str, Value] = {
        "gender": attributes["gender"]["value"].word("Female", "Male"),
        "age": attributes["age"]["value"].number(0),
        "head_pose": _angles(attributes["headpose"]),
        "smiling": "yes" if smile["value"].number(0, 100) > smile["threshold"].number() else "no",
        "smile": smile["value"].number(0, 100) / 100,
    }
    for name, (path, words) in _CHOICES.items():
        node = _at(attributes, path)
        shares = {word: node[key].number(0, 100) for key, word in words.items()}
        surest = max(shares, key=shares.__getitem__)
        values |= {name: surest, f"{name}_confidence": shares[surest] / 100}
    values |= {name: _at(attributes, path).number(0, 100) for name, path in _MEASURED.items()}
    values |= {name: _gaze(_at(attributes, path)) for name, path in _GAZES.items()}
    return values


def _at(node: Node, path: tuple[str, ...]) -> Node:
    for key in path:
        node = node[key]
    return node


def _angles(pose: Node) -> tuple[float, ...]:
    return tuple(pose[f"{name}_angle"].number(-180, 180) for name in ("yaw", "pitch", "roll"))


def _gaze(eye: Node) -> tuple[float, ...]:
    x, y, z = (eye[f"vector_{axis}_component"].number() for axis in "xyz")
    return math.degrees(math.atan2(x, z)), math.degrees(math.atan2(y, math.hypot(x, z))), 0.0
