"""The suite for evaluations of whole pictures: its scenes and models, and the broken promises that it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from unveil.core.protocols import SceneContext
from unveil.core.roles import ImageEncoder, ObjectDetector
from unveil.evaluations.intelligibility import Intelligibility
from unveil.evaluations.robustness import Robustness
from unveil.evaluations.throughput import Throughput
from unveil.evaluations.utility import ObjectDetection
from unveil.testing import check_evaluation
from unveil.testing.scenes import LABELS, SIZE, Colours, MeanColours, Scenes, scene, scene_samples, veil


def test_the_scenes_are_varied_and_the_detector_finds_what_is_in_them() -> None:
    counts = []
    for index in range(40):
        image, truth = scene(index)
        assert image.shape == (*SIZE, 3) and truth.masks is not None
        (found,) = Colours().detect([image])
        assert sorted(map(tuple, found.boxes)) == sorted(map(tuple, truth.boxes))
        assert sorted(found.labels or ()) == sorted(truth.labels or ())
        counts.append((truth.labels or ()).count("person"))
    assert set(counts) == {0, 1, 2, 3}
    samples = scene_samples(40)
    positive = {label: samples["labels"].map(lambda labels, name=label: name in labels).mean() for label in LABELS}
    assert positive["age"] == 1 and positive["race"] == 0 and 0 < positive["height"] < positive["face"] < 1


def test_the_synthetic_method_changes_people_and_nothing_else() -> None:
    image, truth = scene(1)
    assert truth.masks is not None
    people = truth.only("person")
    changed = (veil(image, people) != image).any(axis=2)
    assert people.masks is not None and changed.any() and not (changed & ~people.masks.any(axis=0)).any()


def test_the_stand_ins_are_what_the_protocols_say() -> None:
    context: SceneContext = Scenes(scene_samples(2), ["ok", "ok"])
    detector: ObjectDetector = Colours()
    encoder: ImageEncoder = MeanColours()
    assert context.model("object_detector").meta == detector.meta
    assert encoder.encode([]).shape == (0, encoder.dimension)


class Loses(ObjectDetection):
    """Forgets the pictures of which the truth is not known."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        rows = super().observe(units, threat_model, context)
        return rows[rows["status"] != "error"]


class Repeats(Robustness):
    """Gives all people of a picture the same name."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        rows = super().observe(units, threat_model, context)
        return rows.assign(unit_id=rows["sample_id"])


class Flatters(Robustness):
    """Says that all is well with pictures that the method left out."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        rows = super().observe(units, threat_model, context)
        return rows.assign(status=rows["status"].replace("not_protected", "ok"))


class Wanders(Robustness):
    """Observes pictures that nobody planned."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        everything = pd.DataFrame({"unit_id": context.samples.index, "sample_id": context.samples.index})
        return super().observe(everything, threat_model, context)


class Shortens(Throughput):
    """Keeps the fastest repeat only."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        return super().observe(units, threat_model, context).nsmallest(1, "seconds")


class Names(Throughput):
    """Says that a repeat belongs to a picture."""

    def units(self, samples: pd.DataFrame, threat_model: str, pairs: Any, rng: Any) -> pd.DataFrame:
        return super().units(samples, threat_model, pairs, rng).assign(sample_id=samples.index[0])


class Refuses(ObjectDetection):
    """Suits nobody."""

    def suits(self, threat_model: str, models: Any) -> bool:
        """Nobody."""
        return False


class Jitters(Intelligibility):
    """Answers differently every time."""

    def observe(self, units: pd.DataFrame, threat_model: str, context: Any) -> pd.DataFrame:
        rows = super().observe(units, threat_model, context)
        rows["original"] = [None if v is None else v + np.random.default_rng().normal() for v in rows["original"]]
        return rows


@pytest.mark.parametrize(
    ("evaluation", "message"),
    [
        (Loses(), "a picture that cannot be read must be an error"),
        (Repeats(), "unit_id must be unique"),
        (Flatters(), "the rows are not_protected"),
        (Wanders(), "observed pictures that were not planned"),
        (Shortens(frames=1, repeats=2), "one row per unit"),
        (Names(), "sample_id must name samples"),
        (Refuses(), "suits must allow some threat model"),
        (Jitters(), "another answer when observed again"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_evaluation_of_scenes_is_told_what_is_broken(evaluation: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_evaluation(evaluation)
