"""The promises of a dataset."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

from unveil.core.protocols import DatasetMeta, Entry
from unveil.core.scenes import KEYPOINTS
from unveil.core.types import Failure, Pair
from unveil.images import read_image
from unveil.testing.rules import check_documented, check_meta, check_parameters, expect

_CAPABILITIES = frozenset(
    {"identity", "demographics", "pairs", "labels", "objects", "masks", "keypoints", "splits"}
)


def check_dataset(dataset: Any) -> None:
    """Check a dataset over the files that it finds.

    Its entries must stand in a stable order, each once, below the root; what its metadata promises
    (identities, groupings, pairs, labels, splits, objects) must be there.

    Args:
        dataset: an instance whose folder has its layout; a small one will do.

    Raises:
        AssertionError: says which promise is broken.
        DataError: raised by the dataset itself when the folder does not have its layout.
    """
    check_documented(dataset)
    check_parameters(dataset)
    meta = check_meta(dataset, DatasetMeta)
    unknown = sorted(meta.has - _CAPABILITIES)
    expect(not unknown, dataset, f"meta.has may name {', '.join(sorted(_CAPABILITIES))}, not {unknown}")
    root = dataset.root
    expect(isinstance(root, Path) and root.is_dir(), dataset, f"root must be the path of a folder, not {root!r}")
    entries = list(dataset.entries())
    expect(bool(entries), dataset, "has no entries")
    expect(entries == list(dataset.entries()), dataset, "entries must come in the same order every time")
    paths = [entry.path for entry in entries]
    expect(len(set(paths)) == len(paths), dataset, "every picture is an entry once")
    for entry in entries:
        _check_entry(dataset, root, entry)
    _check_promises(dataset, meta, entries)
    _check_scenes(dataset, meta, entries)
    readable = any(not isinstance(read_image(root / path), Failure) for path in paths[:10])
    expect(readable, dataset, f"none of its first {min(10, len(paths))} files is a picture")


def _check_entry(dataset: Any, root: Path, entry: Entry) -> None:
    path = PurePosixPath(entry.path)
    inside = not path.is_absolute() and ".." not in path.parts and "\\" not in entry.path
    expect(inside, dataset, f"{entry.path!r}: paths are relative to the root, with '/', and never leave it")
    expect((root / entry.path).is_file(), dataset, f"{entry.path!r}: there is no such file")
    texts = [entry.identity, entry.split, entry.annotation, *entry.attributes, *entry.attributes.values()]
    plain = all(isinstance(text, str) for text in texts)
    expect(plain, dataset, f"{entry.path!r}: identity, split and attributes are text, '' where unknown")
    unknown = sorted(entry.labels - {*dataset.meta.labels})
    expect(not unknown, dataset, f"{entry.path!r}: meta.labels does not name {unknown}")


def _check_scenes(dataset: Any, meta: DatasetMeta, entries: list[Entry]) -> None:
    """What datasets of scenes promise besides: labels, splits, and objects that fit their pictures."""
    expect(
        bool(meta.labels) == ("labels" in meta.has), dataset, "meta.has names 'labels' exactly with meta.labels"
    )
    splits = {entry.split for entry in entries} >= {"train", "validation", "test"}
    expect(splits or "splits" not in meta.has, dataset, "'splits' in meta.has promises train, validation and test")
    expect("objects" in meta.has or not meta.has & {"masks", "keypoints"}, dataset, "masks belong to objects")
    for entry in entries[:10] if "objects" in meta.has else []:
        found, image = dataset.objects(entry.path), read_image(dataset.root / entry.path)
        if isinstance(found, Failure) or isinstance(image, Failure):
            continue
        said = f"{entry.path!r}: objects must have"
        expect(found.boxes.shape == (len(found), 4), dataset, f"{said} boxes (n, 4), not {found.boxes.shape}")
        expect(found.labels is not None and len(found.labels) == len(found), dataset, f"{said} a label each")
        if "masks" in meta.has:
            masks = None if found.masks is None else found.masks.shape
            expect(masks == (len(found), *image.shape[:2]), dataset, f"{said} masks of the picture, not {masks}")
        if "keypoints" in meta.has:
            marks = None if found.landmarks is None else found.landmarks.shape
            expect(marks == (len(found), len(KEYPOINTS), 2), dataset, f"{said} 17 keypoints, not {marks}")


def _check_promises(dataset: Any, meta: DatasetMeta, entries: list[Entry]) -> None:
    named = any(entry.identity for entry in entries)
    expect(named == ("identity" in meta.has), dataset, "meta.has names 'identity' exactly when people are known")
    known = {name for entry in entries for name in entry.attributes}
    missing = sorted(set(meta.groupings) - known)
    expect(not missing, dataset, f"no entry has {missing}, which meta.groupings names")
    divided = bool(meta.groupings)
    expect(
        divided == ("demographics" in meta.has), dataset, "'demographics' is in meta.has when there are groupings"
    )
    pairs = dataset.pairs()
    expect(bool(pairs) == ("pairs" in meta.has), dataset, "meta.has names 'pairs' exactly when it prescribes some")
    ids = {entry.path for entry in entries}
    for pair in pairs:
        right = isinstance(pair, Pair) and pair.left in ids and pair.right in ids
        expect(right, dataset, f"{pair}: pairs name the paths of entries")
