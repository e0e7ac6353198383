#!/usr/bin/env python3
"""Build the dataset `sample-scenes`: rendered people in drawn scenes, with exact labels, masks, boxes and keypoints.

Plans every split so that attributes, classes and demographic groups are balanced, renders each plan (again, with
other random numbers, while the picture is ambiguous), and writes images/, instances.json, labels.csv and CARD.md.
The same seed gives the same pictures with the versions in tools/sample_scenes/requirements.txt.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import multiprocessing
import os
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from sample_scenes import labels as rules
from sample_scenes.light import SIZE, Picture, render
from sample_scenes.places import PLACES
from sample_scenes.stage import Actor, Plan, Stage, setup
from sample_scenes.wardrobe import GENDERS, OUTFITS, TONES

from unveil.core.scenes import CLASSES, KEYPOINTS, LABELS
from unveil.methods.mesh_raster import look

HERE = Path(__file__).resolve().parent
DEFAULT_OUT = HERE.parent / "src" / "unveil" / "datasets" / "data" / "sample_scenes"
SPLITS = {"train": 640, "validation": 130, "test": 230}
SAFE = 0.09
INDOORS = 0.16
TRIES = 12
QUALITY = 78
COCO_IDS = {
    "person": 1, "bicycle": 2, "car": 3, "motorcycle": 4, "airplane": 5, "bus": 6, "train": 7, "truck": 8, "boat": 9,
    "traffic light": 10,
}  # fmt: skip
FIRST = {"airplane": 0.13, "train": 0.125, "boat": 0.13}
"""How often pictures out of doors are made for the classes that have places of their own."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One finished picture: its file, its labels, its annotations (without ids)."""

    jpeg: bytes
    labels: list[str]
    annotations: list[dict[str, Any]]
    tries: int


def plans(count: int, rng: np.random.Generator) -> list[Plan]:
    """Balanced plans of one split."""
    safe = round(count * SAFE)
    people = count - safe
    shares = np.array([share for _, share in OUTFITS.values()])
    amounts = np.floor(shares / shares.sum() * people + rng.random() * 0).astype(int)
    amounts[0] += people - amounts.sum()
    kinds = rng.permutation(np.repeat(list(OUTFITS), amounts))
    cells = [(gender, tone) for gender in GENDERS for tone in TONES]
    cells = [cells[i] for i in rng.permutation(np.arange(people) % len(cells))]
    outdoors = [name for name in CLASSES[1:] for _ in range(round(count * (1 - INDOORS) * FIRST.get(name, (1 - sum(FIRST.values())) / 6)))]
    first = rng.permutation((outdoors + [""] * count)[:count])
    rooms = [name for name, (_, objects) in PLACES.items() if not objects]
    tally: Counter[str] = Counter()
    out = []
    for number in range(count):
        wanted = str(first[number])
        objects = []
        if wanted:
            place = str(rng.choice([name for name, (_, allowed) in PLACES.items() if wanted in allowed]))
            objects.append(wanted)
            rest = sorted(PLACES[place][1] - {wanted}, key=lambda name: (tally[name], name))
            if rest and rng.random() < 0.6:
                objects.append(rest[0])
        else:
            place = str(rng.choice(rooms))
        tally.update(objects)
        gender, tone = cells[number] if number < people else ("", "")
        out.append(Plan(place, gender, tone, str(kinds[number]) if number < people else "", tuple(objects)))
    return [out[i] for i in rng.permutation(count)]


