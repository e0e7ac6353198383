"""How fast the attribute estimators are: ``python benchmarks/attributes.py``.

The bundled sample faces are repeated until there are enough. Faces are found before the clock starts; the first
call, which loads the networks, is timed for itself.
"""

from __future__ import annotations

import argparse
import os
import time
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import torch

import unveil
from unveil import registry
from unveil.core.types import Face, Failure, Image
from unveil.images import read_image

SAMPLES = Path(unveil.__file__).parent / "datasets" / "data" / "sample_faces"
ESTIMATORS = ("age_gender", "face_landmarker")
DIFFERENT = 200
"""Pictures among those that are measured; the others repeat them."""


def sample_faces() -> list[tuple[Image, Face]]:
    """Pictures of the bundled set, each with its largest face."""
    pictures = [read_image(path) for path in sorted(SAMPLES.rglob("*.jpg"))[:DIFFERENT]]
    images = [picture for picture in pictures if isinstance(picture, np.ndarray)]
    detected = registry.build("models", "detector:mtcnn").detect(images)
    both = zip(images, detected, strict=True)
    return [(image, found.face(found.largest())) for image, found in both if len(found)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faces", type=int, default=1000, help="default: %(default)s")
    parser.add_argument("--estimators", nargs="+", default=ESTIMATORS, help="registered names")
    options = parser.parse_args()
    faces = list(islice(cycle(sample_faces()), options.faces))
    images, places = [image for image, _ in faces], [face for _, face in faces]
    print(
        f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, {len(faces)} faces, {images[0].shape} pixels"
    )
    for name in options.estimators:
        estimator = registry.build("models", f"estimator:{name}")
        start = time.perf_counter()
        estimator.estimate(images[:1], places[:1])
        loaded = time.perf_counter()
        found = estimator.estimate(images, places)
        seconds = time.perf_counter() - loaded
        told = sum(not isinstance(values, Failure) for values in found)
        print(
            f"{name:16} {seconds:6.2f} s, {1e3 * seconds / len(faces):5.2f} ms per face, {told} told; "
            f"first call {loaded - start:.2f} s"
        )


if __name__ == "__main__":
    main()
