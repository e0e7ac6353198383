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
    "detector:yunet": ("unveil.models.yunet:YuNet", {}),
    "detector:insightface.scrfd": ("unveil.models.scrfd:Scrfd", {}),
    "detector:deepface.opencv": ("unveil.models.deepface_detectors:DeepfaceDetector", {"backend": "opencv"}),
    "detector:deepface.dlib": ("unveil.models.deepface_detectors:DeepfaceDetector", {"backend": "dlib"}),
    "detector:deepface.ssd": ("unveil.models.deepface_detectors:DeepfaceDetector", {"backend": "ssd"}),
    "detector:deepface.retinaface": (
        "unveil.models.deepface_detectors:DeepfaceDetector",
        {"backend": "retinaface"},
    ),
    "detector:deepface.mtcnn": ("unveil.models.deepface_detectors:DeepfaceDetector", {"backend": "mtcnn"}),
    "detector:facepp": ("unveil.models.facepp:FaceppDetector", {}),
    "recognizer:facepp": ("unveil.models.facepp:FaceppRecognizer", {}),
    "estimator:facepp": ("unveil.models.facepp:FaceppEstimator", {}),
    "recognizer:dlib": ("unveil.models.dlib_recognizer:DlibRecognizer", {}),
    "recognizer:sface": ("unveil.models.sface:SFace", {}),
    "recognizer:insightface.arcface": ("unveil.models.arcface:ArcFace", {}),
    "recognizer:onnx": ("unveil.models.onnx_recognizer:OnnxRecognizer", {}),
    "recognizer:deepface.arcface": ("unveil.models.deepface_recognizer:DeepfaceRecognizer", {"model": "ArcFace"}),
    "recognizer:deepface.facenet": ("unveil.models.deepface_recognizer:DeepfaceRecognizer", {"model": "Facenet"}),
    "recognizer:deepface.vgg_face": (
        "unveil.models.deepface_recognizer:DeepfaceRecognizer",
        {"model": "VGG-Face"},
    ),
    "recognizer:deepface.openface": (
        "unveil.models.deepface_recognizer:DeepfaceRecognizer",
        {"model": "OpenFace"},
    ),
    "recognizer:deepface.deepface": (
        "unveil.models.deepface_recognizer:DeepfaceRecognizer",
        {"model": "DeepFace"},
    ),
    "recognizer:deepface.deepid": ("unveil.models.deepface_recognizer:DeepfaceRecognizer", {"model": "DeepID"}),
    "recognizer:deepface.dlib": ("unveil.models.deepface_recognizer:DeepfaceRecognizer", {"model": "Dlib"}),
    "estimator:age_gender": ("unveil.models.age_gender:AgeGender", {}),
    "estimator:face_landmarker": ("unveil.models.face_landmarker:FaceLandmarkerAttributes", {}),
    "landmarker:face_landmarker": ("unveil.models.face_landmarker:FaceLandmarker", {}),
    "estimator:deepface": ("unveil.models.deepface_estimator:DeepfaceEstimator", {}),
    "classifier:small": ("unveil.models.small_classifier:SmallClassifier", {}),
    "classifier:hf": ("unveil.models.hf_classifier:HfClassifier", {}),
    "image_encoder:clip-vit-large-patch14-336": (
        "unveil.models.hf_encoder:HfEncoder",
        {"model": "openai/clip-vit-large-patch14-336"},
    ),
    "image_encoder:hf": ("unveil.models.hf_encoder:HfEncoder", {}),
    "image_encoder:inception-2015": ("unveil.models.inception:Inception2015", {}),
    "image_encoder:hog": ("unveil.models.hog:Hog", {}),
    "object_detector:yolox_nano": ("unveil.models.yolox:YoloxNano", {}),
    "object_detector:small": ("unveil.models.small_detector:SmallDetector", {}),
    "object_detector:hf": ("unveil.models.hf_detector:HfObjectDetector", {}),
    "segmenter:annotated": ("unveil.models.annotated:Annotated", {}),
    "segmenter:box": ("unveil.models.box_segmenter:BoxSegmenter", {}),
    "segmenter:grabcut": ("unveil.models.grabcut:GrabCut", {}),
    "segmenter:hf": ("unveil.models.hf_segmenter:HfSegmenter", {}),
    "perceptual_metric:lpips": ("unveil.models.lpips:Lpips", {}),
}
