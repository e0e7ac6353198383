"""COCO's annotations of what was rendered."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sample_scenes.light import SIZE, Picture
from sample_scenes.stage import Actor, Stage
from unveil.methods.mesh_raster import look

COCO_IDS = {
    "person": 1,
    "bicycle": 2,
    "car": 3,
    "motorcycle": 4,
    "airplane": 5,
    "bus": 6,
    "train": 7,
    "truck": 8,
    "boat": 9,
    "traffic light": 10,
}


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
        "category_id": 1,
        "bbox": box_of(mask),
        "area": int(mask.sum()),
        "iscrowd": 0,
        "segmentation": {"size": [SIZE[1], SIZE[0]], "counts": counts},
        "keypoints": flat,
        "num_keypoints": sum(v > 0 for v in flat[2::3]),
    }


def thing(owner: int, name: str, picture: Picture, stage: Stage) -> dict[str, Any] | None:
    """COCO's annotation of an object, None where too little of it shows."""
    mask = (picture.owner == owner).sum(-1) >= 2
    box = box_of(mask)
    if mask.sum() < 110 or min(box[2:]) < 7:
        return None
    camera = stage.camera
    small = type(camera)(
        camera.rotation, camera.translation, camera.focal / 2, (camera.centre[0] / 2, camera.centre[1] / 2)
    )
    alone = next(item.mesh for item in stage.items if item.owner == owner)
    whole = (
        look(
            vertices=alone.vertices, faces=alone.faces, camera=small, size=(SIZE[0] // 2, SIZE[1] // 2)
        ).mask.sum()
        * 4
    )
    if mask.sum() < 0.3 * whole:
        return None
    return {"category_id": COCO_IDS[name], "bbox": box, "area": int(mask.sum()), "iscrowd": 0, "segmentation": []}


def box_of(mask: NDArray[np.bool_]) -> list[int]:
    """x, y, width, height of what is True; zeros for nothing."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not len(rows):
        return [0, 0, 0, 0]
    return [int(columns[0]), int(rows[0]), int(columns[-1] - columns[0] + 1), int(rows[-1] - rows[0] + 1)]
