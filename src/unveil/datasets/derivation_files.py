"""Files around the derivation of HR-VISPR: VISPR's annotations in, labels and a report out."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from unveil.core.errors import DataError, StoreError
from unveil.core.scenes import LABELS
from unveil.datasets.derive_hr_vispr import SAFE_PICTURES, Derivation, Step
from unveil.datasets.hr_vispr_mapping import CLOTHING
from unveil.datasets.scene_labels import check_labels
from unveil.datasets.vispr import SPLITS, read_annotations
from unveil.datasets.vispr_attributes import ATTRIBUTES

PUBLISHED: Mapping[str, int] = {"train": 7110, "validation": 1000, "test": 2000}
"""Pictures of people in HR-VISPR (7.11k, 1k, 2k); 788 safe ones are used in training besides. A later
description of its files counts 7,387, 1,000 and 2,000."""

_COLUMNS = ["split", "id", "labels"]


def read_source(source: Path) -> dict[tuple[str, str], frozenset[str]]:
    """(VISPR's split, picture's id) -> attributes.

    Args:
        source: VISPR's folder with ``annotations`` in it, or a table (``.csv`` or ``.csv.gz``) with the columns
            ``split``, ``id`` and ``labels``, which have bars between them.

    Raises:
        DataError: when it is neither; names line and value.
    """
    if source.is_dir():
        return read_annotations(source)
    found: dict[tuple[str, str], frozenset[str]] = {}
    for line, fields in _lines(source):
        where = f"{source.name} line {line}"
        if line == 1:
            if fields != _COLUMNS:
                raise DataError(f"{where}: expected the columns {', '.join(_COLUMNS)}, found {', '.join(fields)}")
            continue
        if len(fields) != len(_COLUMNS) or fields[0] not in SPLITS:
            raise DataError(
                f"{where}: expected one of {', '.join(SPLITS)}, an id and labels, found {fields!r:.60}"
            )
        split, name, labels = fields
        if (split, name) in found:
            raise DataError(f"{where}: the picture {name!r} of {split} stands twice")
        found[split, name] = check_labels(labels.split("|") if labels else [], ATTRIBUTES, where)
    if not found:
        raise DataError(f"{source.name}: no pictures")
    return found


def _lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    opener = gzip.open if file.suffix == ".gz" else open
    try:
        with opener(file, "rt", encoding="utf-8", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            for fields in reader:
                yield reader.line_num, fields
    except (OSError, EOFError) as error:
        raise DataError(f"{file}: {getattr(error, 'strerror', None) or error}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file.name}: {error}") from error


def write_derivation(derivation: Derivation, output: Path, above: str) -> None:
    """Write ``labels.csv`` (file, split, labels), ``report.json`` and ``report.md``.

    Args:
        derivation: the result.
        output: folder; made if it is not there.
        above: folder of VISPR's split folders, relative to the root of the pictures: ``images/`` or empty.

    Raises:
        StoreError: when the folder cannot be written.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
        with (output / "labels.csv").open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(["file", "split", "labels"])
            for row in derivation.rows:
                labels = "|".join(label for label in LABELS if label in row.attributes)
                table.writerow([f"{above}{row.folder}/{row.id}.jpg", row.split, labels])
        report = {
            "steps": [asdict(step) for step in derivation.steps],
            "published": {**PUBLISHED, "safe": SAFE_PICTURES},
            "notes": notes(derivation),
        }
        (output / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        (output / "report.md").write_text(_page(derivation), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot write to {str(output)!r}: {error.strerror or error}") from error


def notes(derivation: Derivation) -> list[str]:
    """What a reader of the figures must know, a line each."""
    people = [row for row in derivation.rows if not row.safe]
    unseen = sum(not row.looked_at for row in people)
    safe = len(derivation.rows) - len(people)
    own = {split: sum(row.split == split for row in people) for split in PUBLISHED}
    found = [
        f"{split}: {own[split]} pictures of people here, {published} published"
        for split, published in PUBLISHED.items()
    ]
    found.append(f"safe training pictures: {safe} of {derivation.safe_candidates} here, {SAFE_PICTURES} published")
    if unseen:
        found.append(
            f"nobody decided about clothing in {unseen} of {len(people)} pictures of people; there "
            f"{', '.join(CLOTHING)} count as not shown"
        )
    found.append(
        "HR-VISPR chose its pictures by eye (steps 2 and 5) and divided them anew; which ones it left out, and "
        "which safe pictures it took, is not published"
    )
    return found


def _page(derivation: Derivation) -> str:
    lines = ["# HR-VISPR from VISPR", "", "| step | what | train | validation | test |", "|---|---|---|---|---|"]
    for step in derivation.steps:
        lines.append(f"| {step.number} | {step.title} | {' | '.join(str(n) for n in step.kept.values())} |")
    for title, field in (("Left out", "dropped"), ("Changed", "changed")):
        lines += ["", f"## {title}", "", "| step | pictures | what |", "|---|---|---|"]
        for step in derivation.steps:
            lines += [f"| {step.number} | {n} | {what} |" for what, n in getattr(step, field).items()]
    lines += ["", "## Positive pictures per label after each step", *_label_table(derivation.steps[3:])]
    lines += ["", "## Notes", "", *(f"- {note}" for note in notes(derivation)), ""]
    return "\n".join(lines)


def _label_table(steps: tuple[Step, ...]) -> Iterator[str]:
    yield ""
    yield f"| label | {' | '.join(f'step {step.number}' for step in steps)} |"
    yield "|---|" + "---|" * len(steps)
    for label in LABELS:
        yield f"| {label} | {' | '.join(str(step.labels.get(label, 0)) for step in steps)} |"
