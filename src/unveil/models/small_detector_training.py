"""Training of the small object detector, and the choice of its threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from unveil.core.boxes import NOBODY, overlaps, surest_first
from unveil.core.fingerprint import rng
from unveil.core.scenes import CLASSES
from unveil.models.small_detector_data import Scene, varied
from unveil.models.small_detector_loss import loss, targets
from unveil.models.small_detector_network import STRIDE, CentreNet
from unveil.models.small_detector_trained import as_input, find

_RIGHT = 0.5
"""A detection is right from this intersection over union on."""

_DECAY = 5e-4
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train; see :class:`unveil.models.small_detector.SmallDetector`."""

    epochs: int
    batch_size: int
    learning_rate: float
    width: int


def fit(scenes: Sequence[Scene], plan: Plan, seed: int, tell: Callable[[int], None]) -> CentreNet:
    """A network trained on ``scenes``: AdamW, one cycle (Smith, Topin, arXiv:1708.07120, 2017)."""
    height, width = scenes[0].canvas.shape[:2]
    grid = (height // STRIDE, width // STRIDE)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = CentreNet(len(CLASSES), plan.width)
    network = network.to(memory_format=torch.channels_last).train()  # type: ignore[call-overload]
    balance = _balance(scenes)
    steps = plan.epochs * -(-len(scenes) // plan.batch_size)
    optimizer = torch.optim.AdamW(network.parameters(), plan.learning_rate, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, plan.learning_rate, total_steps=max(steps, 2))
    for epoch in range(plan.epochs):
        stream = rng(seed, "small detector", epoch)
        order = stream.permutation(len(scenes))
        for start in range(0, len(order), plan.batch_size):
            batch = [varied(scenes[i], stream) for i in order[start : start + plan.batch_size]]
            wanted = [targets(s.boxes, s.classes.tolist(), grid=grid) for s in batch]
            optimizer.zero_grad()
            maps = network(as_input([scene.canvas for scene in batch]))
            torch.autograd.backward(loss(maps, wanted, balance))
            nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimizer.step()
            schedule.step()
        tell(1)
    return network.eval()


def _balance(scenes: Sequence[Scene]) -> torch.Tensor:
    """Weight of each class: falls with the square root of how often it occurs, 1 for the most frequent."""
    counts = np.bincount(np.concatenate([scene.classes for scene in scenes]), minlength=len(CLASSES))
    return torch.from_numpy(np.sqrt(counts.max() / np.maximum(counts, 1)).astype(np.float32))


def best_threshold(network: CentreNet, scenes: Sequence[Scene]) -> tuple[float, float]:
    """The score that maximises F1 over all objects of ``scenes``, and that F1; IoU 0.5, all classes together.

    Without any detection or object: 0.5 and 0.
    """
    scores, right, true = [], [], 0
    for start in range(0, len(scenes), _BATCH):
        batch = scenes[start : start + _BATCH]
        for scene, found in zip(batch, find(network, [s.canvas for s in batch]), strict=True):
            true += len(scene.classes)
            for index, label in enumerate(CLASSES):
                mine = found.only(label)
                scores.append(mine.scores)
                table = overlaps(mine.boxes, scene.boxes[scene.classes == index])
                right.append(surest_first(table, _RIGHT) != NOBODY)
    every, hits = np.concatenate(scores), np.concatenate(right)
    if not len(every) or not true:
        return 0.5, 0.0
    order = np.argsort(-every, kind="stable")
    f1 = 2 * np.cumsum(hits[order]) / (np.arange(len(every)) + 1 + true)
    best = int(f1.argmax())
    return float(every[order[best]]), float(f1[best])
