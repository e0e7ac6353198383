"""Age, gender, race and expression of a face, by the networks of the ``deepface`` library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.fingerprint import digest
from unveil.core.protocols import Source
from unveil.core.roles import Kind, ModelMeta
from unveil.core.types import Face, Failure, Image, Value
from unveil.models.deepface_alignment import HAAR, Chips, describe_chips
from unveil.models.deepface_library import Network
from unveil.models.weights_records import DEEPFACE, find

_TASK = "facial_attribute"
_SIZE = (224, 224)


@dataclass(frozen=True, slots=True)
class _Known:
    """A network of the library.

    Attributes:
        model: as the library spells it.
        file: its weights.
        words: what the classes are called here, in their order; none where it gives a number.
    """

    model: str
    file: str
    words: tuple[str, ...] = ()

    @property
    def network(self) -> Network:
        locate = partial(find, DEEPFACE[self.file])
        return Network(_TASK, self.model, {self.file: locate})


_NETWORKS: Mapping[str, _Known] = {
    "age": _Known("Age", "age_model_weights.onnx"),
    "gender": _Known("Gender", "gender_model_weights.onnx", ("Female", "Male")),
    "race": _Known(
        "Race",
        "race_model_single_batch.onnx",
        ("Asian", "Indian", "Black", "White", "Middle Eastern", "Latino Hispanic"),
    ),
    "expression": _Known(
        "Emotion",
        "facial_expression_model_weights.onnx",
        ("angry", "disgust", "fear", "happy", "sad", "surprise", "neutral"),
    ),
}
"""Attribute -> its network."""


class DeepfaceEstimator:
    """Estimates ``age``, ``gender``, ``race`` and ``expression`` by DeepFace, and how sure it is of each word.

    The age is the expected value over 101 classes, in years. ``gender_confidence``, ``race_confidence`` and
    ``expression_confidence`` are the share of the class that is named, above 0 to 1. The face is the one of the
    attacker's detector, levelled and letter-boxed as for the recognizers of the library. Of the weights no hash is
    published, so the hashes of the files that are found are part of the identity.

    Args:
        attributes: which are estimated; only their weights are needed.

    Source: Serengil and Ozpinar, "HyperExtended LightFace: A Facial Attribute Analysis Framework", ICEET 2021.
    """

    meta = ModelMeta(
        name="deepface",
        version=1,
        role="estimator",
        source=Source(
            citation="Serengil, Ozpinar: HyperExtended LightFace: A Facial Attribute Analysis Framework, ICEET "
            "2021",
            licence="MIT (library); the weights have the licences of their authors",
            url="https://github.com/serengil/deepface",
        ),
    )

    def __init__(self, *, attributes: Sequence[str] = tuple(_NETWORKS)) -> None:
        names = (attributes,) if isinstance(attributes, str) else tuple(attributes)
        if not names or len(set(names)) < len(names) or set(names) - set(_NETWORKS):
            raise ValueError(f"attributes must be some of {', '.join(_NETWORKS)}, each once, got {attributes!r}")
        self.attributes = names
        self.kinds: Mapping[str, Kind] = {
            key: kind for name in names for key, kind in _kinds(name, bool(_NETWORKS[name].words)).items()
        }

    def require(self) -> None:
        """Raise Unavailable when the library or weights are missing."""
        for name in self.attributes:
            _NETWORKS[name].network.require()
        HAAR.require()

    def content_fingerprint(self) -> str:
        """Of the weights and of the library's version: part of the identity."""
        return digest(*(network.fingerprint() for network in self._networks()))

    def weights_found(self) -> Mapping[str, str]:
        """File name -> SHA-256 of what is read, for the run's manifest."""
        return {name: known for network in self._networks() for name, known in network.hashes().items()}

    def _networks(self) -> list[Network]:
        return [*(_NETWORKS[name].network for name in self.attributes), HAAR]

    @cached_property
    def _clients(self) -> Mapping[str, Any]:
        return {name: _NETWORKS[name].network.build() for name in self.attributes}

    @cached_property
    def _finder(self) -> Any:
        return HAAR.build()

    def estimate(self, images: Sequence[Image], faces: Sequence[Face]) -> list[Mapping[str, Value] | Failure]:
        """The attributes of one face per picture; a Failure for a box that cannot be cut out.

        Raises:
            Unavailable: at the first call, when something is missing or the weights cannot be loaded.
        """
        return describe_chips(self._attributes, images, faces, size=_SIZE, finder=self._finder)

    def _attributes(self, chips: Chips) -> list[Mapping[str, Value]]:
        values: list[dict[str, Value]] = [{} for _ in chips]
        for name, client in self._clients.items():
            told = np.asarray(client.predict(chips)).reshape(len(chips), -1)
            for value, row in zip(values, told, strict=True):
                value.update(_described(name, _NETWORKS[name].words, row))
        return [*values]


def _kinds(name: str, in_words: bool) -> dict[str, Kind]:
    return {name: "categorical", f"{name}_confidence": "confidence"} if in_words else {name: "numeric"}


def _described(name: str, words: Sequence[str], row: NDArray[np.floating]) -> dict[str, Value]:
    if not words:
        return {name: float(row.item())}
    return {name: words[int(row.argmax())], f"{name}_confidence": float(row.max() / row.sum())}
