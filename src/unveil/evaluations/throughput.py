"""How many pictures does the method protect in a second?"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unveil.core.protocols import EvaluationMeta, SceneContext, Source
from unveil.core.types import Detections, Failure, Image, Pair, Protected, Reason
from unveil.core.validation import whole
from unveil.evaluations.pictures import of_test_split, table

Frame = tuple[Image, Detections]
"""A picture and the people in it."""


class Throughput:
    """The same few pictures with people are protected again and again, and the time is taken.

    Drawn from the test split and brought to each size, whatever their shape. Where people are is known
    beforehand and not timed; a method that does not ask for people gets any pictures. One row per timed repeat,
    after one that is not: it warms the caches up. A method that gives no picture for a frame has used its time
    all the same; one whose pictures were made elsewhere has none for any frame, and no speed.

    Args:
        sizes: width and height of the frames, in pixels.
        frames: pictures in one repeat, fewer where the test split has fewer with people.
        repeats: how often the time is taken.
    """

    meta = EvaluationMeta(
        name="throughput",
        version=1,
        dimension="practicality",
        unit="frame",
        roles=(),
        threat_models=("",),
        has=frozenset(),
        columns={
            "size": pa.string(),
            "frames": pa.int32(),
            "seconds": pa.float64(),
        },
        metrics=("frames_per_second",),
        source=Source("HR-VISPR, practicality: throughput (Equation 1, without its telescoping sum), Table 3"),
    )

    operating_points = ("",)

    def __init__(
        self, *, sizes: Sequence[Sequence[int]] = ((640, 480),), frames: int = 16, repeats: int = 5
    ) -> None:
        pairs = isinstance(sizes, list | tuple) and all(isinstance(s, list | tuple) and len(s) == 2 for s in sizes)
        if not pairs or not sizes:
            raise ValueError(f"sizes must be a list of at least one [width, height], got {sizes!r}")
        self.sizes = tuple((whole("sizes", width), whole("sizes", height)) for width, height in sizes)
        if len(set(self.sizes)) < len(sizes):
            raise ValueError(f"sizes must be different from each other, got {sizes!r}")
        self.frames = whole("frames", frames)
        self.repeats = whole("repeats", repeats)

    def units(
        self, samples: pd.DataFrame, threat_model: str, pairs: Sequence[Pair], rng: np.random.Generator
    ) -> pd.DataFrame:
        """Every size as often as it is repeated; no row is about one picture, so ``sample_id`` is empty."""
        repeats = [(w, h, n) for w, h in self.sizes for n in range(self.repeats)]
        planned = [(f"{w}x{h}#{n}", "", f"{w}x{h}") for w, h, n in repeats]
        return pd.DataFrame(planned, columns=["unit_id", "sample_id", "size"])

    def observe(self, units: pd.DataFrame, threat_model: str, context: SceneContext) -> pd.DataFrame:
        """``frames`` protected in one go, and the ``seconds`` of wall time that it took.

        Without such a picture there is nothing to protect, and without a picture from a method that only looks
        up what was made elsewhere (reason ``missing``) there is nothing to time: every row is an ``error``.
        """
        chosen = list(itertools.islice(self._frames(context), self.frames))
        nothing = Reason.NO_PERSON if context.finds_people else Reason.UNDECODABLE
        rows: list[dict[str, Any]] = []
        for size, repeats in units.groupby("size", sort=False):
            frames = [resized[str(size)] for resized in chosen]
            if frames and all(map(_missing, _protected(context, frames))):
                frames, nothing = [], Reason.MISSING
            for unit in repeats.to_dict("records"):
                seconds = _seconds(context, frames) if frames else math.nan
                state = {"status": "ok", "reason": ""} if frames else {"status": "error", "reason": str(nothing)}
                rows.append({**unit, **state, "frames": len(frames), "seconds": seconds})
        return table(rows, self.meta.columns)

    def _frames(self, context: SceneContext) -> Iterator[dict[str, Frame]]:
        """Pictures in every size, in the same order for each method; unreadable ones are passed over."""
        ids = of_test_split(context.samples)["sample_id"].to_numpy(object)
        for sample_id in context.rng("throughput").permutation(ids):
            (image,), (people,) = context.images("original", [sample_id]), context.people([sample_id])
            if isinstance(image, Failure) or isinstance(people, Failure):
                continue
            if len(people) or not context.finds_people:
                yield {f"{w}x{h}": _resize((image, people), (w, h)) for w, h in self.sizes}


def _seconds(context: SceneContext, frames: Sequence[Frame]) -> float:
    start = time.perf_counter()
    _protected(context, frames)
    return time.perf_counter() - start


def _protected(context: SceneContext, frames: Sequence[Frame]) -> Sequence[Image | Protected | Failure]:
    return context.protect([image for image, _ in frames], [people for _, people in frames])


def _missing(result: Image | Protected | Failure) -> bool:
    return isinstance(result, Failure) and result.reason is Reason.MISSING


def _resize(frame: Frame, size: tuple[int, int]) -> Frame:
    import cv2

    image, people = frame
    resized: Any = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return resized, resize_people(people, (image.shape[1], image.shape[0]), size)


def resize_people(people: Detections, before: tuple[int, int], after: tuple[int, int]) -> Detections:
    """People of a picture whose size changes: boxes, masks and keypoints move with it.

    Args:
        people: in pixels of the picture as it was.
        before, after: width and height of the picture.
    """
    import cv2

    scale = np.array(after, np.float32) / np.array(before, np.float32)
    masks = people.masks
    if masks is not None:
        planes = [cv2.resize(mask.astype(np.uint8), after, interpolation=cv2.INTER_NEAREST) for mask in masks]
        masks = np.array(planes, np.bool_).reshape(len(people), after[1], after[0])
    landmarks = None if people.landmarks is None else (people.landmarks * scale).astype(np.float32)
    return Detections(people.boxes * np.tile(scale, 2), people.scores, landmarks, people.labels, masks)
