"""The bundled scenes keep what their card promises."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from unveil.core.protocols import Entry
from unveil.core.scenes import CLASSES, LABELS, PERSON
from unveil.core.types import Detections
from unveil.datasets.samples import SampleScenes
from unveil.images import read_size

SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def scenes() -> SampleScenes:
    return SampleScenes()


@pytest.fixture(scope="module")
def entries(scenes: SampleScenes) -> list[Entry]:
    return list(scenes.entries())


@pytest.fixture(scope="module")
def objects(scenes: SampleScenes, entries: list[Entry]) -> list[Detections]:
    found = [scenes.objects(entry.path) for entry in entries]
    assert all(isinstance(each, Detections) for each in found)
    return found  # type: ignore[return-value]


def test_what_the_set_has(scenes: SampleScenes, entries: list[Entry]) -> None:
    has = {"objects", "masks", "keypoints", "labels", "splits", "demographics"}
    assert scenes.meta.has == has and scenes.meta.labels == LABELS
    assert scenes.meta.groupings == ("gender", "tone") and scenes.meta.source.licence
    listed = {file.relative_to(scenes.root).as_posix() for file in (scenes.root / "images").rglob("*.jpg")}
    assert {entry.path for entry in entries} == listed
    assert {read_size(scenes.root / entry.path) for entry in entries} == {(320, 240)}
    files = [file for file in scenes.root.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= 10_000_000


def test_every_label_can_be_learned_and_tested(entries: list[Entry]) -> None:
    for split in SPLITS:
        own = [entry for entry in entries if entry.split == split]
        shown = Counter(label for entry in own for label in entry.labels)
        constant = [label for label in LABELS if not 0 < shown[label] < len(own)]
        assert constant == [], split
        assert any(not entry.labels for entry in own), f"{split} has no safe picture"


def test_objects_agree_with_labels(entries: list[Entry], objects: list[Detections]) -> None:
    for entry, found in zip(entries, objects, strict=True):
        people = found.only(PERSON)
        assert bool(entry.labels) == bool(len(people)), entry.path
        assert bool(entry.attributes.get("gender")) == bool(len(people)), entry.path
        assert people.masks is not None and people.masks.any(axis=(1, 2)).all()
        for box, mask in zip(people.boxes, people.masks, strict=True):
            rows, columns = np.nonzero(mask)
            drawn = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
            assert np.abs(box - drawn).max() <= 2, entry.path
        assert people.landmarks is not None and (~np.isnan(people.landmarks[:, :, 0])).any(axis=1).all()
    names = Counter(name for found in objects for name in found.labels or ())
    assert set(names) == set(CLASSES)


@pytest.mark.parametrize("limit", [4, 9])
def test_a_limit_keeps_every_split_and_group(limit: int, entries: list[Entry]) -> None:
    kept = list(SampleScenes(limit=limit).entries())
    assert Counter(entry.split for entry in kept) == dict.fromkeys(SPLITS, limit)
    assert [entry for entry in entries if entry in kept] == kept
    for split in SPLITS:
        groups = Counter(tuple(e.attributes.values()) for e in kept if e.split == split)
        assert max(groups.values()) - min(groups.values()) <= 1


def test_the_files_are_where_the_package_is(scenes: SampleScenes) -> None:
    assert scenes.root.is_dir() and (scenes.root / "CARD.md").is_file() and isinstance(scenes.root, Path)
