"""Table of the built-in evaluations: name -> ("module:Class", preset parameters). Strings only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPONENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "detection": ("unveil.evaluations.detection:DetectionRate", {}),
    "verification": ("unveil.evaluations.verification:Verification", {}),
    "identification": ("unveil.evaluations.identification:Identification", {}),
    "privacy": ("unveil.evaluations.privacy:AttributePrivacy", {}),
    "utility": ("unveil.evaluations.utility:ObjectDetection", {}),
    "robustness": ("unveil.evaluations.robustness:Robustness", {}),
    "intelligibility": ("unveil.evaluations.intelligibility:Intelligibility", {}),
    "throughput": ("unveil.evaluations.throughput:Throughput", {}),
}
