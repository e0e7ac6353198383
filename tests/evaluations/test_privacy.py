from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from unveil.core.errors import ConfigError
from unveil.core.types import Failure, Image, Reason
from unveil.evaluations.privacy import AttributePrivacy
from unveil.testing.scenes import Guesses, Scenes, scene_samples

from .scenes import MISSING, Album, Learner, numbered, observed

BROKEN = Failure(Reason.UNDECODABLE, "not a picture")


class Brightness:
    """Takes bright pictures for ones that show a face, and dark ones for ones that show religion."""

    labels = ("religion", "nudity", "face")

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def classify(self, images: Sequence[Image]) -> NDArray[np.float32]:
        bright = np.array([image.mean() / 255 for image in images])
        return (self.gain * np.column_stack([1 - bright, np.full(len(images), 0.5), bright])).astype(np.float32)


def album(method: str = "mine") -> Album:
    original = {"a": numbered(204), "b": numbered(51), "c": numbered(102), "d": BROKEN}
    return Album(
        original,
        original if method == "original" else {"a": numbered(0), "b": MISSING, "c": BROKEN, "d": MISSING},
        models={("classifier", "original"): Brightness(), ("classifier", "protected"): Brightness(0.5)},
        positive={"a": ("face",), "b": ("face", "religion"), "c": (), "d": ("face",)},
        labels=("age", "face", "religion"),
        method=method,
    )


def test_a_row_per_picture_and_label_that_both_sides_know() -> None:
    rows = observed(AttributePrivacy(), album(), "trained_on_originals")
    assert rows["unit_id"].tolist() == [f"{i}#{label}" for i in "abcd" for label in ("face", "religion")]
    assert rows["positive"].tolist() == [True, False, True, True, False, False, True, False]
    assert rows["status"].tolist() == [s for s in ("ok", "not_protected", "error", "error") for _ in range(2)]
    nan = float("nan")
    # An unprotected picture is shown as it was; of a broken one only the original is known, if that.
    assert rows["score"].to_numpy() == pytest.approx([0, 1, 0.2, 0.8, nan, nan, nan, nan], nan_ok=True)
    assert rows["score_original"].to_numpy() == pytest.approx(
        [0.8, 0.2, 0.2, 0.8, 0.4, 0.6, nan, nan], nan_ok=True
    )


def test_the_adapted_attacker_is_compared_with_the_undisturbed_one() -> None:
    rows = observed(AttributePrivacy(), album(), "trained_on_protected")
    assert rows["score"].to_numpy()[:4] == pytest.approx([0, 0.5, 0.1, 0.4]), "one attacker looks at all pictures"
    assert rows["score_original"].to_numpy()[:4] == pytest.approx([0.8, 0.2, 0.2, 0.8])


def test_of_unprotected_photos_both_scores_are_the_same() -> None:
    rows = observed(AttributePrivacy(), album("original"), "trained_on_protected")
    known = rows[rows["status"] == "ok"]
    assert len(known) == 6 and (known["score"] == known["score_original"]).all()


def test_more_pictures_than_a_batch() -> None:
    samples = scene_samples(80)
    context = Scenes(samples, ["ok"] * 80)
    rows = observed(AttributePrivacy(), context, "pretrained").set_index("unit_id")
    ids = samples.index[samples["split"] == "test"]
    scores = Guesses().classify(list(context.images("protected", ids)))
    for number, sample_id in enumerate(ids):
        assert rows.loc[f"{sample_id}#height", "score"] == scores[number, Guesses.labels.index("height")]
        assert rows.loc[f"{sample_id}#height", "positive"] == ("height" in samples.loc[sample_id, "labels"])
    assert len(rows) == 4 * len(ids)


def test_without_a_picture_there_are_no_rows_but_columns() -> None:
    context = album()
    context.samples["split"] = "train"
    rows = observed(AttributePrivacy(), context, "pretrained")
    assert rows.empty and set(AttributePrivacy.meta.columns) < set(rows)
    assert rows["positive"].dtype == bool


def test_a_classifier_that_knows_nothing_of_the_dataset_is_a_wrong_setting() -> None:
    context: Any = album()
    context.labels = ("age", "height")
    with pytest.raises(ConfigError, match="knows only: religion, nudity, face"):
        observed(AttributePrivacy(), context, "pretrained")


def test_what_suits() -> None:
    evaluation = AttributePrivacy()
    assert evaluation.suits("pretrained", {"classifier": Brightness()})
    assert not evaluation.suits("pretrained", {"classifier": Learner()})
