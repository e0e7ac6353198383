"""How fast the dlib recognizer is in PyTorch, against dlib's own code: ``python benchmarks/embedding.py``.

Both see the same face chips of the bundled sample faces, in turns, in one process; the medians are printed. The
ratio depends on the machine's cores, as dlib uses one of them, and on what else runs on it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import dlib
import numpy as np
import torch
from numpy.typing import NDArray

import unveil
from unveil.core.types import Face, Image
from unveil.images import read_image
from unveil.models.dlib_recognizer import NETWORK_FILE, DlibRecognizer
from unveil.models.mtcnn import Mtcnn
from unveil.models.parallel import fair_share, on_every_core

SAMPLES = Path(unveil.__file__).parent / "datasets" / "data" / "sample_faces"
CHIPS_PER_PASS = 32


def sample_faces(count: int) -> tuple[list[Image], list[Face]]:
    """Pictures of the bundled set, each with its largest face."""
    images: list[Image] = []
    faces: list[Face] = []
    detector = Mtcnn()
    for path in sorted(SAMPLES.rglob("*.jpg")):
        image = read_image(path)
        if isinstance(image, np.ndarray) and len(found := detector.detect([image])[0]):
            images.append(image)
            faces.append(found.face(found.largest()))
        if len(images) == count:
            break
    return images, faces


def dlib_network() -> dlib.face_recognition_model_v1:
    """The implementation in dlib, from the same weights file."""
    spec = importlib.util.find_spec("face_recognition_models")
    assert spec is not None and spec.submodule_search_locations is not None
    return dlib.face_recognition_model_v1(str(Path(spec.submodule_search_locations[0], "models", NETWORK_FILE)))


def ours(recognizer: DlibRecognizer, chips: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Embeddings of chips by the PyTorch network, as ``embed`` computes them."""
    network = recognizer.module()
    pixels = torch.from_numpy(chips).permute(0, 3, 1, 2).float()
    parts = pixels.split(min(CHIPS_PER_PASS, fair_share(len(chips))))
    return torch.cat(on_every_core(lambda part: network(recognizer.preprocess(part)), parts)).numpy()


def milliseconds(call: Callable[[], object], faces: int) -> float:
    """Time of one call per face."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3 / faces


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faces", type=int, default=64, help="faces per round (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, both in turns (default: %(default)s)")
    parser.add_argument(
        "--threads", type=int, default=torch.get_num_threads(), help="PyTorch's (default: %(default)s)"
    )
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    images, faces = sample_faces(options.faces)
    recognizer, reference = DlibRecognizer(), dlib_network()
    chips = recognizer.chips(images, faces)
    difference = np.abs(ours(recognizer, chips) - np.array(reference.compute_face_descriptor(list(chips)))).max()
    rows = []
    for _ in range(options.rounds):
        rows.append(
            (
                milliseconds(lambda: ours(recognizer, chips), len(chips)),
                milliseconds(lambda: [reference.compute_face_descriptor(chip) for chip in chips], len(chips)),
                milliseconds(lambda: recognizer.chips(images, faces), len(chips)),
            )
        )
    network, theirs, alignment = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(f"{len(chips)} faces, median of {options.rounds} rounds; greatest difference {difference:.1e}")
    print(f"network, PyTorch   {network:8.2f} ms per face")
    print(f"network, dlib      {theirs:8.2f} ms per face")
    print(f"alignment (both)   {alignment:8.2f} ms per face")
    print(f"ratio of networks  {theirs / network:8.1f}")
    print(f"ratio with alignment {(theirs + alignment) / (network + alignment):6.1f}")


if __name__ == "__main__":
    main()
