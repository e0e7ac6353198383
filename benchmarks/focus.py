"""How fast the focus of a recognizer is found: ``python benchmarks/focus.py``.

Of the bundled sample faces, in blocks of 8 pixels: alignment of both pictures, landmarks, both saliency maps.
Detection of the faces is not timed, as a run does it once for all evaluations.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

import unveil
from unveil import registry
from unveil.core.protocols import Version
from unveil.core.types import Face, Image
from unveil.evaluations.focus import Focus
from unveil.evaluations.saliency import saliency
from unveil.images import encode_png, read_image
from unveil.models.mtcnn import Mtcnn

SAMPLES = Path(unveil.__file__).parent / "datasets" / "data" / "sample_faces"


def coarse(image: Image) -> Image:
    """A picture in blocks of 8 x 8 pixels."""
    height, width = image.shape[:2]
    return image[4::8, 4::8].repeat(8, axis=0)[:height].repeat(8, axis=1)[:, :width]


class Faces:
    """The bundled faces as an evaluation sees them (:class:`unveil.core.protocols.FaceContext`).

    Args:
        count: how many, spread over all people.
        recognizer: registered name.
        pictures: folder for what is kept, or None.
    """

    method = "pixelation"

    def __init__(self, count: int, recognizer: str, pictures: Path | None) -> None:
        files = sorted(SAMPLES.rglob("*.jpg"))
        files = files[:: max(1, len(files) // count)][:count]
        self.originals = [image for image in map(read_image, files) if isinstance(image, np.ndarray)]
        self.protected = [coarse(image) for image in self.originals]
        self.known = [
            found.face(found.largest()) if len(found) else None for found in Mtcnn().detect(self.originals)
        ]
        names = ("recognizer", recognizer), ("landmarker", "face_landmarker")
        self.models = {role: registry.build("models", f"{role}:{name}") for role, name in names}
        self.pictures = pictures
        ids = pd.Index([path.relative_to(SAMPLES).as_posix() for path in files], name="sample_id")
        who = [name.split("/") for name in ids]
        columns = {"identity": [person for _, person, _ in who], "demographic_group": [group for group, *_ in who]}
        self.samples = pd.DataFrame(columns, index=ids)
        statuses = ["not_acquired" if face is None else "ok" for face in self.known]
        self.faces = pd.DataFrame({"status": statuses}, index=ids)

    def templates(self, version: Version) -> Faces:
        """The faces of the originals: nothing else is asked for."""
        return self

    def found(self, sample_ids: Sequence[str]) -> list[Face | None]:
        """The largest face of each picture."""
        return [self.known[row] for row in self.samples.index.get_indexer(list(sample_ids))]

    def images(self, version: Version, sample_ids: Sequence[str]) -> Iterator[Image]:
        """Pictures one by one."""
        images = self.originals if version == "original" else self.protected
        return (images[row] for row in self.samples.index.get_indexer(list(sample_ids)))

    def model(self, role: str) -> Any:
        """A model."""
        return self.models[role]

    def keep(self, name: str, picture: Image) -> None:
        """Write a picture where that is wanted."""
        if self.pictures is not None:
            self.pictures.mkdir(parents=True, exist_ok=True)
            (self.pictures / f"{name}.png").write_bytes(encode_png(picture))


def seconds(call: Callable[[], object]) -> float:
    """Time of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faces", type=int, default=64, help="faces per round (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: %(default)s)")
    parser.add_argument("--recognizer", default="dlib", help="registered name (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="default: %(default)s")
    parser.add_argument("--pictures", type=Path, help="folder for the pictures that a report would show")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    context = Faces(options.faces, options.recognizer, options.pictures)
    focus = Focus()
    units = focus.units(context.samples, "", [], np.random.default_rng(0))
    observed = focus.observe(units, "", context)  # also loads the models
    usable = [(i, f) for i, f in zip(context.originals, context.known, strict=True) if f is not None]
    images, faces = [image for image, _ in usable], [face for _, face in usable]
    recognizer = context.models["recognizer"]
    chips: NDArray[np.uint8] = recognizer.chips(images, faces)
    box = Face(np.array([0, 0, chips.shape[2], chips.shape[1]], np.float32))
    parts = {
        "alignment, original": lambda: recognizer.chips(images, faces),
        "landmarks": lambda: context.models["landmarker"].landmarks(list(chips), [box] * len(chips)),
        "one saliency map": lambda: saliency(recognizer, chips),
        "everything": lambda: focus.observe(units, "", context),
    }
    print(f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(f"{len(chips)} faces of {len(units)} pictures, median of {options.rounds} rounds")
    for name, call in parts.items():
        each = statistics.median(seconds(call) for _ in range(options.rounds)) / len(chips)
        print(f"{name:20} {each * 1e3:7.1f} ms per face, {1 / each:6.1f} faces per second")
    seen = observed[observed["status"] == "ok"]
    print(observed.groupby("status").size().div(15).to_string())
    print(
        seen.groupby("region", sort=False)[["verification", "obfuscation", "changed"]].mean().round(3).to_string()
    )
    firsts = seen[["rank_verification", "rank_obfuscation"]].eq(1).groupby(seen["region"], sort=False).mean()
    print(firsts.round(3).to_string())
    print(f"mean correlation {seen['correlation'].mean():.3f}")


if __name__ == "__main__":
    main()
