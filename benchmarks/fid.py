"""FID from stored embeddings against torchmetrics on the same ones: ``python benchmarks/fid.py``.

Two sets of random embeddings of the size of Inception's. torchmetrics gets the encoder as a module, here one that
passes its input on, so that both only compute the distance. It comes with ``pip install 'unveil[lpips]'``.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from torchmetrics.image.fid import FrechetInceptionDistance

from unveil.metrics.fid import fid
from unveil.metrics.kid import kid


class PassedOn(torch.nn.Module):
    """An encoder whose pictures are embeddings already."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.num_features = dimension

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """The rows (n, dimension) as they are."""
        return rows


def reference(x: np.ndarray, y: np.ndarray) -> float:
    """FID by torchmetrics, in float64."""
    metric = FrechetInceptionDistance(feature=PassedOn(x.shape[1])).set_dtype(torch.float64)
    metric.update(torch.from_numpy(x), real=True)
    metric.update(torch.from_numpy(y), real=False)
    return float(metric.compute())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, nargs="+", default=[200, 500, 1000], help="default: %(default)s")
    parser.add_argument("--dimension", type=int, default=2048, help="default: %(default)s")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    print(f"{torch.get_num_threads()} threads, {options.dimension} features")
    for count in options.pictures:
        x = random.gamma(1, 0.4, (count, options.dimension)).astype(np.float32)
        y = x * 0.8 + random.gamma(1, 0.1, x.shape).astype(np.float32)
        taken, values = [], []
        for measure in (fid, reference, kid):
            start = time.perf_counter()
            values.append(measure(x, y))
            taken.append(time.perf_counter() - start)
        ours, theirs, _ = values
        print(
            f"{count} pictures: FID {ours:.6g} in {taken[0]:.2f} s, torchmetrics {theirs:.6g} in {taken[1]:.2f} s "
            f"({taken[1] / taken[0]:.0f} times as long, {abs(ours / theirs - 1):.1e} apart), KID {taken[2]:.2f} s"
        )


if __name__ == "__main__":
    main()
