"""The face detectors of the ``deepface`` library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Image
from unveil.core.validation import choice, number
from unveil.models.deepface_alignment import CASCADES, HAAR
from unveil.models.deepface_library import EXTRA, Network
from unveil.models.dlib_alignment import PREDICTOR_FILE, PREDICTOR_HASH, locate_dlib
from unveil.models.mtcnn_networks import WEIGHTS as MTCNN_WEIGHTS
from unveil.models.mtcnn_networks import weights_path
from unveil.models.weights_records import DEEPFACE, SSD_LAYERS, SSD_WEIGHTS, find

_TASK = "face_detector"
_EYES = ("right_eye", "left_eye")
_RETINAFACE = "retinaface.onnx"


@dataclass(frozen=True, slots=True)
class _Known:
    """A detector of the library.

    Attributes:
        network: what it needs.
        marks: landmarks that it gives with every face, in our order: left and right are the person's.
        weights: file -> known SHA-256.
        paper: who made it.
    """

    network: Network
    marks: tuple[str, ...]
    weights: Mapping[str, str]
    paper: str


_BACKENDS: Mapping[str, _Known] = {
    "opencv": _Known(
        HAAR,
        (),
        CASCADES,
        "Viola, Jones: Rapid Object Detection using a Boosted Cascade of Simple Features, CVPR 2001",
    ),
    "dlib": _Known(
        Network(
            _TASK,
            "dlib",
            {PREDICTOR_FILE: partial(locate_dlib, PREDICTOR_FILE, PREDICTOR_HASH)},
            libraries={"dlib": "dlib-bin"},
        ),
        _EYES,
        {PREDICTOR_FILE: PREDICTOR_HASH},
        "Dalal, Triggs: Histograms of Oriented Gradients for Human Detection, CVPR 2005",
    ),
    "ssd": _Known(
        Network(_TASK, "ssd", {record.name: partial(find, record) for record in (SSD_WEIGHTS, SSD_LAYERS)}),
        (),
        {record.name: record.sha256 for record in (SSD_WEIGHTS, SSD_LAYERS)},
        "Liu et al.: SSD: Single Shot MultiBox Detector, ECCV 2016",
    ),
    "retinaface": _Known(
        Network(
            _TASK,
            "retinaface",
            {_RETINAFACE: partial(find, DEEPFACE[_RETINAFACE])},
            libraries={"retinaface": EXTRA},
        ),
        (*_EYES, "nose", "mouth_right", "mouth_left"),
        {},
        "Deng et al.: RetinaFace: Single-Shot Multi-Level Face Localisation in the Wild, CVPR 2020",
    ),
    "mtcnn": _Known(
        Network(
            _TASK,
            "mtcnn",
            watched={file: partial(weights_path, file) for file in MTCNN_WEIGHTS},
            libraries={"tensorflow": "'deepface[tensorflow]'"},
        ),
        _EYES,
        MTCNN_WEIGHTS,
        "Zhang et al.: Joint Face Detection and Alignment Using Multitask Cascaded Convolutional Networks, 2016",
    ),
}


class DeepfaceDetector:
    """A face detector of DeepFace: opencv, dlib, ssd, retinaface or mtcnn (which needs TensorFlow).

    As in the library, the picture is first put into a black frame; a face with its centre in the frame is dropped.
    Boxes are in whole pixels and may reach over the border. dlib and mtcnn give the eyes as two landmarks,
    retinaface all five, opencv and ssd none. The score is the detector's own; of opencv, the weight of the last
    stage of the cascade, which the library turns around so that less would be surer.

    Args:
        backend: as the library spells it.
        border: width of the frame on each side as a share of the picture's side, 0 to 1.

    Source: Serengil and Ozpinar, "LightFace: A Hybrid Deep Face Recognition Framework", ASYU 2020.
    """

    meta = ModelMeta(
        name="deepface",
        version=1,
        role="detector",
        source=Source(
            citation="Serengil, Ozpinar: LightFace: A Hybrid Deep Face Recognition Framework, ASYU 2020",
            licence="MIT (library); the weights have the licences of their authors",
            url="https://github.com/serengil/deepface",
        ),
    )

    def __init__(self, *, backend: str = "opencv", border: float = 0.5) -> None:
        self.backend = choice("backend", backend, tuple(_BACKENDS))
        self.border = number("border", border, low=0, high=1)
        self._known = _BACKENDS[backend]
        source = self.meta.source
        self.meta = replace(
            self.meta,
            name=f"deepface.{backend}",
            source=replace(source, citation=f"{self._known.paper}; {source.citation}"),
            weights=self._known.weights,
        )

    def require(self) -> None:
        """Raise Unavailable when a library or weights are missing."""
        self._known.network.require()

    def content_fingerprint(self) -> str:
        """Of the weights and of the library's version: part of the identity."""
        return self._known.network.fingerprint()

    def weights_found(self) -> Mapping[str, str]:
        """File name -> SHA-256 of what is read, for the run's manifest."""
        return self._known.network.hashes()

    @cached_property
    def _client(self) -> Any:
        return self._known.network.build()

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """Faces in each picture, best score first.

        Raises:
            Unavailable: at the first call, when something is missing or the weights cannot be loaded.
        """
        return [self._one(image) for image in images]

    def _one(self, image: Image) -> Detections:
        height, width = image.shape[:2]
        top, left = int(self.border * height), int(self.border * width)
        framed = np.pad(image[..., ::-1], ((top, top), (left, left), (0, 0)))  # the library takes BGR
        marks = self._known.marks
        corner = np.array([left, top], np.float32)
        boxes, scores, points = [], [], []
        for area in self._client.detect_faces(np.ascontiguousarray(framed)):
            start = np.array([area.x, area.y], np.float32) - corner
            sides = np.array([area.w, area.h], np.float32)
            middle = start + sides / 2
            if (sides <= 0).any() or (middle < 0).any() or (middle > (width, height)).any():
                continue
            boxes.append(np.concatenate([start, start + sides]))
            scores.append(self._score(area.confidence))
            points.append(np.array([getattr(area, mark) for mark in marks], np.float32).reshape(-1, 2) - corner)
        order = np.argsort(-np.array(scores, np.float32), kind="stable")
        found = np.array(boxes, np.float32).reshape(-1, 4)[order]
        shape = (len(order), len(marks), 2)
        given = np.array(points, np.float32).reshape(shape)[order] if marks else None
        return Detections(found, np.array(scores, np.float32)[order], given)

    def _score(self, confidence: Any) -> float:
        value = float(np.asarray(confidence).item())
        return 100 * (1 - value) if self.backend == "opencv" else value
