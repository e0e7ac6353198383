"""How much faster verification is than detecting and embedding both photos of every pair anew.

``python benchmarks/verification.py`` verifies every photo of some bundled people, protected by three methods,
in one M1 pair and five M2 pairs each, by MTCNN and dlib: once as ``unveil`` does it, once by the plain loop over
pairs with the same networks. The protected photos are there before either starts. The loop is timed on a random
share of the pairs and scaled up.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from unveil import RunConfig
from unveil.core.types import Failure
from unveil.engine.progress import Silent
from unveil.pipeline.execute import Execution
from unveil.pipeline.plan import Plan, make_plan
from unveil.store.artifacts import Artifacts
from unveil.store.run import RunStore

# Light enough that a face is still found in most protected photos: without one, a pair costs the loop less.
METHODS = [
    {"use": "pixelation", "params": {"size": 32}},
    {"use": "blur.gaussian", "params": {"kernel": 0.12}},
    {"use": "dp_snow", "params": {"replace_fraction": 0.1}},
]
VERIFICATION = {"use": "verification", "params": {"pairs_per_photo": 5, "strangers_per_photo": 1}}


def config(folder: Path, people: int, evaluation: object) -> RunConfig:
    """Settings of the run with one evaluation."""
    return RunConfig.model_validate(
        {
            "name": "bench",
            "output": str(folder),
            "datasets": [{"use": "sample-faces", "params": {"limit": people}}],
            "methods": METHODS,
            "evaluations": [evaluation],
        }
    )


def execute(settings: RunConfig, folder: Path) -> tuple[Plan, RunStore, float]:
    """Plan and carry out; the time is that of the execution."""
    artifacts = Artifacts(folder / "cache")
    plan = make_plan(settings, artifacts, Silent())
    store = RunStore(settings.folder)
    start = time.perf_counter()
    Execution(plan, store, artifacts, Silent()).run()
    return plan, store, time.perf_counter() - start


def loop(plan: Plan, store: RunStore, folder: Path, share: int) -> tuple[float, int, int]:
    """Seconds for a random share of the mated pairs of the protected photos, their number, and that of all."""
    artifacts = Artifacts(folder / "cache")
    (dataset,) = plan.datasets
    detector = plan.components.models["detector", "mtcnn"].component
    recognizer = plan.components.models["recognizer", "dlib"].component
    pairs = store.sql(
        "select method, sample_id, other_sample_id from observations where mated and method != 'original'"
    )
    keys = store.read("protections").set_index(["method", "sample_id"])["image_key"]
    chosen = pairs.sample(min(share, len(pairs)), random_state=7)

    def describe(picture: object) -> object:
        assert not isinstance(picture, Failure)
        found = detector.detect([picture])[0]
        return recognizer.embed([picture], [found.face(found.largest())])[0] if len(found) else None

    from unveil.images import read_image

    start = time.perf_counter()
    for method, left, right in chosen.itertuples(index=False):
        protected = describe(artifacts.image(keys[method, left]))
        original = describe(read_image(dataset.built.component.root / right))
        if protected is not None and original is not None:
            np.linalg.norm(protected - original)
    return time.perf_counter() - start, len(chosen), len(pairs)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=24, help="people, eight photos each (default: %(default)s)")
    parser.add_argument("--pairs", type=int, default=250, help="pairs the loop is timed on (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Protects everything and loads no network that verification uses.
        execute(config(folder, options.people, {"use": "detection", "detector": ["opencv"]}), folder)
        plan, store, ours = execute(config(folder, options.people, VERIFICATION), folder)
        seconds, timed, pairs = loop(plan, store, folder, options.pairs)
        statuses = store.sql("select status, count(*) n from observations where mated group by status order by n")
    whole = seconds / timed * pairs
    print(f"{os.cpu_count()} cores, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(
        f"{options.people * 8} photos, 3 methods, {pairs} mated pairs; statuses {dict(statuses.values.tolist())}"
    )
    print(f"unveil             {ours:8.1f} s (and as many strangers' pairs beside)")
    print(f"loop over pairs    {whole:8.1f} s ({timed} pairs timed: {seconds:.1f} s)")
    print(f"ratio              {whole / ours:8.1f}")


if __name__ == "__main__":
    main()
