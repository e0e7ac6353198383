from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from unveil.core.face_regions import MESH_POINTS
from unveil.core.fingerprint import rng
from unveil.core.roles import DifferentiableRecognizer
from unveil.core.types import Face, Image
from unveil.evaluations.heat import overlay, region_masks, region_means
from unveil.evaluations.saliency import gradients, saliency

SIDE = 40
WEIGHTS = rng("saliency").normal(size=(3, 3 * SIDE * SIDE)).astype(np.float32) / SIDE
CHIPS = rng("chips").integers(0, 256, (19, SIDE, SIDE, 3)).astype(np.uint8)


class Network(nn.Module):
    """Features of the flattened pixels; its weights could be learnt."""

    def __init__(self, features: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.from_numpy(WEIGHTS))
        self.features = features

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        return self.features(pixels.flatten(1) @ self.weight.T)


class Recognizer:
    def __init__(self, features: Callable[[torch.Tensor], torch.Tensor] = lambda x: x) -> None:
        self.network = Network(features)

    def chips(
        self, images: Sequence[Image], faces: Sequence[Face], *, aligned_by: Sequence[Image] | None = None
    ) -> NDArray[np.uint8]:
        return np.stack(images)

    def preprocess(self, chips: Any) -> Any:
        return chips / 255

    def module(self) -> nn.Module:
        return self.network


def test_gradients_are_those_of_a_calculation_by_hand() -> None:
    recognizer = Recognizer()
    assert isinstance(recognizer, DifferentiableRecognizer)
    pixels = CHIPS.transpose(0, 3, 1, 2).reshape(len(CHIPS), -1).astype(np.float64) / 255
    features = pixels @ WEIGHTS.T.astype(np.float64)
    # d/dx of the sum of (w x / 255)^2 is 2 w (w x / 255) / 255
    expected = (2 * features @ WEIGHTS / 255).reshape(-1, 3, SIDE, SIDE)
    found = gradients(recognizer, CHIPS)
    assert found.dtype == np.float32 and found.shape == (19, 3, SIDE, SIDE)
    assert np.allclose(found, expected, rtol=1e-3, atol=1e-6)
    assert recognizer.network.weight.grad is None and recognizer.network.weight.requires_grad


def test_neither_batches_nor_threads_nor_inference_mode_change_anything() -> None:
    recognizer = Recognizer(torch.tanh)
    threads = torch.get_num_threads()
    together = saliency(recognizer, CHIPS)
    assert torch.get_num_threads() == threads
    assert together.dtype == np.float32 and together.shape == (19, SIDE, SIDE)
    assert (together >= 0).all() and (together <= 1).all()
    with torch.inference_mode():
        alone = np.concatenate([saliency(recognizer, chip[None]) for chip in CHIPS])
    assert np.allclose(together, alone, atol=1e-4)
    assert saliency(recognizer, CHIPS[:0]).shape == (0, SIDE, SIDE)


def test_the_strongest_colour_counts() -> None:
    recognizer = Recognizer()
    weight = torch.zeros(3, 3, SIDE, SIDE)
    weight[0, 2, 10, 30] = -1  # blue, with a negative gradient
    with torch.no_grad():
        recognizer.network.weight.copy_(weight.flatten(1))
    (heat,) = saliency(recognizer, np.full((1, SIDE, SIDE, 3), 200, np.uint8))
    assert np.unravel_index(heat.argmax(), heat.shape) == (10, 30)


def test_a_recognizer_that_looks_nowhere_has_no_focus() -> None:
    assert not saliency(Recognizer(lambda x: x * 0), CHIPS[:2]).any()


def test_skin_tone_does_not_enter_the_scores() -> None:
    """The released notebook reads the red channel of the overlay, of which 60 % are the photo."""
    # Squared features that are linear in the pixels: the gradient is the same for every picture.
    recognizer = Recognizer(lambda x: (x + 100).sqrt())
    mesh = (2 + rng("mesh").random((MESH_POINTS, 2)) * 36).astype(np.float32)
    points = mesh[np.argsort(mesh[:, 1] + 20 * (np.arange(MESH_POINTS) % 3))]  # hulls of different places
    masks = region_masks(points, (SIDE, SIDE))
    ours, notebook, red = [], [], []
    for tone in ((90, 60, 50), (160, 120, 100), (230, 200, 190)):
        face = rng("light").integers(0, 20, (SIDE, SIDE, 1)) + np.array(tone)
        face[:, SIDE // 2 :, 0] += np.arange(SIDE // 2)[None]  # a lamp from one side
        chip = np.clip(face, 0, 255).astype(np.uint8)
        (heat,) = saliency(recognizer, chip[None])
        ours.append(region_means(heat, masks))
        notebook.append(region_means(overlay(chip, heat)[..., 0].astype(np.float32), masks))
        red.append(region_means(chip[..., 0].astype(np.float32), masks))
    assert np.allclose(ours[0], ours[1], atol=1e-3) and np.allclose(ours[0], ours[2], atol=1e-3)
    assert np.mean(notebook[2]) - np.mean(notebook[0]) > 50, (
        "the notebook's scores rise with the brightness of skin"
    )
    across = np.corrcoef(np.ravel(notebook), np.ravel(red))[0, 1], np.corrcoef(np.ravel(ours), np.ravel(red))[0, 1]
    assert across[0] > 0.9 and abs(across[1]) < 0.3


def test_a_darker_photo_of_a_face_is_looked_at_alike(bundled_chips: NDArray[np.uint8]) -> None:
    from unveil.models.dlib_recognizer import DlibRecognizer

    darker = (bundled_chips * 0.6).astype(np.uint8)
    recognizer = DlibRecognizer()
    grid = [np.s_[y : y + 30, x : x + 30] for y in range(0, 150, 30) for x in range(0, 150, 30)]
    for one, two, chip in zip(
        saliency(recognizer, bundled_chips), saliency(recognizer, darker), bundled_chips, strict=True
    ):
        before, after, red = ([part[cell].mean() for cell in grid] for part in (one, two, chip[..., 0]))
        assert np.corrcoef(before, after)[0, 1] > 0.8
        assert np.corrcoef(before, after)[0, 1] > np.corrcoef(before, red)[0, 1]


@pytest.fixture(scope="module")
def bundled_chips() -> NDArray[np.uint8]:
    """Four bundled people, one of each group, as dlib's network sees them."""
    from unveil import registry
    from unveil.images import read_image
    from unveil.models.dlib_recognizer import DlibRecognizer

    samples = registry.build("datasets", "sample-faces")
    first = {tuple(entry.attributes.values()): entry.path for entry in samples.entries()}
    images = [read_image(samples.root / path) for path in first.values()]
    faces = [Face(np.array([12, 12, 100, 100], np.float32)) for _ in images]
    return DlibRecognizer().chips(images, faces)
