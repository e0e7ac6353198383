"""Table of the built-in models: name -> ("module:Class", preset parameters). Strings only, nothing is imported.

Names are unique within a role, so the keys carry the role: ``detector:dlib`` and ``recognizer:dlib``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COMPONENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "detector:mtcnn": ("unveil.models.mtcnn:Mtcnn", {}),
    "detector:opencv": ("unveil.models.opencv:HaarCascade", {}),
    "detector:dlib": ("unveil.models.dlib_detectors:DlibHog", {}),
    "detector:dlib_cnn": ("unveil.models.dlib_detectors:DlibCnn", {}),
    "recognizer:dlib": ("unveil.models.dlib_recognizer:DlibRecognizer", {}),
    "estimator:age_gender": ("unveil.models.age_gender:AgeGender", {}),
}
