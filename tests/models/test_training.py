"""The training loop's parts: weights of classes, batches, augmentation, and the weights file."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unveil.models import trained, training
from unveil.models.augmentation import Augmentation


def test_class_weights_are_negatives_over_positives_within_bounds() -> None:
    truth = np.zeros((40, 4), np.bool_)
    truth[:10, 0] = truth[:1, 1] = truth[:39, 2] = True
    assert training.class_weights(truth).tolist() == pytest.approx([3.0, 10.0, 0.1, 10.0])


@given(count=st.integers(1, 200), size=st.integers(2, 64))
def test_no_batch_is_larger_than_asked_for_or_has_a_single_picture(count: int, size: int) -> None:
    parts = torch.arange(count).tensor_split(training.batches(count, size))
    assert sum(len(part) for part in parts) == count
    assert count == 1 or all(2 <= len(part) <= max(size, 3) for part in parts)


def test_mean_average_precision_leaves_undefined_labels_out() -> None:
    truth = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 1], [0, 0, 1]], np.bool_)
    scores = np.array([[0.9, 0.5, 0.1], [0.8, 0.5, 0.2], [0.7, 0.5, 0.3], [0.1, 0.5, 0.4]], np.float32)
    assert training.mean_average_precision(truth, scores) == pytest.approx((1 + 2 / 3) / 2)


def test_scores_do_not_depend_on_the_batch() -> None:
    from unveil.models.small_network import SmallNetwork

    torch.manual_seed(0)
    network = SmallNetwork(labels=3, channels=8).eval()
    pictures = np.random.default_rng(0).integers(0, 256, (70, 40, 50, 3), np.uint8)
    together = training.scores_of(network, pictures)
    alone = np.concatenate([training.scores_of(network, pictures[i : i + 1]) for i in range(len(pictures))])
    assert together.shape == (70, 3)
    np.testing.assert_allclose(together, alone, atol=1e-5)


def batch(value: float | None = None) -> torch.Tensor:
    if value is not None:
        return torch.full((4, 3, 20, 30), value)
    return torch.rand(4, 3, 20, 30, generator=torch.Generator().manual_seed(1))


def test_augmentation_is_repeatable_and_stays_in_range() -> None:
    first, again = (Augmentation()(batch(), torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(first, again) and first.shape == (4, 3, 20, 30)
    assert first.min() >= 0 and first.max() <= 1 and not torch.equal(first, batch())


def test_without_any_change_the_picture_stays() -> None:
    still = Augmentation(flips=False, shift=0, zoom=0, light=0, tint=0, erase=0)
    torch.testing.assert_close(still(batch(), torch.Generator()), batch(), atol=1e-5, rtol=0)


def test_colours_change_little_and_together() -> None:
    light = Augmentation(flips=False, shift=0, zoom=0, erase=0)
    changed = light(batch(0.5), torch.Generator().manual_seed(2)).mean(dim=(2, 3))
    assert changed.std(dim=0).min() > 0, "each picture in its own light"
    spread = changed.amax(dim=1) / changed.amin(dim=1)
    assert (spread < 1.05 / 0.95 * 1.1).all(), "skin and hair keep their hue"


def test_half_of_the_pictures_are_mirrored() -> None:
    mirror = Augmentation(shift=0, zoom=0, light=0, tint=0, erase=0)
    many = batch().repeat(50, 1, 1, 1)
    changed = mirror(many.clone(), torch.Generator().manual_seed(3))
    share = ((changed - many).abs().amax(dim=(1, 2, 3)) > 1e-3).float().mean()
    assert 0.35 < share < 0.65
    mirrored = (changed - many.flip(3)).abs().amax(dim=(1, 2, 3)) < 1e-4
    assert torch.equal(mirrored, (changed - many).abs().amax(dim=(1, 2, 3)) > 1e-3)


def test_weights_files_are_safetensors_with_provenance() -> None:
    from safetensors.torch import load

    state = {"b": torch.arange(3.0), "a": torch.ones(2, 2).T}
    facts = {"model": "m", "labels": ("x",), "cmap": [0.5]}
    data = trained.pack(state, facts)
    assert data == trained.pack(dict(reversed(state.items())), dict(reversed(facts.items())))
    assert torch.equal(load(data)["b"], state["b"])
    assert trained.provenance(data) == json.loads(json.dumps(facts))
    tensors, read = trained.unpack(data, "m")
    assert set(tensors) == {"a", "b"} and read["model"] == "m"
