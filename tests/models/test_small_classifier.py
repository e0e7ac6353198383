"""The classifier that is trained from scratch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from unveil.core.errors import DataError
from unveil.core.types import Failure, Image, Reason
from unveil.models.small_classifier import SmallClassifier
from unveil.models.trained import provenance
from unveil.models.training import mean_average_precision
from unveil.testing import check_classifier
from unveil.testing.toy_labels import NEVER, SHOWN, ToyLabels


def small(**changes: Any) -> SmallClassifier:
    return SmallClassifier(**{"width": 96, "height": 72, "channels": 8, "epochs": 2, **changes})


def ignore(done: int) -> None:
    """Nobody watches."""


@pytest.fixture(scope="module")
def data() -> ToyLabels:
    return ToyLabels.draw(train=24, validation=16)


def test_keeps_the_promises() -> None:
    check_classifier(small())


def test_learns_what_is_seen_and_says_so() -> None:
    data = ToyLabels.draw(train=96, validation=40, test=60)
    classifier = small(epochs=24, channels=16)
    weights = classifier.train(data, 1, ignore)
    ready = classifier.load(weights)
    scores = ready.classify([data.scenes[sample.id][0] for sample in data.test])
    truth = np.array([[label in sample.labels for label in data.labels] for sample in data.test])
    assert ready.labels == (*SHOWN, NEVER)
    assert mean_average_precision(truth, scores) > 0.8
    assert scores[:, -1].max() < 0.5, "a label that nobody ever shows is not seen anywhere"
    facts = provenance(weights)
    assert facts["train"] == {"pictures": 96, "left_out": 0, "never_positive": [NEVER], "always_positive": []}
    assert facts["validation_cmap"][facts["best_epoch"] - 1] == max(facts["validation_cmap"])
    assert facts["parameters"] == vars(classifier) and facts["seed"] == 1


def test_the_seed_decides_and_nothing_else_is_disturbed(data: ToyLabels) -> None:
    import torch

    torch.manual_seed(3)
    before = torch.get_rng_state()
    weights = small().train(data, 1, ignore)
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(4)
    assert weights == small().train(data, 1, ignore)
    assert weights != small().train(data, 2, ignore)


def test_stops_when_nothing_gets_better(data: ToyLabels) -> None:
    told: list[int] = []
    facts = provenance(small(epochs=40, patience=1, learning_rate=1e-9).train(data, 1, told.append))
    assert facts["epochs_run"] == sum(told) < 40
    assert facts["epochs_run"] == facts["best_epoch"] + 1


class Lossy(ToyLabels):
    """A version of which every third picture is missing."""

    def read(self, sample_id: str) -> Image | Failure:
        if int(sample_id[:4]) % 3 == 0:
            return Failure(Reason.MISSING, "lost")
        return super().read(sample_id)


def test_pictures_that_a_method_gave_none_for_are_left_out_and_counted(data: ToyLabels) -> None:
    lossy = Lossy(data.labels, data.train, data.validation, data.test, data.scenes)
    facts = provenance(small().train(lossy, 1, ignore))
    assert facts["train"]["pictures"] == 16 and facts["train"]["left_out"] == 8
    assert facts["validation"]["pictures"] + facts["validation"]["left_out"] == 16


def unlabelled(samples: Sequence[Any]) -> list[Any]:
    return [replace(sample, labels=frozenset()) for sample in samples]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: {"train": []}, "the train split has no pictures"),
        (lambda d: {"validation": []}, "the validation split has no pictures"),
        (lambda d: {"labels": ()}, "the dataset has no labels"),
        (lambda d: {"train": unlabelled(d.train)}, "none of the 24 pictures of the train split shows any"),
        (lambda d: {"validation": unlabelled(d.validation)}, "no label is positive in some and negative in other"),
    ],
)
def test_without_anything_to_learn_it_says_what_is_missing(data: ToyLabels, change: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        small().train(replace(data, **change(data)), 1, ignore)


def test_a_label_that_all_show_and_two_pictures_are_enough(data: ToyLabels) -> None:
    every = [replace(sample, labels=sample.labels | {NEVER}) for sample in data.train]
    facts = provenance(small().train(replace(data, train=every), 1, ignore))
    assert facts["train"]["always_positive"] == [NEVER]
    shown = [sample for sample in data.train if sample.labels][:2]
    assert provenance(small().train(replace(data, train=shown), 1, ignore))["train"]["pictures"] == 2


def test_other_weights_are_refused(data: ToyLabels) -> None:
    weights = small().train(data, 1, ignore)
    with pytest.raises(DataError, match="do not fit the network of 'small'"):
        small(channels=16).load(weights)
    for damaged in (b"", b"12345678", weights[:40], b"\xff" * 64):
        with pytest.raises(DataError, match="no trained weights of unveil"):
            small().load(damaged)
    with pytest.raises(DataError, match="are damaged"):
        small().load(weights[:-8])
    with pytest.raises(DataError, match="trained by 'large', not by 'small'"):
        small().load(weights.replace(b'model\\":\\"small', b'model\\":\\"large'))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("patience", -1),
        ("width", 16),
        ("height", 31),
        ("channels", 0),
        ("batch_size", 1),
        ("learning_rate", 0.0),
        ("learning_rate", math.nan),
        ("flips", "yes"),
    ],
)
def test_a_wrong_parameter_is_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        SmallClassifier(**{name: value})
