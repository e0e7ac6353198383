"""Peak memory of a run over few and over many photos: ``python benchmarks/memory.py``.

Each run detects, embeds, protects and verifies photos made from the bundled faces, in a process of its own.
Pictures stream, so what grows with their number is one row and one embedding each.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import unveil
from unveil.core.types import Failure
from unveil.images import encode_jpeg, read_image

SAMPLES = Path(unveil.__file__).parent / "datasets" / "data" / "sample_faces"
SETTINGS = """
name: memory
output: {folder}/runs
datasets: [{{use: folder, params: {{root: "{folder}/photos", pattern: "{{group}}/{{identity}}/{{file}}"}}}}]
methods: [pixelation]
evaluations: [detection, verification]
fairness: {{replicates: 100}}
engine: {{cache: "{folder}/cache"}}
"""


def photos(folder: Path, count: int) -> None:
    """Different photos of the bundled people: other light each time."""
    paths = sorted(SAMPLES.rglob("*.jpg"))
    for number in range(count):
        path = paths[number % len(paths)]
        picture = read_image(path)
        assert not isinstance(picture, Failure)
        shift = number // len(paths)
        changed = np.clip(picture.astype(int) + 3 * shift - 20, 0, 255).astype(np.uint8)
        target = folder / "photos" / path.relative_to(SAMPLES).with_name(f"{path.stem}_{shift}.jpg")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(encode_jpeg(changed, quality=92))


def peak(count: int) -> tuple[float, float]:
    """Peak resident memory in MiB, and seconds, of a run over ``count`` photos."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        photos(folder, count)
        file = folder / "run.yaml"
        file.write_text(SETTINGS.format(folder=folder), encoding="utf-8")
        code = (
            "import resource, sys; from unveil.config import RunConfig; import unveil;"
            "unveil.run(RunConfig.load(sys.argv[1]));"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
        )
        start = time.perf_counter()
        command = [sys.executable, "-c", code, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(done.stdout.split()[-1]), time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=int, nargs=2, default=[500, 5000], help="default: 500 5000")
    few, many = parser.parse_args().photos
    print(f"{os.cpu_count()} cores")
    peaks = {}
    for count in (few, many):
        peaks[count], seconds = peak(count)
        print(f"{count:6d} photos  peak {peaks[count]:7.0f} MiB  ({seconds:.0f} s)")
    print(f"ratio of peaks   {peaks[many] / peaks[few]:.2f} for {many / few:.0f} times the photos")


if __name__ == "__main__":
    main()
