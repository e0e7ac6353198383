"""Training of a multi-label classifier: one loop for every network, stopped early by the validation split."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from unveil.models.augmentation import Augmentation
from unveil.models.labelled import Labelled, decided
from unveil.models.muon import Muon
from unveil.models.parallel import on_every_core
from unveil.models.shapes import in_few_sizes
from unveil.models.shards import Loss, Shards

HEAVIEST = 10.0
"""Limit of the weight of a positive against a negative picture of a label, and its inverse below."""

BATCH = 32
"""Pictures per pass without gradients."""

_WARM_UP = 0.15
"""Share of the steps in which the learning rate rises."""

_AVERAGED = 0.98
"""Share that the average of the weights keeps at each step, once there have been enough."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast.

    Attributes:
        epochs: at most so many passes over the train split.
        patience: stop after so many epochs without a better validation cMAP.
        batch_size: pictures per step.
        learning_rate: at its highest; it rises, then falls along a cosine.
        weight_decay: share of the weights, times the learning rate, that each step takes away.
        orthogonal: how much faster the filters of all but the first convolution learn, by Muon; 0 when all
            weights learn by AdamW, as pre-trained ones should.
        shards: parts of a batch that are computed at the same time, for small networks; see
            :mod:`unveil.models.shards`. A network that draws random numbers itself must have 1.
    """

    epochs: int
    patience: int
    batch_size: int
    learning_rate: float
    weight_decay: float = 0.02
    orthogonal: float = 0.0
    shards: int = 1


@dataclass(frozen=True, slots=True)
class Fitted:
    """What training gave.

    Attributes:
        state: the best weights.
        facts: plain values for the provenance: epochs run, best epoch, cMAP per epoch.
    """

    state: Mapping[str, Tensor]
    facts: Mapping[str, Any]


def fit(
    network: nn.Module,
    train: Labelled,
    validation: Labelled,
    schedule: Schedule,
    augmentation: Augmentation,
    stream: torch.Generator,
    tell: Callable[[int], None],
) -> Fitted:
    """Train a network in place with binary cross-entropy and class weights.

    The weights are averaged over the steps, and the averaged weights of the epoch with the best cMAP on the
    validation split are kept.

    Args:
        network: pictures (n, 3, height, width) in 0..1 -> logits (n, labels).
        train, validation: the splits.
        schedule, augmentation: how.
        stream: of random numbers, for order and augmentation. What the network itself draws (dropout) comes
            from PyTorch's own stream, which the caller seeds.
        tell: is called with 1 after each epoch.

    Source: cMAP of the privacy dimension in ``docs/definitions.md``; averaged weights: Polyak and Juditsky, SIAM
    Journal on Control and Optimization, 1992.
    """
    averaged = {name: value.detach().clone() for name, value in network.state_dict().items()}
    best = {name: value.clone() for name, value in averaged.items()}
    curve: list[float] = []
    best_epoch, step, parts = 0, 0, batches(len(train), schedule.batch_size)
    optimizers = _optimizers(network, schedule)
    course = partial(_course, last=schedule.epochs * parts)
    paces = [torch.optim.lr_scheduler.LambdaLR(optimizer, course) for optimizer in optimizers]
    shards = Shards(network, schedule.shards)
    loss = _loss(train, augmentation, [_stream(stream) for _ in shards.copies])
    for epoch in range(1, schedule.epochs + 1):
        with shards.working() as learn:
            for chosen in torch.randperm(len(train), generator=stream).tensor_split(parts):
                learn(chosen, loss)
                for optimizer, pace in zip(optimizers, paces, strict=True):
                    optimizer.step()
                    pace.step()
                step += 1
                _average(averaged, network, step)
        curve.append(
            mean_average_precision(validation.truth, _scores_with(network, averaged, validation.pictures))
        )
        tell(1)
        if curve[-1] > max(curve[:-1], default=-math.inf):
            best, best_epoch = {name: value.clone() for name, value in averaged.items()}, epoch
        if epoch - best_epoch >= schedule.patience:
            break
    network.load_state_dict(best)
    return Fitted(best, {"epochs_run": len(curve), "best_epoch": best_epoch, "validation_cmap": curve})


def _stream(stream: torch.Generator) -> torch.Generator:
    return torch.Generator().manual_seed(int(torch.randint(1 << 62, (), generator=stream)))


def _loss(train: Labelled, augmentation: Augmentation, streams: Sequence[torch.Generator]) -> Loss:
    weights, truth = class_weights(train.truth), torch.from_numpy(train.truth.astype(np.float32))

    def loss(network: nn.Module, shard: int, chosen: Tensor) -> Tensor:
        pictures = augmentation(as_floats(train.pictures[chosen.numpy()]), streams[shard])
        return functional.binary_cross_entropy_with_logits(network(pictures), truth[chosen], pos_weight=weights)

    return loss


def scores_of(network: nn.Module, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Scores (n, labels) in 0..1 of letterboxed pictures (n, height, width, 3), batch by batch.

    The network must stand in evaluation mode.
    """

    def scores(start: int) -> Tensor:
        return in_few_sizes(network, as_floats(pictures[start : start + BATCH]), BATCH // 8).sigmoid()

    return torch.cat(on_every_core(scores, range(0, len(pictures), BATCH))).numpy()


def as_floats(pictures: NDArray[np.uint8]) -> Tensor:
    """(n, height, width, 3) in 0..255 -> (n, 3, height, width) in 0..1, channels last in memory."""
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).float().div_(255)


