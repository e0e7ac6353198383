"""ONNX graphs run by ONNX Runtime on the processor, one thread for each call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.core.errors import ConfigError
from unveil.models.weights import require_library

if TYPE_CHECKING:
    import onnxruntime

Floats = NDArray[np.float32]

_ERRORS_ONLY = 3
"""Level of ONNX Runtime's messages: insightface's graphs declare one row and give a batch, which it warns of."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph with one picture tensor as input; many threads may run it at the same time.

    Attributes:
        name: of its file.
        session: of ONNX Runtime.
    """

    name: str
    session: onnxruntime.InferenceSession

    @classmethod
    def read(cls, path: Path) -> Graph:
        """Load a file; what it refers to in other files is refused, because its identity is its own bytes.

        Raises:
            ConfigError: when it is no ONNX graph that can be run here; says why.
        """
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # every core takes pictures of its own
        options.log_severity_level = _ERRORS_ONLY
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", os.devnull)
        try:
            session = onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
        except refusals() as error:
            raise ConfigError(
                f"{path.name} is no ONNX graph in one file that can be run: {_line(error)}"
            ) from error
        return cls(path.name, session)

    def signature(self) -> str:
        """Names, shapes and types of inputs and outputs, for messages."""
        sides = (self.session.get_inputs(), self.session.get_outputs())
        inputs, outputs = (", ".join(f"{one.name} {one.shape} {one.type}" for one in side) for side in sides)
        return f"inputs: {inputs}; outputs: {outputs}"

    def unfit(self, rule: str) -> ConfigError:
        """The error that says which rule the graph breaks, and what it looks like."""
        return ConfigError(f"{self.name}: {rule}; it has {self.signature()}")

    def picture_input(self) -> tuple[str, Sequence[Any]]:
        """Name and shape of the only input; sizes that the graph leaves open are no numbers.

        Raises:
            ConfigError: when there is another number of inputs, or it is no float tensor of rank 4.
        """
        inputs = self.session.get_inputs()
        if len(inputs) != 1 or inputs[0].type != "tensor(float)" or len(inputs[0].shape) != 4:
            raise self.unfit("the graph must have one input, a float tensor of rank 4")
        return inputs[0].name, inputs[0].shape

    def run(self, batch: Floats) -> list[Floats]:
        """Every output for one batch.

        Raises:
            ConfigError: when the graph cannot compute it; says why.
        """
        name = self.session.get_inputs()[0].name
        try:
            return self.session.run(None, {name: np.ascontiguousarray(batch)})
        except refusals() as error:
            raise self.unfit(f"the graph refuses a batch of the shape {batch.shape}: {_line(error)}") from error


def require_runtime() -> None:
    """Raise Unavailable when ONNX Runtime is missing."""
    require_library("onnxruntime", distribution="onnxruntime")


def refusals() -> tuple[type[Exception], ...]:
    """What ONNX Runtime raises about graphs and their inputs: these errors have no base of their own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoModel,
        state.NotImplemented,
        state.RuntimeException,
    )


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
