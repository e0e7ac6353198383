"""The weights file of a component: the known one, or another one that a person names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unveil.core.errors import Unavailable
from unveil.models.weights_records import WeightsRecord, find, hash_of


@dataclass(frozen=True, slots=True)
class ModelFile:
    """Where the weights are.

    Attributes:
        path: a file that a person names, or ``""``.
        record: of the known file, used where no path is given; None where there is none.

    Raises:
        ValueError: when the path is no text.
    """

    path: str
    record: WeightsRecord | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.path, str):
            raise ValueError(f"path must be a text, got {self.path!r}")

    @property
    def weights(self) -> Mapping[str, str]:
        """File name -> SHA-256 as far as it is known beforehand, for the component's metadata."""
        return {} if self.path or not self.record else {self.record.name: self.record.sha256}

    def locate(self) -> Path:
        """The file.

        Raises:
            Unavailable: when it is missing, or not the known one, with what to do.
        """
        if self.record and not self.path:
            return find(self.record)
        if not Path(self.path).is_file():
            lack = f"there is no file {self.path!r}" if self.path else "no file is given"
            raise Unavailable(f"{lack}; name the model's ONNX file in the parameter 'path'")
        return Path(self.path)

    def hashes(self) -> dict[str, str]:
        """File name -> SHA-256 of the file that is used."""
        return {self.locate().name: self.fingerprint()}

    def fingerprint(self) -> str:
        """SHA-256 (hex) of the file, so that the same model is the same wherever it lies."""
        return self.record.sha256 if self.record and not self.path else hash_of(self.locate())
