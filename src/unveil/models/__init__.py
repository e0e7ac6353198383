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
    "classifier:small": ("unveil.models.small_classifier:SmallClassifier", {}),
    "classifier:hf": ("unveil.models.hf_classifier:HfClassifier", {}),
    "image_encoder:clip-vit-large-patch14-336": (
        "unveil.models.hf_encoder:HfEncoder",
        {"model": "openai/clip-vit-large-patch14-336"},
    ),
    "image_encoder:hf": ("unveil.models.hf_encoder:HfEncoder", {}),
    "image_encoder:hog": ("unveil.models.hog:Hog", {}),
    "object_detector:yolox_nano": ("unveil.models.yolox:YoloxNano", {}),
    "object_detector:small": ("unveil.models.small_detector:SmallDetector", {}),
    "object_detector:hf": ("unveil.models.hf_detector:HfObjectDetector", {}),
    "segmenter:annotated": ("unveil.models.annotated:Annotated", {}),
    "segmenter:box": ("unveil.models.box_segmenter:BoxSegmenter", {}),
    "segmenter:grabcut": ("unveil.models.grabcut:GrabCut", {}),
    "segmenter:hf": ("unveil.models.hf_segmenter:HfSegmenter", {}),
}
