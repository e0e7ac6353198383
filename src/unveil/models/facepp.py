"""Face++, a commercial web service, as detector, recognizer and attribute estimator.

Pictures leave this machine. Detector and estimator ask the very same question of a picture, so that the second
of them finds the answer in the cache and costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Detections, Face, Failure, Image, Reason, Value
from unveil.core.validation import choice
from unveil.models.facepp_answer import Node, box_of, nearest, points_of
from unveil.models.facepp_attributes import KINDS, REQUESTED, described
from unveil.models.facepp_client import ENDPOINT, PATIENCE, Client, Request
from unveil.models.facepp_pictures import Upload, cut_out, whole

_SOURCE = Source(
    citation="Megvii: Face++ Detect API and Compare API, version 3.0",
    licence="proprietary web service, terms of the account",
    url="https://console.faceplusplus.com/documents/5679127",
)

Pair = tuple[tuple[Image, Face], tuple[Image, Face]]


class FaceppDetector:
    """Face++ Detect API: square boxes with five landmarks, by a web service (needs a key).

    The service gives no score: all are 1, unless ``score`` asks for its face quality. With a free key only the
    five largest faces of a picture are analysed: where there are more, no landmarks are given at all, and a face
    without a quality has the score 0. Faces come largest first.

    Args:
        endpoint, requests_per_second, retries, timeout: as of :class:`unveil.models.facepp_client.Client`.
        score: ``none`` or ``quality`` (suitability for comparison in [0, 1]).
    """

    meta = ModelMeta(name="facepp", version=1, role="detector", source=_SOURCE, remote=True)
    not_identity = PATIENCE

    def __init__(
        self,
        *,
        endpoint: str = ENDPOINT,
        requests_per_second: float = 1.0,
        retries: int = 5,
        timeout: float = 30.0,
        score: Literal["none", "quality"] = "none",
    ) -> None:
        self._client = Client(endpoint, requests_per_second, retries, timeout)
        choice("score", score, ("none", "quality"))
        self.endpoint = endpoint
        self.requests_per_second = requests_per_second
        self.retries = retries
        self.timeout = timeout
        self.score = score

    def require(self) -> None:
        """Raise Unavailable when httpx, the key or the secret is missing."""
        self._client.require()

    def detect(self, images: Sequence[Image]) -> list[Detections | Failure]:
        """Faces in each picture; a Failure where the service did not take it or gave no usable answer.

        Raises:
            Unavailable, StoreError: as :meth:`unveil.models.facepp_client.Client.ask`.
        """
        return self._client.map(self._one, images)

    def _one(self, image: Image) -> Detections | Failure:
        sent = whole(image)
        return self._client.ask(_about(sent), partial(_detections, sent, self.score))


class FaceppRecognizer:
    """Face++ Compare API: says how alike two faces are, by a web service (needs a key); no embeddings.

    The similarity is the service's confidence divided by 100. Each face is cut out with a margin of half its box
    (:mod:`unveil.models.facepp_pictures`), for the service compares the largest face of each picture. That it has
    compared the intended faces is checked with the rectangles of its answer.

    Args:
        endpoint, requests_per_second, retries, timeout: as of :class:`unveil.models.facepp_client.Client`.

    Source of the threshold: a confidence of 70, FairDeFace.
    """

    meta = ModelMeta(name="facepp", version=1, role="recognizer", source=_SOURCE, remote=True)
    distance: Literal["cosine", "euclidean"] = "cosine"
    customary_threshold = 0.30
    not_identity = PATIENCE

    def __init__(
        self,
        *,
        endpoint: str = ENDPOINT,
        requests_per_second: float = 1.0,
        retries: int = 5,
        timeout: float = 30.0,
    ) -> None:
        self._client = Client(endpoint, requests_per_second, retries, timeout)
        self.endpoint = endpoint
        self.requests_per_second = requests_per_second
        self.retries = retries
        self.timeout = timeout

    def require(self) -> None:
        """Raise Unavailable when httpx, the key or the secret is missing."""
        self._client.require()

    def compare(
        self, left: Sequence[tuple[Image, Face]], right: Sequence[tuple[Image, Face]]
    ) -> list[float | Failure]:
        """Similarity of each pair in [0, 1].

        Failures: ``no_face`` where the service does not find the left face, ``missing`` where it does not find the
        right one, others as :meth:`unveil.models.facepp_client.Client.ask`.

        Raises:
            Unavailable, StoreError: as :meth:`unveil.models.facepp_client.Client.ask`.
        """
        return self._client.map(self._one, list(zip(left, right, strict=True)))

    def _one(self, pair: Pair) -> float | Failure:
        sent = [cut_out(image, face) for image, face in pair]
        for side, upload, (_, face) in zip(("left", "right"), sent, pair, strict=True):
            if upload is None:
                return _lost(side, f"the box {_text(face)} is outside the picture")
        uploads = [upload for upload in sent if upload is not None]
        request = Request("compare", {}, {f"image_file{i}": one.data for i, one in enumerate(uploads, start=1)})
        return self._client.ask(request, partial(_similarity, uploads, [face for _, face in pair]))


class FaceppEstimator:
    """Face++ Detect API: age, gender, expression, head pose and more, by a web service (needs a key).

    The whole picture is sent; of its faces the one that overlaps the given face most is described. With a free key
    the service describes the five largest faces only; another one is a Failure ``bad_output``. Positions of the
    pupils are not passed on: they are no attribute of a person.

    Args:
        endpoint, requests_per_second, retries, timeout: as of :class:`unveil.models.facepp_client.Client`.
    """

    meta = ModelMeta(name="facepp", version=1, role="estimator", source=_SOURCE, remote=True)
    kinds = KINDS
    not_identity = PATIENCE

    def __init__(
        self,
        *,
        endpoint: str = ENDPOINT,
        requests_per_second: float = 1.0,
        retries: int = 5,
        timeout: float = 30.0,
    ) -> None:
        self._client = Client(endpoint, requests_per_second, retries, timeout)
        self.endpoint = endpoint
        self.requests_per_second = requests_per_second
        self.retries = retries
        self.timeout = timeout

    def require(self) -> None:
        """Raise Unavailable when httpx, the key or the secret is missing."""
        self._client.require()

    def estimate(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Mapping[str, Value] | Failure]:
        """All attributes of one face per picture; ``no_face`` where the service finds no face in its place.

        Raises:
            Unavailable, StoreError: as :meth:`unveil.models.facepp_client.Client.ask`.
        """
        return self._client.map(self._one, list(zip(images, faces, strict=True)))

    def _one(self, seen: tuple[Image, Face]) -> Mapping[str, Value] | Failure:
        image, face = seen
        sent = whole(image)
        return self._client.ask(_about(sent), partial(_attributes, sent, face))


def _about(sent: Upload) -> Request:
    fields = {"return_landmark": "1", "return_attributes": REQUESTED}
    return Request("detect", fields, {"image_file": sent.data})


def _detections(sent: Upload, score: str, answer: Node) -> Detections:
    faces = list(answer["faces"].items())
    if not faces:
        return Detections.empty()
    boxes = sent.from_sent(np.array([box_of(face) for face in faces]).reshape(-1, 2, 2)).reshape(-1, 4)
    scores = [_quality(face) if score == "quality" else 1.0 for face in faces]
    marks = [points for face in faces if (points := points_of(face)) is not None]
    landmarks = sent.from_sent(np.array(marks)) if len(marks) == len(faces) else None
    order = np.argsort(-np.prod(boxes[:, 2:] - boxes[:, :2], axis=1), kind="stable")
    return Detections(boxes, np.array(scores, np.float32), landmarks).take(order)


def _quality(face: Node) -> float:
    if "attributes" not in face:
        return 0.0
    return face["attributes"]["facequality"]["value"].number(0, 100) / 100


def _similarity(sent: Sequence[Upload], faces: Sequence[Face], answer: Node) -> float | Failure:
    for side, upload, face, name in zip(("left", "right"), sent, faces, ("faces1", "faces2"), strict=True):
        found = list(answer[name].items())
        if not found:
            return _lost(side, f"Face++ finds no face in {_text(face)}")
        if nearest(found, _sent_box(upload, face)) != 0:  # the first is the one that was compared
            return _lost(side, f"Face++ finds another face than that in {_text(face)}")
    return answer["confidence"].number(0, 100) / 100


def _attributes(sent: Upload, face: Face, answer: Node) -> Mapping[str, Value] | Failure:
    faces = list(answer["faces"].items())
    nearby = nearest(faces, _sent_box(sent, face))
    if nearby is None:
        return Failure(Reason.NO_FACE, f"Face++ finds no face in {_text(face)}, but {len(faces)} elsewhere")
    return described(faces[nearby]["attributes"])


def _sent_box(sent: Upload, face: Face) -> np.ndarray:
    return sent.to_sent(face.box.reshape(2, 2)).reshape(4)


def _lost(side: str, detail: str) -> Failure:
    return Failure(Reason.NO_FACE if side == "left" else Reason.MISSING, f"{side} picture: {detail}")


def _text(face: Face) -> str:
    left, top, right, bottom = (round(float(value)) for value in face.box)
    return f"left {left}, top {top}, right {right}, bottom {bottom}"
