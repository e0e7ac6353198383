"""What the figures and files of scenes are drawn from: flat frames of the headline columns."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unveil.metrics.similarity import parse_similarity_point
from unveil.reporting.results import Results
from unveil.reporting.scenes.columns import Column
from unveil.reporting.scenes.standing import SceneStanding
from unveil.reporting.tables import spread


def overview_frame(dataset: str, found: Sequence[Column], methods: Sequence[str]) -> pd.DataFrame:
    """Every headline number: ``dataset, method, measure, metric, model, value, low, high, n, excluded``."""
    rows = [
        {"dataset": dataset, "method": method, "measure": column.title, "metric": column.metric,
         "model": column.note, "value": number.value, "low": number.low, "high": number.high, "n": number.n,
         "excluded": number.excluded}
        for column in found
        for method in methods
        if (number := column.numbers.get(method))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def plane_frame(placed: Sequence[SceneStanding]) -> pd.DataFrame:
    """Privacy against utility: ``method, attacker, chance``, ``cmap``, ``person_f1``, ``practicality``."""
    rows = [
        {"method": s.method, "attacker": s.attacker, "chance": s.floor, **spread("cmap", s.cmap),
         **spread("person_f1", s.person_f1),
         "practicality": s.practicality.value if s.practicality else float("nan")}
        for s in placed
        if s.plane is not None
    ]  # fmt: skip
    return pd.DataFrame(rows)


def robustness_frames(results: Results, dataset: str) -> dict[str, pd.DataFrame]:
    """Similar matches over both thresholds: detector -> ``method, iou, ssim, value, low, high, n``."""
    rows = results.select("measures", dataset=dataset, metric="similar_match_rate", grouping="")
    rows = rows[rows["value"].notna()]
    points = [parse_similarity_point(point) for point in rows["operating_point"]]
    rows = rows.assign(iou=[p.iou for p in points], ssim=[p.ssim for p in points])
    rows = rows.rename(columns={"ci_low": "low", "ci_high": "high"})
    order = {method: i for i, method in enumerate(results.methods(dataset))}
    rows = rows.sort_values(["method", "iou", "ssim"], key=lambda c: c.map(order) if c.name == "method" else c)
    names = ["method", "iou", "ssim", "value", "low", "high", "n"]
    return {str(name): mine[names].reset_index(drop=True) for name, mine in rows.groupby("component", sort=False)}