def shoot(task: tuple[int, int, Plan, int]) -> Shot:
    """Render a plan until the picture is clear."""
    seed, number, plan, quality = task
    best: tuple[int, Shot] | None = None
    for attempt in range(TRIES):
        stage = setup(plan, np.random.default_rng([seed, number, attempt]))
        place = stage.place
        picture = render(stage.items, stage.camera, place.light, place.ground, place.sky, stage.focus)
        points = [stage.camera.project(actor.keypoints) for actor in stage.actors]
        sights = [rules.sight(a, picture, p) for a, p in zip(stage.actors, points, strict=True)]
        names, unsure = rules.together(stage.actors, sights)
        annotations = [person(a, picture, p, stage) for a, p in zip(stage.actors, points, strict=True)]
        boxes = [thing(owner, name, picture, stage) for owner, name in stage.things]
        trouble = len(unsure) + 2 * sum(box is None for box in boxes)
        trouble += 3 * (bool(sights) and (annotations[0] is None or sights[0].pixels < 1.15 * max([0.0, *(s.pixels for s in sights[1:])])))
        trouble += 2 * (plan.kind == "troupe" and "troupe attire" not in names)
        if best is None or trouble < best[0]:
            best = trouble, Shot(jpeg(picture.rgb, quality), names, [a for a in annotations + boxes if a is not None], attempt + 1)
        if trouble == 0:
            break
    assert best is not None
    return best[1]


def jpeg(rgb: NDArray[np.uint8], quality: int) -> bytes:
    """A JPEG file."""
    out = io.BytesIO()
    Pillow.fromarray(rgb).save(out, "JPEG", quality=quality, optimize=True, progressive=True, subsampling=2)
    return out.getvalue()


def person(actor: Actor, picture: Picture, points: NDArray[np.float64], stage: Stage) -> dict[str, Any] | None:
    """COCO's annotation of a person, None where fewer than 60 pixels show."""
    from pycocotools import mask as coco

    mask = (picture.owner == actor.owner).sum(-1) >= 2
    if mask.sum() < 60:
        return None
    depth = stage.camera.seen(actor.keypoints)[:, 2]
    flat: list[float] = []
    for (x, y), far in zip(points, depth, strict=True):
        if not (0 <= x < SIZE[0] and 0 <= y < SIZE[1]):
            flat += [0, 0, 0]
            continue
        row, column = int(y), int(x)
        own = bool((picture.owner[row, column] == actor.owner).any())
        visible = own and picture.depth[row, column] > far - 0.17
        flat += [round(float(x), 1), round(float(y), 1), 2 if visible else 1]
    counts = coco.encode(np.asfortranarray(mask.astype(np.uint8)))["counts"].decode("ascii")
    return {
        "category_id": 1, "bbox": box_of(mask), "area": int(mask.sum()), "iscrowd": 0,
        "segmentation": {"size": [SIZE[1], SIZE[0]], "counts": counts},
        "keypoints": flat, "num_keypoints": sum(v > 0 for v in flat[2::3]),
    }  # fmt: skip