def class_weights(truth: NDArray[np.bool_]) -> Tensor:
    """Negatives over positives of each label, between 1 / :data:`HEAVIEST` and :data:`HEAVIEST`."""
    positive = truth.sum(axis=0)
    ratio = (len(truth) - positive) / np.maximum(positive, 1)
    return torch.from_numpy(np.clip(ratio, 1 / HEAVIEST, HEAVIEST).astype(np.float32))


def mean_average_precision(truth: NDArray[np.bool_], scores: NDArray[np.float32]) -> float:
    """Mean average precision over the labels that are positive in some and negative in other rows."""
    from sklearn.metrics import average_precision_score

    both = decided(truth)
    return float(average_precision_score(truth[:, both], scores[:, both], average="macro"))


def batches(count: int, size: int) -> int:
    """Number of batches of nearly equal size; none has a single picture, whose statistics would be nothing."""
    return max(1, min(math.ceil(count / size), count // 2))


def _optimizers(network: nn.Module, schedule: Schedule) -> list[torch.optim.Optimizer]:
    learning = [parameter for parameter in network.parameters() if parameter.requires_grad]
    filters = [p for p in learning if p.ndim == 4 and p.shape[1] > 3] if schedule.orthogonal else []
    others = [p for p in learning if all(p is not other for other in filters)]
    rate, decay = schedule.learning_rate, schedule.weight_decay
    found: list[torch.optim.Optimizer] = [torch.optim.AdamW(others, lr=rate, weight_decay=decay)]
    if filters:
        found.append(Muon(filters, lr=schedule.orthogonal * rate, weight_decay=decay))
    return found


def _course(step: int, last: int) -> float:
    """Share of the highest learning rate: a rise, then half a cosine."""
    warm = max(1, round(_WARM_UP * last))
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, last - warm)))


def _average(averaged: Mapping[str, Tensor], network: nn.Module, step: int) -> None:
    """Move the average of the weights towards those of the network; at the beginning by more."""
    share = 1 - min(_AVERAGED, (1 + step) / (10 + step))
    for name, value in network.state_dict().items():
        if value.is_floating_point():
            averaged[name].lerp_(value, share)
        else:
            averaged[name].copy_(value)


def _scores_with(
    network: nn.Module, state: Mapping[str, Tensor], pictures: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Scores with other weights; the network's own are put back."""
    own = {name: value.clone() for name, value in network.state_dict().items()}
    network.load_state_dict(state)
    network.eval()
    try:
        return scores_of(network, pictures)
    finally:
        network.load_state_dict(own)
