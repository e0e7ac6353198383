"""Frames per second of the classical methods on people and pictures: ``python benchmarks/people_methods.py``.

The frames are drawn, with four people each, half of the frame's height and more; masks and keypoints are given, as
finding people is not the method's work. One warm-up, then the median over rounds of all frames in one batch.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from unveil import registry
from unveil.core.fingerprint import rng
from unveil.core.scenes import KEYPOINTS, PERSON
from unveil.core.types import Detections, Failure, Image, Sample

METHODS = (
    "pixelation", "blur.gaussian", "blur.box", "mask", "gaussian_noise", "embossing", "encryption",
    "pixelation.person", "blur.gaussian.person", "blur.box.person", "mask.person", "gaussian_noise.person",
    "embossing.person", "mask.person.inpaint", "encryption.person", "avatar_2d.person", "low_resolution",
    "low_resolution.lanczos", "low_resolution.person",
)  # fmt: skip
PEOPLE = 4
_X = (0.5, 0.54, 0.46, 0.58, 0.42, 0.72, 0.28, 0.8, 0.2, 0.8, 0.2, 0.62, 0.38, 0.64, 0.36, 0.66, 0.34)
_Y = (0.09, 0.07, 0.07, 0.08, 0.08, 0.2, 0.2, 0.36, 0.36, 0.5, 0.5, 0.52, 0.52, 0.74, 0.74, 0.95, 0.95)
POSE = dict(zip(KEYPOINTS, zip(_X, _Y, strict=True), strict=True))
"""Somebody who stands upright, in shares of the box."""


def frame(number: int, width: int, height: int) -> tuple[Image, Detections]:
    """A picture with soft noise, and people in it."""
    stream = rng("frame", number)
    coarse = stream.integers(0, 256, (height // 20, width // 20, 3), np.uint8)
    image = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    image = cv2.add(image, stream.integers(0, 30, image.shape, np.uint8))
    boxes, masks, points = [], np.zeros((PEOPLE, height, width), np.uint8), []
    for person in range(PEOPLE):
        high, wide = height * stream.uniform(0.6, 0.8), width * stream.uniform(0.15, 0.2)
        left, top = person * width / PEOPLE + 0.02 * width, stream.uniform(0.1, 0.2) * height
        centre = (round(left + wide / 2), round(top + high / 2))
        cv2.ellipse(masks[person], centre, (round(wide / 2), round(high / 2)), 0, 0, 360, 1, cv2.FILLED)
        boxes.append((left, top, left + wide, top + high))
        points.append(np.array(list(POSE.values())) * (wide, high) + (left, top))
    scores = np.ones(PEOPLE, np.float32)
    marks = np.asarray(points, np.float32)
    people = Detections(np.asarray(boxes, np.float32), scores, marks, (PERSON,) * PEOPLE, masks.astype(bool))
    return image, people


@dataclass(frozen=True, slots=True)
class Context:
    """Samples and people of one batch (:class:`unveil.core.protocols.ProtectionContext`)."""

    samples: Sequence[Sample]
    found: list[Detections | Failure]
    root: Path = Path()

    def rng(self, sample: Sample) -> np.random.Generator:
        """Random stream of one frame."""
        return rng("benchmark", sample.id)

    def detect(self, images: Sequence[Image]) -> list[Detections]:
        """No faces: no method of this benchmark asks."""
        return [Detections.empty() for _ in images]

    def people(self, images: Sequence[Image]) -> list[Detections | Failure]:
        """Who was drawn."""
        return self.found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="640x480", help="width and height (default: %(default)s)")
    parser.add_argument("--frames", type=int, default=16, help="frames in a batch (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="timed batches (default: %(default)s)")
    parser.add_argument("--methods", nargs="*", default=METHODS, help="registered names (default: the classical)")
    options = parser.parse_args()
    width, height = (int(part) for part in options.size.split("x"))
    images, people = zip(*(frame(n, width, height) for n in range(options.frames)), strict=True)
    samples = [Sample(f"{n}.png", "drawn", f"{n:064x}", width=width, height=height) for n in range(len(images))]
    context = Context(samples, list(people))
    covered = np.mean([found.masks.any(axis=0).mean() for found in people])
    print(f"{os.cpu_count()} cores, OpenCV {cv2.__version__} with {cv2.getNumThreads()} threads")
    print(f"{len(images)} frames of {width}x{height}, {covered:.0%} people; median of {options.rounds} rounds")
    for name in options.methods:
        given = {"key": "0f" * 16} if name.startswith("encryption") else {}
        method = registry.build("methods", name, given)
        method.protect(images, context)
        seconds = []
        for _ in range(options.rounds):
            start = time.perf_counter()
            method.protect(images, context)
            seconds.append(time.perf_counter() - start)
        print(f"{name:24} {len(images) / statistics.median(seconds):8.0f} frames per second")


if __name__ == "__main__":
    main()
