"""The words for people in scenes: privacy attributes, object classes, points of a body."""

from __future__ import annotations

LABELS = (
    "age", "face", "skin color", "hair color", "gender", "race", "nudity", "height", "weight", "disability",
    "ethnic clothing", "formal clothing", "uniforms", "medical scrubs", "troupe attire", "sports",
    "casual clothing", "religion",
)  # fmt: skip
"""The 18 privacy attributes of HR-VISPR, in its order."""

VISPR_LABELS = (
    "skin color", "gender", "partial face", "complete face", "partial nudity", "personal relationship",
    "social relationship",
)  # fmt: skip
"""The 7 attributes of the VISPR baseline (a17, a4, a10, a9, a12, a64, a65)."""

PERSON = "person"

CLASSES = (
    PERSON, "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
)  # fmt: skip
"""The ten object classes by which utility is measured, as COCO names them."""

KEYPOINTS = (
    "nose", "left eye", "right eye", "left ear", "right ear", "left shoulder", "right shoulder", "left elbow",
    "right elbow", "left wrist", "right wrist", "left hip", "right hip", "left knee", "right knee", "left ankle",
    "right ankle",
)  # fmt: skip
"""The 17 points of a body in COCO's order; left and right are the person's own."""
