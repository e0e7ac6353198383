"""Small ONNX graphs with the inputs and outputs of real face models, made on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Shape = Sequence[int | str]

BOXES = ((1, 2, 3, 4), (0.5, 0.5, 1, 1))
"""Distances of left, top, right and bottom edge, in strides, of the two anchors of :func:`scrfd`."""

POINTS = (tuple(range(10)), tuple(range(10, 20)))
"""Offsets of five key points, x and y in turn, in strides, of the two anchors."""


def save(
    path: Path, nodes: Sequence[Any], inputs: dict[str, Shape], outputs: dict[str, Shape], **constants: Any
) -> Path:
    """Write a graph of float tensors; constants become initialisers."""
    tensors = [
        numpy_helper.from_array(
            np.asarray(value, np.int64 if np.asarray(value).dtype.kind == "i" else np.float32), name
        )
        for name, value in constants.items()
    ]
    sides = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side.items()]
        for side in (inputs, outputs)
    ]
    graph = helper.make_graph(list(nodes), "test", *sides, initializer=tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def pooled(
    path: Path,
    *,
    side: int | str = 112,
    count: int | str = "n",
    cells: int = 4,
    last: bool = False,
    norm: bool = False,
    pool: int = 28,
) -> Path:
    """An embedding that a test can compute: means over ``cells`` x ``cells`` squares, colour by colour.

    Args:
        path: of the file.
        side: of its input in pixels, or a name for any.
        count: its batch size, or a name for any.
        cells: squares per side.
        last: the colours come last in the input.
        norm: a second output with one number per picture, as AdaFace has.
        pool: side of a square in pixels.
    """
    nodes = [
        helper.make_node("Transpose", ["x"], ["first"], perm=(0, 3, 1, 2) if last else (0, 1, 2, 3)),
        helper.make_node("AveragePool", ["first"], ["mean"], kernel_shape=(pool, pool), strides=(pool, pool)),
        helper.make_node("Flatten", ["mean"], ["embedding"]),
    ]
    outputs: dict[str, Shape] = {"embedding": (count, 3 * cells * cells)}
    if norm:
        nodes.append(helper.make_node("ReduceL2", ["embedding"], ["norm"], axes=[1]))
        outputs["norm"] = (count, 1)
    return save(path, nodes, {"x": (count, side, side, 3) if last else (count, 3, side, side)}, outputs)


def random_network(
    path: Path, dimension: int, *, count: int | str = "n", declared: int | str = "n", side: int | str = 112
) -> Path:
    """A convolution and a matrix with random weights: aligned faces (n, 3, 112, 112) -> (n, dimension).

    ``declared`` is the batch size that stands at the output: insightface's graphs say 1 there and give a batch.
    ``side`` stands at the input, and may be a name although 112 pixels it must be.
    """
    random = np.random.default_rng(0)
    nodes = [
        helper.make_node("Conv", ["x", "kernel"], ["map"], kernel_shape=(16, 16), strides=(16, 16)),
        helper.make_node("Relu", ["map"], ["active"]),
        helper.make_node("Flatten", ["active"], ["flat"]),
        helper.make_node("Gemm", ["flat", "matrix"], ["embedding"]),
    ]
    kernel, matrix = random.normal(0, 0.05, (8, 3, 16, 16)), random.normal(0, 0.1, (8 * 7 * 7, dimension))
    sides: tuple[dict[str, Shape], dict[str, Shape]] = (
        {"x": (count, 3, side, side)},
        {"embedding": (declared, dimension)},
    )
    return save(path, nodes, *sides, kernel=kernel, matrix=matrix)


def scrfd(path: Path, *, key_points: bool = True, batched: bool = False, side: int | str = "side") -> Path:
    """A detector that sees red (first anchor) and blue (second anchor): the score is the mean of the colour.

    Every box and key point lies at :data:`BOXES` and :data:`POINTS`, in strides, about the cell.
    """
    nodes = [helper.make_node("Conv", ["x", "colours"], ["two"], kernel_shape=(1, 1))]
    constants: dict[str, Any] = {
        "colours": np.array([[1, 0, 0], [0, 0, 1]], float).reshape(2, 3, 1, 1),
        "zero": 0.0,
        "pairs": [-1, 2, 1],
    }
    parts = {"score": (1, None), "box": (4, BOXES), "point": (10, POINTS)}
    names = list(parts)[: 3 if key_points else 2]
    for name in names:
        width, rows = parts[name]
        constants[f"{name}_shape"] = [1, -1, width] if batched else [-1, width]
        if rows is not None:
            constants[f"{name}_rows"] = np.array(rows, float)[None]
    for stride in (8, 16, 32):
        window = {"kernel_shape": (stride, stride), "strides": (stride, stride)}
        nodes += [
            helper.make_node("AveragePool", ["two"], [f"mean{stride}"], **window),
            helper.make_node("Transpose", [f"mean{stride}"], [f"last{stride}"], perm=(0, 2, 3, 1)),
            helper.make_node("Reshape", [f"last{stride}", "pairs"], [f"rows{stride}"]),
            helper.make_node("Mul", [f"rows{stride}", "zero"], [f"nothing{stride}"]),
            helper.make_node("Reshape", [f"rows{stride}", "score_shape"], [f"score_{stride}"]),
        ]
        for name in names[1:]:
            nodes += [
                helper.make_node("Add", [f"nothing{stride}", f"{name}_rows"], [f"{name}s{stride}"]),
                helper.make_node("Reshape", [f"{name}s{stride}", f"{name}_shape"], [f"{name}_{stride}"]),
            ]
    outputs: dict[str, Shape] = {
        f"{name}_{stride}": (1, f"n{stride}", parts[name][0]) if batched else (f"n{stride}", parts[name][0])
        for name in names
        for stride in (8, 16, 32)
    }
    return save(path, nodes, {"x": (1, 3, side, side)}, outputs, **constants)