def thing(owner: int, name: str, picture: Picture, stage: Stage) -> dict[str, Any] | None:
    """COCO's annotation of an object, None where too little of it shows."""
    mask = (picture.owner == owner).sum(-1) >= 2
    box = box_of(mask)
    if mask.sum() < 110 or min(box[2:]) < 7:
        return None
    camera = stage.camera
    small = type(camera)(camera.rotation, camera.translation, camera.focal / 2, (camera.centre[0] / 2, camera.centre[1] / 2))
    alone = next(item.mesh for item in stage.items if item.owner == owner)
    whole = look(vertices=alone.vertices, faces=alone.faces, camera=small, size=(SIZE[0] // 2, SIZE[1] // 2)).mask.sum() * 4
    if mask.sum() < 0.3 * whole:
        return None
    return {"category_id": COCO_IDS[name], "bbox": box, "area": int(mask.sum()), "iscrowd": 0, "segmentation": []}


def box_of(mask: NDArray[np.bool_]) -> list[int]:
    """x, y, width, height of what is True; zeros for nothing."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not len(rows):
        return [0, 0, 0, 0]
    return [int(columns[0]), int(rows[0]), int(columns[-1] - columns[0] + 1), int(rows[-1] - rows[0] + 1)]


def main() -> None:
    """Build and write everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--quality", type=int, default=QUALITY)
    parser.add_argument("--share", type=float, default=1.0, help="build only this share of every split")
    arguments = parser.parse_args()
    tasks, rows = [], []
    for split, count in SPLITS.items():
        for plan in plans(round(count * arguments.share), np.random.default_rng([arguments.seed, len(tasks), 1])):
            tasks.append((arguments.seed, len(tasks) + 1, plan, arguments.quality))
            rows.append(split)
    os.environ["OMP_NUM_THREADS"] = "1"
    with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
        shots = pool.map(shoot, tasks, chunksize=8)
    write(arguments.out, tasks, rows, shots)


def write(out: Path, tasks: list[tuple[int, int, Plan, int]], splits: list[str], shots: list[Shot]) -> None:
    """Write the folder anew."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "images").mkdir(parents=True)
    images, annotations, table = [], [], []
    for (_, number, plan, _), split, shot in zip(tasks, splits, shots, strict=True):
        name = f"{number:04d}.jpg"
        (out / "images" / name).write_bytes(shot.jpeg)
        images.append({"id": number, "file_name": name, "width": SIZE[0], "height": SIZE[1]})
        for annotation in shot.annotations:
            annotations.append({"id": len(annotations) + 1, "image_id": number, **annotation})
        table.append([f"images/{name}", split, plan.gender, plan.tone, "|".join(shot.labels)])
    categories: list[dict[str, Any]] = [{"id": COCO_IDS[name], "name": name} for name in CLASSES]
    categories[0]["keypoints"] = list(KEYPOINTS)
    whole = {"images": images, "categories": categories, "annotations": annotations}
    (out / "instances.json").write_text(json.dumps(whole, separators=(",", ":")) + "\n", encoding="utf-8")
    with (out / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "split", "gender", "tone", "labels"])
        writer.writerows(table)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    text = card(table, images, annotations, size)
    (out / "CARD.md").write_text(text, encoding="utf-8")
    print(text[text.index("## Counts") :], f"{size / 1e6:.2f} MB, tries {Counter(shot.tries for shot in shots)}")


def card(table: list[list[str]], images: list[dict[str, Any]], annotations: list[dict[str, Any]], size: int) -> str:
    """CARD.md with the counts filled in."""
    split_of = {image["id"]: row[1] for image, row in zip(images, table, strict=True)}
    total = Counter(row[1] for row in table)
    people = Counter(row[1] for row in table if row[2])
    lines = [f"| | {' | '.join(f'{split} ({people[split]} with people)' for split in SPLITS)} |", "| --- " * 4 + "|"]
    for label in LABELS:
        found = Counter(row[1] for row in table if label in row[4].split("|"))
        lines.append(f"| {label} | {' | '.join(f'{found[s]} ({found[s] / max(people[s], 1):.0%})' for s in SPLITS)} |")
    objects = [f"| | {' | '.join(f'{split} ({total[split]})' for split in SPLITS)} |", "| --- " * 4 + "|"]
    for name in CLASSES:
        with_class = {a["image_id"] for a in annotations if a["category_id"] == COCO_IDS[name]}
        found = Counter(split_of[number] for number in with_class)
        objects.append(f"| {name} | {' | '.join(f'{found[s]} ({found[s] / max(total[s], 1):.0%})' for s in SPLITS)} |")
    groups = [f"| | {' | '.join(SPLITS)} |", "| --- " * 4 + "|"]
    for gender in GENDERS:
        for tone in TONES:
            found = Counter(row[1] for row in table if row[2:4] == [gender, tone])
            groups.append(f"| {gender}, {tone} | {' | '.join(str(found[s]) for s in SPLITS)} |")
    template = Template((HERE / "sample_scenes" / "card.md").read_text(encoding="utf-8"))
    return template.substitute(
        images=len(table), annotations=len(annotations), size=f"{size / 1e6:.1f}", labels="\n".join(lines),
        objects="\n".join(objects), groups="\n".join(groups),
    )  # fmt: skip


if __name__ == "__main__":
    main()
