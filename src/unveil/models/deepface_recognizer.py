"""The face recognizers of the ``deepface`` library, given the faces that the attacker's detector finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from unveil.core.fingerprint import digest
from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta
from unveil.core.types import Embedding, Face, Failure, Image, Reason
from unveil.core.validation import choice
from unveil.models.deepface_alignment import HAAR, Chips, describe_chips
from unveil.models.deepface_library import EXTRA, Network
from unveil.models.dlib_alignment import locate_dlib
from unveil.models.dlib_recognizer import NETWORK_FILE, NETWORK_HASH
from unveil.models.weights_records import DEEPFACE, find

_TASK = "facial_recognition"


@dataclass(frozen=True, slots=True)
class _Known:
    """A recognizer of the library.

    Attributes:
        name: by which it is registered.
        dimension: length of an embedding.
        threshold: cosine distance that FairDeFace published for it.
        file: its weights in ONNX format; ``""`` for dlib's network.
        paper: who made it.
    """

    name: str
    dimension: int
    threshold: float
    file: str
    paper: str

    def network(self, model: str) -> Network:
        if not self.file:
            files: Mapping[str, Callable[[], Path]] = {
                NETWORK_FILE: partial(locate_dlib, NETWORK_FILE, NETWORK_HASH)
            }
            return Network(_TASK, model, files, libraries={"dlib": "dlib-bin"})
        # VGG-Face is built with the rest of the library, which needs werkzeug and does not bring it.
        more = {"werkzeug": EXTRA} if model == "VGG-Face" else {}
        locate = partial(find, DEEPFACE[self.file])
        return Network(_TASK, model, {self.file: locate}, libraries=more)


_MODELS: Mapping[str, _Known] = {
    "ArcFace": _Known(
        "arcface",
        512,
        0.765,
        "arcface_weights.onnx",
        "Deng et al.: ArcFace: Additive Angular Margin Loss for Deep Face Recognition, CVPR 2019",
    ),
    "Facenet": _Known(
        "facenet",
        128,
        0.674,
        "facenet_weights.onnx",
        "Schroff, Kalenichenko, Philbin: FaceNet: A Unified Embedding for Face Recognition, CVPR 2015",
    ),
    "VGG-Face": _Known(
        "vgg_face",
        4096,
        0.297,
        "vgg_face_weights.onnx",
        "Parkhi, Vedaldi, Zisserman: Deep Face Recognition, BMVC 2015",
    ),
    "OpenFace": _Known(
        "openface",
        128,
        0.227,
        "openface_weights.onnx",
        "Amos, Ludwiczuk, Satyanarayanan: OpenFace, CMU-CS-16-118, 2016",
    ),
    "DeepFace": _Known(
        "deepface",
        4096,
        0.189,
        "VGGFace2_DeepFace_weights_val-0.9034.onnx",
        "Taigman et al.: DeepFace: Closing the Gap to Human-Level Performance, CVPR 2014",
    ),
    "DeepID": _Known(
        "deepid",
        160,
        0.017,
        "deepid_weights.onnx",
        "Sun, Wang, Tang: Deep Learning Face Representation from Predicting 10,000 Classes, CVPR 2014",
    ),
    "Dlib": _Known(
        "dlib",
        128,
        0.078,
        "",
        "King: High Quality Face Recognition with Deep Metric Learning, dlib blog, 2017",
    ),
}

_NORMALIZATIONS = ("base", "raw", "Facenet", "Facenet2018", "VGGFace", "VGGFace2", "ArcFace")


class DeepfaceRecognizer:
    """A recognizer of DeepFace: ArcFace, Facenet, VGG-Face, OpenFace, DeepFace, DeepID or Dlib.

    The face is the one of the attacker's detector. It is levelled by the eyes, the first two of two or five
    landmarks, or else as the library finds them in the box; cut out by its box; letter-boxed in black; and given
    to the network as BGR in 0..1. Nothing is embedded where there is no face. Vectors are compared by the cosine
    distance. ``customary_threshold`` is FairDeFace's; the library's own are, for the models in the order above,
    0.68, 0.40, 0.68, 0.10, 0.23, 0.015 and 0.07.

    Of the weights no hash is published (those of Dlib excepted), so the hash of the file that is found is part of
    the identity.

    Args:
        model: as the library spells it.
        normalization: of the pixels, by the library's names; ``base`` leaves them in 0..1. Dlib takes only that.

    Source: Serengil and Ozpinar, "LightFace: A Hybrid Deep Face Recognition Framework", ASYU 2020; thresholds of
    the code that was published with FairDeFace.
    """

    meta = ModelMeta(
        name="deepface",
        version=1,
        role="recognizer",
        source=Source(
            citation="Serengil, Ozpinar: LightFace: A Hybrid Deep Face Recognition Framework, ASYU 2020",
            licence="MIT (library); the weights have the licences of their authors",
            url="https://github.com/serengil/deepface",
        ),
    )
    distance: Literal["cosine", "euclidean"] = "cosine"

    def __init__(self, *, model: str = "ArcFace", normalization: str = "base") -> None:
        self.model = choice("model", model, tuple(_MODELS))
        self.normalization = choice("normalization", normalization, _NORMALIZATIONS)
        known = _MODELS[model]
        if not known.file and normalization != "base":  # the library makes bytes of 0..1 for dlib
            raise ValueError(f"normalization must be base for {model}, got {normalization!r}")
        self.dimension = known.dimension
        self.customary_threshold = known.threshold
        source = self.meta.source
        licence = source.licence if known.file else "MIT (library), CC0-1.0 (weights)"
        self.meta = replace(
            self.meta,
            name=f"deepface.{known.name}",
            source=Source(f"{known.paper}; {source.citation}", licence, source.url),
            weights={} if known.file else {NETWORK_FILE: NETWORK_HASH},
        )
        self._network = known.network(model)

    def require(self) -> None:
        """Raise Unavailable when the library or weights are missing."""
        self._network.require()
        HAAR.require()

    def content_fingerprint(self) -> str:
        """Of the weights and of the library's version: part of the identity."""
        return digest(self._network.fingerprint(), HAAR.fingerprint())

    def weights_found(self) -> Mapping[str, str]:
        """File name -> SHA-256 of what is read, for the run's manifest."""
        return {**self._network.hashes(), **HAAR.hashes()}

    @cached_property
    def _client(self) -> Any:
        return self._network.build()

    @cached_property
    def _finder(self) -> Any:
        return HAAR.build()

    def embed(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Embedding | Failure]:
        """Embedding (dimension,) of one face per picture.

        A box that cannot be cut out gives a Failure (``too_small``, ``no_face``), and so does a vector that has
        no direction (``bad_output``).

        Raises:
            Unavailable: at the first call, when something is missing or the weights cannot be loaded.
        """
        size: tuple[int, int] = tuple(self._client.input_shape)
        found = describe_chips(self._vectors, images, faces, size=size, finder=self._finder)
        return [_with_direction(vector) for vector in found]

    def _vectors(self, chips: Chips) -> Iterator[Embedding]:
        from deepface.modules import preprocessing

        ready = [preprocessing.normalize_input(chip, self.normalization) for chip in chips]
        vectors = np.asarray(self._client.forward(np.stack(ready)), np.float32)
        return iter(vectors.reshape(len(chips), self.dimension))


def _with_direction(vector: Embedding | Failure) -> Embedding | Failure:
    if isinstance(vector, Failure) or (np.isfinite(vector).all() and vector.any()):
        return vector
    return Failure(Reason.BAD_OUTPUT, "the vector of a face must have finite numbers that are not all zero")
