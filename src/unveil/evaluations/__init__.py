"""Table of the built-in evaluations: name -> ("module:Class", preset parameters). Strings only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPONENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "detection": ("unveil.evaluations.detection:DetectionRate", {}),
    "verification": ("unveil.evaluations.verification:Verification", {}),
    "recognizer_quality": ("unveil.evaluations.recognizer_quality:RecognizerQuality", {}),
    "identification": ("unveil.evaluations.identification:Identification", {}),
    "attributes": ("unveil.evaluations.attributes:Attributes", {}),
    "privacy": ("unveil.evaluations.privacy:AttributePrivacy", {}),
    "utility": ("unveil.evaluations.utility:ObjectDetection", {}),
    "robustness": ("unveil.evaluations.robustness:Robustness", {}),
    "intelligibility": ("unveil.evaluations.intelligibility:Intelligibility", {}),
    "focus": ("unveil.evaluations.focus:Focus", {}),
    "quality": ("unveil.evaluations.quality:ImageQuality", {}),
    "landmark_error": ("unveil.evaluations.landmark_error:LandmarkError", {}),
    "perceptual": ("unveil.evaluations.perceptual:PerceptualDifference", {}),
    "fid": ("unveil.evaluations.fid:FrechetDistance", {}),
    "throughput": ("unveil.evaluations.throughput:Throughput", {}),
}
