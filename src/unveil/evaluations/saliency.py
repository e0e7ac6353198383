"""Where a recognizer looks: the gradient of what it says about a face with respect to the pixels."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from unveil.core.roles import DifferentiableRecognizer
from unveil.evaluations.heat import smoothed

_AT_ONCE = 8
"""Chips per pass: a network keeps all its layers' outputs for the way back."""


def saliency(recognizer: DifferentiableRecognizer, chips: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Heat maps of faces: how strongly each pixel moves the recognizer's features.

    Args:
        recognizer: whose gradients are taken.
        chips: aligned faces (n, height, width, 3).

    Returns:
        float32 (n, height, width) in [0, 1]; all 0 where every pixel moves the features equally.

    Source: FairDeFace, saliency maps as its scripts compute them: the gradient of the sum of the squared features,
    its largest absolute value over the colour channels, then :func:`unveil.evaluations.heat.smoothed`.
    """
    steepest = np.abs(gradients(recognizer, chips)).max(axis=1)
    return np.array([smoothed(face) for face in steepest], np.float32).reshape(steepest.shape)


def gradients(recognizer: DifferentiableRecognizer, chips: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Gradient of each face's sum of squared features with respect to its pixels in 0..255.

    Parts of the batch are computed side by side, each on one core: the layers are too small to be shared.

    Args:
        recognizer: whose network is differentiated; its parameters get no gradient.
        chips: aligned faces (n, height, width, 3).

    Returns:
        float32 (n, 3, height, width).
    """
    import torch

    network = recognizer.module()

    def of_part(part: NDArray[np.uint8]) -> NDArray[np.float32]:
        with torch.inference_mode(False), torch.enable_grad():
            pixels = torch.tensor(part).permute(0, 3, 1, 2).float().requires_grad_()
            # The faces of a part do not influence each other, so the gradient of the sum is each one's own.
            total = network(recognizer.preprocess(pixels)).square().sum()
            (gradient,) = torch.autograd.grad(total, pixels)
        return gradient.numpy()

    cores = torch.get_num_threads()
    parts = _parts(chips, cores)
    try:
        # The limit of one holds for the thread that sets it, and for threads that are started later.
        with ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            found = list(pool.map(of_part, parts))
    finally:
        torch.set_num_threads(cores)
    return np.concatenate([np.empty((0, 3, *chips.shape[1:3]), np.float32), *found])


def _parts(chips: NDArray[np.uint8], cores: int) -> Sequence[NDArray[np.uint8]]:
    size = min(_AT_ONCE, max(1, -(-len(chips) // cores)))
    return [chips[start : start + size] for start in range(0, len(chips), size)]
