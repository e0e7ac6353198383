"""CARD.md with its tables of counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from string import Template
from typing import Any

from sample_scenes.annotations import COCO_IDS
from sample_scenes.people import GENDERS, TONES
from unveil.core.scenes import CLASSES, LABELS


def card(
    table: list[list[str]],
    images: list[dict[str, Any]],
    annotations: list[dict[str, Any]],
    size: int,
    splits: tuple[str, ...],
) -> str:
    """CARD.md from the template card.md.

    Args:
        table: the rows of labels.csv.
        images, annotations: as in instances.json.
        size: of all other files, bytes.
        splits: in the order of the columns.
    """
    split_of = {image["id"]: row[1] for image, row in zip(images, table, strict=True)}
    total = Counter(row[1] for row in table)
    people = Counter(row[1] for row in table if row[2])

    def lines(found: dict[str, Counter[str]], of: Counter[str] | None) -> str:
        heads = [split if of is None else f"{split} ({of[split]})" for split in splits]
        out = [f"| | {' | '.join(heads)} |", "| --- " * (len(splits) + 1) + "|"]
        for name, counts in found.items():
            cells = [
                str(counts[s]) if of is None else f"{counts[s]} ({counts[s] / max(of[s], 1):.0%})" for s in splits
            ]
            out.append(f"| {name} | {' | '.join(cells)} |")
        return "\n".join(out)

    labels = {label: Counter(row[1] for row in table if label in row[4].split("|")) for label in LABELS}
    objects = {}
    for name in CLASSES:
        shown = {a["image_id"] for a in annotations if a["category_id"] == COCO_IDS[name]}
        objects[name] = Counter(split_of[number] for number in shown)
    groups = {f"{g}, {t}": Counter(row[1] for row in table if row[2:4] == [g, t]) for g in GENDERS for t in TONES}
    template = Template((Path(__file__).parent / "card.md").read_text(encoding="utf-8"))
    return template.substitute(
        images=len(table),
        annotations=len(annotations),
        size=f"{size / 1e6:.1f}",
        labels=lines(labels, people),
        objects=lines(objects, total),
        groups=lines(groups, None),
    )
