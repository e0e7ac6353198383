"""Time and peak memory of CMMD between two large sets of embeddings: ``python benchmarks/cmmd.py``.

The embeddings are random directions around two centres. The measured process holds both sets in float32, so
its peak includes them; the distance is also computed directly, in float64, on a small part of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import time

import numpy as np
from numpy.typing import NDArray

from unveil.metrics.cmmd import cmmd


def embeddings(seed: int, count: int, dimension: int) -> NDArray[np.float32]:
    """Points scattered around a centre of their own."""
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=dimension).astype(np.float32)
    scattered: NDArray[np.float32] = centre + rng.standard_normal((count, dimension), dtype=np.float32)
    return scattered


def direct(x: NDArray[np.float32], y: NDArray[np.float32]) -> float:
    """CMMD by its definition, every pair at once, in float64."""
    a, b = (v.astype(np.float64) / np.linalg.norm(v.astype(np.float64), axis=1, keepdims=True) for v in (x, y))

    def mean(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
        return float(np.exp(-np.square(p[:, None] - q[None]).sum(axis=-1) / 200).mean())

    return 1000 * (mean(a, a) + mean(b, b) - 2 * mean(a, b))


def peak() -> float:
    """Peak resident memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=10_000, help="in each set; default: 10000")
    parser.add_argument("--dimension", type=int, default=768, help="default: 768")
    arguments = parser.parse_args()
    x, y = (embeddings(seed, arguments.pictures, arguments.dimension) for seed in (0, 1))
    before = peak()
    start = time.perf_counter()
    value = cmmd(x, y)
    seconds = time.perf_counter() - start
    print(f"{os.cpu_count()} cores, {arguments.pictures} against {arguments.pictures} x {arguments.dimension}")
    print(f"CMMD {value:.4f} in {seconds:.1f} s")
    print(f"peak {peak():.0f} MiB, {before:.0f} of them before it began")
    few, fewer = x[:60], y[:60]
    difference = abs(cmmd(few, fewer) - direct(few, fewer))
    print(f"difference to the direct computation, 60 pictures: {difference:.1e}")


if __name__ == "__main__":
    main()
