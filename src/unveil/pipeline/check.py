"""The data doctor: what is wrong with a folder of originals, and with a folder of protected pictures beside it.

Looks at files only; opens no model. Every finding names the file or group, the rule and the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unveil.core.fingerprint import file_hash
from unveil.core.protocols import Dataset
from unveil.core.types import Failure
from unveil.datasets import index
from unveil.engine.progress import Progress, counting
from unveil.images import SUFFIXES, read_image
from unveil.methods.external import PictureFolder
from unveil.pipeline.check_scenes import scene_findings
from unveil.pipeline.finding import Finding, Severity


def check(
    dataset: Dataset, protected: Path | None, minimum_identities: int, cache: Path | None, progress: Progress
) -> tuple[dict[str, Any], list[Finding]]:
    """Examine a dataset.

    Args:
        dataset: the originals.
        protected: folder with protected pictures under the same relative paths, any picture suffix.
        minimum_identities: groups with fewer people get no verdict.
        cache: folder for the scan's result.
        progress: shows the steps.

    Returns:
        Counts, and findings with errors first.
    """
    with progress.step("reading originals", 0, "photos") as tell:
        table = index.scan(dataset, cache=cache, progress=counting(tell))
    frame = index.samples_frame(table)
    findings = [*_unreadable(frame), *_copies(frame)]
    if dataset.meta.has & {"labels", "objects"}:
        findings += scene_findings(frame, dataset)
    else:
        findings += _people(frame, dataset, minimum_identities)
    good = frame[frame["status"] == "ok"]
    counts = {
        "photos": len(frame),
        "readable": len(good),
        "identities": int(good.loc[good["identity"] != "", "identity"].nunique()),
    }
    if protected is not None:
        pictures = PictureFolder(protected, SUFFIXES)
        matched: set[str] = set()
        with progress.step("comparing with protected", len(good), "photos") as tell:
            for sample_id, row in good.iterrows():
                findings += _compare(dataset.root / str(sample_id), str(sample_id), row, pictures, matched)
                tell(1)
        counts["protected"] = len(matched)
        counts["missing"] = len(good) - len(matched)
        findings += _strays(protected, set(pictures.paths) - matched, set(good["content_hash"]))
    order = {"error": 0, "warning": 1, "note": 2}
    return counts, sorted(findings, key=lambda finding: order[finding.severity])


def _unreadable(frame: pd.DataFrame) -> Iterator[Finding]:
    for sample_id, row in frame[frame["status"] != "ok"].iterrows():
        yield Finding("warning", str(row["reason"]), str(sample_id), str(row["detail"]))


def _copies(frame: pd.DataFrame) -> Iterator[Finding]:
    good = frame[frame["status"] == "ok"]
    for _, copies in good[good.duplicated("content_hash", keep=False)].groupby("content_hash"):
        first, *others = copies.index
        people = sorted(set(copies["identity"]))
        if len(people) > 1:
            text = f"the same picture stands under {len(people)} identities: {', '.join(people)}"
            yield Finding("error", "same_picture_two_identities", str(first), text)
        else:
            yield Finding("warning", "same_picture_twice", str(first), f"also stored as {', '.join(others)}")


def _people(frame: pd.DataFrame, dataset: Dataset, minimum: int) -> Iterator[Finding]:
    good = frame[frame["status"] == "ok"]
    known = good[good["identity"] != ""]
    if known.empty:
        yield Finding(
            "warning", "no_identity", "dataset", "no photo has an identity: only detection can be measured"
        )
        return
    sizes = known.groupby("identity").size()
    if len(alone := sizes[sizes == 1]):
        names = ", ".join(map(str, alone.index[:5])) + (", ..." if len(alone) > 5 else "")
        text = f"{len(alone)} identities have one photo ({names}): no other photo to compare with, none to enrol"
        yield Finding("warning", "one_photo", "dataset", text)
    attributes = [name for name in dataset.meta.groupings if name in known]
    for attribute in attributes:
        if unknown := int((known[attribute] == "").sum()):
            yield Finding(
                "warning", "no_group", attribute, f"{unknown} photos have no {attribute}: left out of it"
            )
    if not attributes:
        yield Finding(
            "note", "no_demographics", "dataset", "no demographic attribute: fairness cannot be measured"
        )
        return
    for group, members in known[(known[attributes] != "").all(axis=1)].groupby(attributes):
        if (people := members["identity"].nunique()) < minimum:
            name = " ".join(map(str, group))
            text = f"{people} identities, fewer than {minimum}: too few for a fairness verdict"
            yield Finding("warning", "small_group", name, text)


def _compare(
    original: Path, sample_id: str, row: pd.Series, pictures: PictureFolder, matched: set[str]
) -> Iterator[Finding]:
    path = pictures.locate(sample_id)
    picture = pictures.read(sample_id)
    if path is not None:
        matched.add(path)
    if isinstance(picture, Failure):
        severity: Severity = "warning" if path is None else "error"
        detail = picture.detail.removeprefix(f"{sample_id}: ")
        yield Finding(severity, str(picture.reason), sample_id, f"protected picture: {detail}")
        return
    if _same_pixels(original, picture):
        yield Finding("error", "unprotected", sample_id, "the protected picture equals the original")
    if (picture == picture[0, 0]).all():
        value = tuple(int(v) for v in picture[0, 0])
        yield Finding("error", "constant", sample_id, f"every pixel of the protected picture is {value}")
    size = (picture.shape[1], picture.shape[0])
    if size != (row["width"], row["height"]):
        text = f"protected picture is {size[0]}x{size[1]}, the original {row['width']}x{row['height']}"
        yield Finding("warning", "other_size", sample_id, text)


def _same_pixels(original: Path, picture: np.ndarray) -> bool:
    before = read_image(original)
    return not isinstance(before, Failure) and before.shape == picture.shape and bool((before == picture).all())


def _strays(protected: Path, names: set[str], originals: set[str]) -> Iterator[Finding]:
    for name in sorted(names):
        if file_hash(protected / name) in originals:
            yield Finding("error", "renamed_original", name, "is an original under another name: not protected")
        else:
            yield Finding("warning", "stray", name, "belongs to no original: no original has this path")
