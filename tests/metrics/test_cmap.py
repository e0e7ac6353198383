from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from unveil.core.fingerprint import rng
from unveil.metrics.average_precision import AUROC, RELATIVE_DROP
from unveil.metrics.cmap import CMAP, CMAP_ABOVE_CHANCE, CMAP_DROP, CMAP_EXPOSED
from unveil.metrics.grouping import Estimate, disaggregate
from unveil.metrics.statistic import Statistic

LABELS = ("age", "disability", "face", "race")


@pytest.fixture
def frame() -> pd.DataFrame:
    """Four labels of 120 pictures, 12 of which were not protected and 6 of which failed. Nobody is disabled."""
    draw = np.random.default_rng(0)
    pictures = np.repeat(np.arange(120), len(LABELS))
    label = np.tile(LABELS, 120)
    often = pd.Series({"age": 0.9, "disability": 0.0, "face": 0.5, "race": 0.2})
    positive = draw.random(len(label)) < often[label].to_numpy()
    original = draw.normal(1.5 * positive)
    protected = 0.4 * original + draw.normal(size=len(label))
    status = np.select([pictures < 12, pictures < 18], ["not_protected", "error"], "ok")
    score = np.select([status == "ok", status == "not_protected"], [protected, original], np.nan)
    return pd.DataFrame(
        {
            "status": status,
            "identity": "",
            "sample_id": pictures.astype(str),
            "label": label,
            "positive": positive,
            "score": score.astype(np.float32),
            "score_original": original.astype(np.float32),
            "gender": np.where(pictures % 2, "Female", "Male"),
        }
    )


def precisions(rows: pd.DataFrame, score: str = "score") -> dict[str, float]:
    return {
        str(label): average_precision_score(part["positive"], part[score])
        for label, part in rows.groupby("label")
        if 0 < part["positive"].sum() < len(part)
    }


def measured(metric: object, frame: pd.DataFrame) -> Estimate:
    return disaggregate(metric, frame, "", rng=rng(0), replicates=100).overall  # type: ignore[arg-type]


def test_it_is_the_mean_over_labels_that_have_both_classes(frame: pd.DataFrame) -> None:
    seen = frame[frame["status"] == "ok"]
    expected = precisions(seen)
    assert set(expected) == {"age", "face", "race"}
    estimate = measured(CMAP, frame)
    assert estimate.value == pytest.approx(np.mean(list(expected.values()))) == pytest.approx(CMAP.value(frame))
    assert estimate.note == "1 of 4 labels left out, one class only: disability"
    assert estimate.n == 3 * 102  # rows of the three labels
    assert estimate.n_excluded == len(frame) - estimate.n
    assert estimate.n_identities == 102
    assert estimate.ci_low < estimate.value < estimate.ci_high


def test_above_chance_takes_the_frequency_off(frame: pd.DataFrame) -> None:
    seen = frame[frame["status"] == "ok"]
    frequency = seen.groupby("label")["positive"].mean()
    expected = [(ap - frequency[label]) / (1 - frequency[label]) for label, ap in precisions(seen).items()]
    assert measured(CMAP_ABOVE_CHANCE, frame).value == pytest.approx(np.mean(expected))
    blind = frame.assign(score=0.5)
    assert measured(CMAP_ABOVE_CHANCE, blind).value == pytest.approx(0)
    assert measured(CMAP, blind).value == pytest.approx(frequency[["age", "face", "race"]].mean())


def test_exposed_counts_what_was_not_protected_with_its_original(frame: pd.DataFrame) -> None:
    seen = frame[frame["status"].isin(["ok", "not_protected"])]
    estimate = measured(CMAP_EXPOSED, frame)
    assert estimate.value == pytest.approx(np.mean(list(precisions(seen).values())))
    assert estimate.n == 3 * 114
    assert estimate.value > measured(CMAP, frame).value


def test_the_drop_compares_the_same_labels_and_pictures(frame: pd.DataFrame) -> None:
    seen = frame[frame["status"] == "ok"]
    protected, original = precisions(seen), precisions(seen, "score_original")
    estimate = measured(CMAP_DROP, frame)
    assert estimate.value == pytest.approx(1 - sum(protected.values()) / sum(original.values()))
    assert 0 < estimate.ci_low < estimate.value < estimate.ci_high
    assert measured(CMAP_DROP, frame.assign(score=frame["score_original"])).value == 0


@pytest.mark.parametrize("always", [True, False])
def test_no_label_with_both_classes_is_no_value(frame: pd.DataFrame, always: bool) -> None:
    for metric in (CMAP, CMAP_ABOVE_CHANCE, CMAP_EXPOSED, CMAP_DROP):
        estimate = measured(metric, frame.assign(positive=always))
        assert math.isnan(estimate.value)
        assert math.isnan(metric.value(frame.assign(positive=always)))
        assert estimate.note.startswith("4 of 4 labels left out")
        assert (estimate.n, estimate.n_excluded) == (0, len(frame))


def test_groups_may_have_different_labels(frame: pd.DataFrame) -> None:
    women_only = frame.assign(
        positive=frame["positive"] & ~((frame["label"] == "race") & (frame.gender == "Male"))
    )
    result = disaggregate(CMAP, women_only, "gender", rng=rng(0), replicates=50)
    notes = {group.group: group.note for group in result.groups}
    assert notes["Male"] == "2 of 4 labels left out, one class only: disability, race"
    assert notes["Female"] == "1 of 4 labels left out, one class only: disability"
    assert all(np.isfinite(draws).all() for draws in result.replicates.values())


def test_the_direction_is_that_of_the_protected_person() -> None:
    assert not CMAP.meta.higher_is_better
    assert not CMAP_EXPOSED.meta.higher_is_better
    assert CMAP_DROP.meta.higher_is_better


def test_weights_are_repetitions(frame: pd.DataFrame) -> None:
    seen = frame[frame["status"] == "ok"]
    weights = np.random.default_rng(1).integers(0, 3, 120)[seen["sample_id"].astype(int)]
    for metric in (CMAP, CMAP_ABOVE_CHANCE, CMAP_DROP):
        columns = metric.columns(seen)
        repeated = {name: np.repeat(column, weights) for name, column in columns.items()}
        assert metric.compute(columns, weights.astype(float)) == pytest.approx(metric.compute(repeated))


@pytest.mark.parametrize("metric", [CMAP, CMAP_ABOVE_CHANCE, CMAP_DROP, AUROC, RELATIVE_DROP])
def test_replicates_at_once_are_those_one_by_one(metric: Statistic) -> None:
    draw = np.random.default_rng(3)
    people = np.repeat(np.arange(30), 2)  # two labels of each
    frame = pd.DataFrame(
        {
            "status": "ok",
            "label": np.tile(["age", "face"], 30),
            "positive": draw.random(60) < 0.3,
            "score": draw.integers(0, 9, 60) / 8,
            "score_original": draw.random(60),
        }
    )
    columns = metric.columns(frame)
    one, two = (
        replace(metric, at_once=at_once).assess(columns, people, np.random.default_rng(1), 50)
        for at_once in (True, False)
    )
    np.testing.assert_allclose(one.draws, two.draws, rtol=1e-12)
    assert np.isfinite(one.draws).all() and one.value == two.value
