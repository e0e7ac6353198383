#!/usr/bin/env python3
"""Build the dataset `sample-scenes`: rendered people in drawn scenes, with exact labels, masks, boxes, points.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from rich.progress import track
from sample_scenes import labels as rules
from sample_scenes.annotations import COCO_IDS, person, thing
from sample_scenes.light import SIZE, render
from sample_scenes.planning import plans
from sample_scenes.report import card
from sample_scenes.stage import Plan, setup

from unveil.core.scenes import CLASSES, KEYPOINTS

HERE = Path(__file__).resolve().parent
DEFAULT_OUT = HERE.parent / "src" / "unveil" / "datasets" / "data" / "sample_scenes"
SPLITS = {"train": 640, "validation": 130, "test": 230}
TRIES = 12
MEGABYTES = 8.0
QUALITIES = range(88, 40, -2)


@dataclass(frozen=True, slots=True)
class Shot:
    """One finished picture: its file, its labels, its annotations (without ids)."""

    rgb: NDArray[np.uint8]
    labels: list[str]
    annotations: list[dict[str, Any]]
    tries: int


def shoot(task: tuple[int, int, Plan]) -> Shot:
    """Render a plan until the picture is clear."""
    seed, number, plan = task
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
        if sights:
            second = max([0.0, *(s.pixels for s in sights[1:])])
            trouble += 3 * (annotations[0] is None or sights[0].pixels < 1.15 * second)
            trouble += 3 * (not names) + 2 * (plan.kind == "troupe" and "troupe attire" not in names)
            trouble += 3 * any(each is not None and not each["num_keypoints"] for each in annotations)
        if best is None or trouble < best[0]:
            found = [annotation for annotation in annotations + boxes if annotation is not None]
            best = trouble, Shot(picture.rgb, names, found, attempt + 1)
        if trouble == 0:
            break
    assert best is not None
    return best[1]


def jpeg(rgb: NDArray[np.uint8], quality: int) -> bytes:
    """A JPEG file."""
    out = io.BytesIO()
    Pillow.fromarray(rgb).save(out, "JPEG", quality=quality, optimize=True, progressive=True, subsampling=2)
    return out.getvalue()


def main() -> None:
    """Build and write everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--megabytes", type=float, default=MEGABYTES, help="of the pictures, at most")
    parser.add_argument("--share", type=float, default=1.0, help="build only this share of every split")
    arguments = parser.parse_args()
    tasks, rows = [], []
    for split, count in SPLITS.items():
        for plan in plans(round(count * arguments.share), np.random.default_rng([arguments.seed, len(tasks), 1])):
            tasks.append((arguments.seed, len(tasks) + 1, plan))
            rows.append(split)
    os.environ["OMP_NUM_THREADS"] = "1"
    with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
        shots = list(track(pool.imap(shoot, tasks, chunksize=4), "pictures", len(tasks)))
    write(arguments.out, tasks, rows, shots, arguments.megabytes * arguments.share)


def write(
    out: Path, tasks: list[tuple[int, int, Plan]], splits: list[str], shots: list[Shot], megabytes: float
) -> None:
    """Write the folder anew, with the best JPEG quality that keeps the pictures within ``megabytes``."""
    for quality in QUALITIES:
        files = [jpeg(shot.rgb, quality) for shot in shots]
        if sum(map(len, files)) <= megabytes * 1e6:
            break
    shutil.rmtree(out, ignore_errors=True)
    (out / "images").mkdir(parents=True)
    images, annotations, table = [], [], []
    for (_, number, plan), split, shot, data in zip(tasks, splits, shots, files, strict=True):
        name = f"{number:04d}.jpg"
        (out / "images" / name).write_bytes(data)
        images.append({"id": number, "file_name": name, "width": SIZE[0], "height": SIZE[1]})
        for annotation in shot.annotations:
            annotations.append({"id": len(annotations) + 1, "image_id": number, **annotation})
        table.append([name, split, plan.gender, plan.tone, "|".join(shot.labels)])
    categories: list[dict[str, Any]] = [{"id": COCO_IDS[name], "name": name} for name in CLASSES]
    categories[0]["keypoints"] = list(KEYPOINTS)
    whole = {"images": images, "categories": categories, "annotations": annotations}
    (out / "instances.json").write_text(json.dumps(whole, separators=(",", ":")) + "\n", encoding="utf-8")
    with (out / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "split", "gender", "tone", "labels"])
        writer.writerows(table)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    text = card(table, images, annotations, size, tuple(SPLITS))
    (out / "CARD.md").write_text(text, encoding="utf-8")
    print(
        text[text.index("## Counts") :],
        f"{size / 1e6:.2f} MB, quality {quality}, tries {Counter(shot.tries for shot in shots)}",
    )


if __name__ == "__main__":
    main()
