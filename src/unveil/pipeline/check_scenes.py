"""The data doctor for scenes: labels that nothing can be learnt of, broken annotations, missing splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import cast

import pandas as pd

from unveil.core.protocols import AnnotatedDataset, Dataset
from unveil.core.scenes import CLASSES, PERSON
from unveil.core.types import Failure
from unveil.pipeline.finding import Finding

_SPLITS = ("train", "validation", "test")


def scene_findings(frame: pd.DataFrame, dataset: Dataset) -> Iterator[Finding]:
    """What is wrong with the labels, boxes and masks of a dataset.

    Args:
        frame: its samples with ``status``, ``split`` and ``labels``.
        dataset: whose annotations are looked at, picture by picture.
    """
    good = frame[frame["status"] == "ok"]
    if "splits" in dataset.meta.has:
        for split in _SPLITS:
            if not (good["split"] == split).any():
                yield Finding("warning", "empty_split", split, "no picture: nothing can be trained and measured")
    if "labels" in dataset.meta.has:
        yield from _labels(good, dataset.meta.labels)
    if "objects" in dataset.meta.has:
        yield from _objects(good, cast("AnnotatedDataset", dataset))


def _labels(good: pd.DataFrame, labels: tuple[str, ...]) -> Iterator[Finding]:
    for split, pictures in good.groupby("split"):
        positive = Counter(label for shown in pictures["labels"] for label in shown)
        for label in labels:
            if positive[label] in (0, len(pictures)):
                what = "never" if not positive[label] else "always"
                rule = "its average precision is undefined, so it is left out of cMAP and counted"
                text = f"{what} positive in {len(pictures)} pictures of split {str(split)!r}: {rule}"
                yield Finding("warning", f"label_{what}_positive", label, text)


def _objects(good: pd.DataFrame, dataset: AnnotatedDataset) -> Iterator[Finding]:
    pictures, empty = Counter[str](), 0
    for sample_id in good.index:
        found = dataset.objects(str(sample_id))
        if isinstance(found, Failure):
            yield Finding("error", str(found.reason), str(sample_id), found.detail)
            continue
        shown = set(found.labels or ())
        pictures.update(shown)
        empty += PERSON not in shown
    for label in CLASSES:
        if not pictures[label]:
            text = f"in none of {len(good)} pictures: nothing can be said about finding it"
            yield Finding("warning", "class_missing", label, text)
    if empty:
        yield Finding("note", "nobody", "dataset", f"{empty} of {len(good)} pictures show nobody")
