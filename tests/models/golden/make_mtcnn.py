"""Recompute ``mtcnn.json`` with the TensorFlow implementation, the parity reference.

Needs an environment of its own: ``pip install mtcnn==1.0.0 tensorflow pillow``; then run this file there. The
faces of ``faces.png`` are generated (see the bundled sample faces); they show nobody.
"""

import json
from pathlib import Path

import numpy as np
from mtcnn import MTCNN
from PIL import Image

FOLDER = Path(__file__).parent
TILE = 112


def recipes() -> list[dict]:
    """The whole sheet; every face alone; every face enlarged by repeating its pixels."""
    width, height = Image.open(FOLDER / "faces.png").size
    tiles = [(x, y, x + TILE, y + TILE) for y in range(0, height, TILE) for x in range(0, width, TILE)]
    crops = [((0, 0, width, height), 1), *((tile, 1) for tile in tiles), *((tile, 2) for tile in tiles[:3])]
    return [{"crop": list(crop), "repeat": repeat} for crop, repeat in crops]


def main() -> None:
    """Write boxes (left, top, right, bottom), scores and landmarks (five x, five y), best score first."""
    sheet = np.asarray(Image.open(FOLDER / "faces.png").convert("RGB"))
    detector = MTCNN()
    pictures = recipes()
    for picture in pictures:
        left, top, right, bottom = picture["crop"]
        image = sheet[top:bottom, left:right].repeat(picture["repeat"], 0).repeat(picture["repeat"], 1)
        rows = detector.detect_faces(
            image, fit_to_image=False, output_type="numpy", box_format="xyxy", threshold_onet=0.7
        )
        order = np.argsort(-rows[:, 5], kind="stable")
        picture["faces"] = [[round(float(value), 5) for value in row[1:]] for row in rows[order]]
    lines = ",\n".join(json.dumps(picture) for picture in pictures)
    (FOLDER / "mtcnn.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
