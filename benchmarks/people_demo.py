"""The figures that README.md quotes of the people demo: `make people-demo`, then this.

Does masking people take away face, skin colour and gender more than a light blur does? Mean average precision (and
the same above chance) of the three labels, and the difference of the two methods with its interval: pictures are
resampled, the same for both.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd

from unveil import open_run
from unveil.metrics.average_precision import average_precision, average_precision_above_chance

LABELS = ("face", "skin color", "gender")
REPLICATES = 1000


def main(folder: str = "runs/people-demo") -> None:
    """Print the measures of everybody, then the comparison."""
    store = open_run(folder)
    measures = store.read("measures")
    whole = measures[(measures["grouping"] == "") & measures["facet"].isin(["", "640x480"])]
    seen = store.read("observations")
    shown = seen[seen["evaluation"] == "privacy"].groupby("label")["positive"].mean().astype(float)
    print(f"blind guessing: cMAP {shown.mean():.3f}, the mean prevalence of {len(shown)} labels")
    for metric in (
        "passing_rate",
        "cmap",
        "person_f1",
        "similar_match_rate",
        "cmmd",
        "frames_per_second",
        "practicality",
    ):
        rows = whole[(whole["metric"] == metric) & whole["operating_point"].isin(["", "iou=0.5,ssim=0.5"])]
        for row in rows.itertuples():
            name = f"{metric} {row.threat_model}".strip()
            print(f"{name:38} {row.method:22} {row.value:9.3f}  {row.ci_low:.3f} to {row.ci_high:.3f}  n {row.n}")
    rows = seen[(seen["evaluation"] == "privacy") & seen["label"].isin(LABELS) & (seen["status"] == "ok")]
    for threat_model, cell in rows.groupby("threat_model"):
        compare(cell, str(threat_model), "blur.light", "mask.person")


def compare(cell: pd.DataFrame, threat_model: str, light: str, strong: str) -> None:
    """Print how far apart two methods are under one attacker."""
    sides = [cell[cell["method"] == name].set_index("unit_id") for name in (light, strong)]
    units = sides[0].index.intersection(sides[1].index)
    light_rows, strong_rows = (side.loc[units] for side in sides)
    pictures = pd.factorize(light_rows["sample_id"])[0]
    size = int(pictures.max()) + 1
    for measure in (average_precision, average_precision_above_chance):

        def mean(rows: pd.DataFrame, weights: np.ndarray, measure: Any = measure) -> float:
            mine = [(rows["label"] == label).to_numpy() for label in LABELS]
            return float(np.mean([measure(rows["score"][m], rows["positive"][m], weights[m]) for m in mine]))

        stream, draws = np.random.default_rng(7), []
        for _ in range(REPLICATES):
            weights = np.bincount(stream.integers(0, size, size), minlength=size)[pictures].astype(float)
            draws.append(mean(light_rows, weights) - mean(strong_rows, weights))
        low, high = np.percentile(draws, [2.5, 97.5])
        before, after = (mean(rows, np.ones(len(units))) for rows in (light_rows, strong_rows))
        print(f"{', '.join(LABELS)}, {threat_model}, n {size} pictures: mean {measure.__name__}")
        print(f"  {light} {before:.3f}, {strong} {after:.3f}")
        print(f"  difference {before - after:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
