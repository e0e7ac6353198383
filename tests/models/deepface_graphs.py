"""Small networks under the names, with the inputs and outputs, that the deepface library expects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import helper

from .graphs import save

Floats = NDArray[np.float32]

POOL = 16

RECOGNIZERS = {  # model -> file, height, width and length, all as the library has them
    "ArcFace": ("arcface_weights.onnx", 112, 112, 512),
    "Facenet": ("facenet_weights.onnx", 160, 160, 128),
    "VGG-Face": ("vgg_face_weights.onnx", 224, 224, 4096),
    "OpenFace": ("openface_weights.onnx", 96, 96, 128),
    "DeepFace": ("VGGFace2_DeepFace_weights_val-0.9034.onnx", 152, 152, 4096),
    "DeepID": ("deepid_weights.onnx", 55, 47, 160),
}

ATTRIBUTES = {  # attribute -> file, side, channels and classes
    "age": ("age_model_weights.onnx", 224, 3, 101),
    "gender": ("gender_model_weights.onnx", 224, 3, 2),
    "race": ("race_model_single_batch.onnx", 224, 3, 6),
    "expression": ("facial_expression_model_weights.onnx", 48, 1, 7),
}


def put_recognizer(folder: Path, model: str, seed: int = 0) -> Floats:
    """Write a random recognizer, and return its weights (means of squares, length)."""
    file, height, width, length = RECOGNIZERS[model]
    weights = draw(seed, height, width, 3, length)
    _put(folder / file, height, width, 3, weights, last="Identity")
    return weights


def put_attribute(folder: Path, name: str, weights: Floats | None = None) -> None:
    """Write a network of one attribute, random or with given weights (means of squares, classes)."""
    file, side, channels, classes = ATTRIBUTES[name]
    weights = draw(1, side, side, channels, classes) if weights is None else weights
    _put(folder / file, side, side, channels, weights, last="Softmax")


def draw(seed: int, height: int, width: int, channels: int, outputs: int) -> Floats:
    length = (height // POOL) * (width // POOL) * channels
    return np.random.default_rng(seed).standard_normal((length, outputs)).astype(np.float32)


def means(chips: Floats) -> Floats:
    """What a network sees of chips (n, height, width, channels): means of squares (n, length)."""
    n, height, width, channels = chips.shape
    rows, columns = height // POOL, width // POOL
    cut = chips[:, : rows * POOL, : columns * POOL].reshape(n, rows, POOL, columns, POOL, channels)
    return cut.mean(axis=(2, 4)).transpose(0, 3, 1, 2).reshape(n, -1)


def _put(path: Path, height: int, width: int, channels: int, weights: Floats, *, last: str) -> None:
    nodes = [
        helper.make_node("Transpose", ["x"], ["first"], perm=(0, 3, 1, 2)),
        helper.make_node("AveragePool", ["first"], ["mean"], kernel_shape=(POOL, POOL), strides=(POOL, POOL)),
        helper.make_node("Flatten", ["mean"], ["flat"]),
        helper.make_node("MatMul", ["flat", "matrix"], ["sum"]),
        helper.make_node(last, ["sum"], ["y"]),
    ]
    save(path, nodes, {"x": ("n", height, width, channels)}, {"y": ("n", weights.shape[1])}, matrix=weights)


def put_retinaface(folder: Path, colour: int = 0) -> None:
    """Write a detector that sees a face of 16 strides wherever a square of 32 pixels is red, or of another colour.

    The library gives it RGB in 0..255. Nine outputs, of strides 32, 16 and 8: scores, boxes, landmarks.
    """
    kernels = {"score": np.zeros((4, 3)), "box": np.zeros((8, 3)), "mark": np.zeros((20, 3))}
    kernels["score"][2] = (2 * np.eye(3)[colour] - 1) / 255  # that there is a face, by the first anchor
    nodes, outputs = [helper.make_node("Transpose", ["x"], ["first"], perm=(0, 3, 1, 2))], {}
    for stride in (32, 16, 8):
        window = {"kernel_shape": (stride, stride), "strides": (stride, stride)}
        nodes.append(helper.make_node("AveragePool", ["first"], [f"mean{stride}"], **window))
        for name, kernel in kernels.items():
            weights = name if stride == 32 or name != "score" else "nothing"
            nodes += [
                helper.make_node("Conv", [f"mean{stride}", weights], [f"{name}{stride}"], kernel_shape=(1, 1)),
                helper.make_node("Transpose", [f"{name}{stride}"], [f"{name}_{stride}"], perm=(0, 2, 3, 1)),
            ]
            outputs[f"{name}_{stride}"] = ("n", f"h{stride}", f"w{stride}", len(kernel))
    constants = {name: kernel[:, :, None, None] for name, kernel in kernels.items()}
    nothing = np.zeros((4, 3, 1, 1))
    save(folder / "retinaface.onnx", nodes, {"x": ("n", "h", "w", 3)}, outputs, nothing=nothing, **constants)
