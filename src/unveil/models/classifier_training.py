"""From a training set to the weights of a multi-label classifier, with their provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn.utils import convert_conv2d_weight_memory_format

from unveil.core.fingerprint import bytes_hash, rng
from unveil.core.roles import ModelMeta, TrainingSet
from unveil.models.augmentation import Augmentation
from unveil.models.labelled import Labelled, read_splits
from unveil.models.trained import pack, unpack
from unveil.models.training import Schedule, fit


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a component adds to the common training.

    Attributes:
        meta: of the component.
        parameters: of the component, for the provenance.
        width, height: of the canvas that pictures are letterboxed to.
        build: a network for a number of labels; may draw from PyTorch's random stream.
        schedule, augmentation: how it learns.
    """

    meta: ModelMeta
    parameters: Mapping[str, Any]
    width: int
    height: int
    build: Callable[[int], nn.Module]
    schedule: Schedule
    augmentation: Augmentation


def train_classifier(
    recipe: Recipe, data: TrainingSet, seed: int, tell: Callable[[int], None], start: bytes | None = None
) -> bytes:
    """Weights as a safetensors file whose header says how they were trained.

    A label that no picture of the train split shows, or that all show, is trained like the others: its score then
    says nothing, and the provenance names it.

    Args:
        recipe: of the component.
        data, seed, tell: as in :class:`unveil.core.roles.Trainable`.
        start: weights to go on from, of the same component.

    Raises:
        DataError: when there is nothing to learn from.
    """
    train, validation = read_splits(data, recipe.width, recipe.height)
    draw = rng("train", recipe.meta.name, seed)
    with torch.random.fork_rng(devices=[]):  # whoever uses PyTorch's own stream elsewhere is not disturbed
        torch.manual_seed(int(draw.integers(1 << 62)))
        stream = torch.Generator().manual_seed(int(draw.integers(1 << 62)))
        network = recipe.build(len(data.labels))
        if start is not None:
            network.load_state_dict(unpack(start, recipe.meta.name)[0])
        network = convert_conv2d_weight_memory_format(network, torch.channels_last)
        fitted = fit(network, train, validation, recipe.schedule, recipe.augmentation, stream, tell)
    facts = {
        "model": recipe.meta.name,
        "version": recipe.meta.version,
        "parameters": recipe.parameters,
        "seed": seed,
        "started_from": "" if start is None else bytes_hash(start),
        "labels": data.labels,
        "canvas": (recipe.width, recipe.height),
        "train": _described(train, data.labels),
        "validation": _described(validation, data.labels),
        "torch": torch.__version__,
        **fitted.facts,
    }
    return pack(fitted.state, facts)


def _described(split: Labelled, labels: tuple[str, ...]) -> dict[str, Any]:
    positive = split.truth.sum(axis=0).tolist()
    return {
        "pictures": len(split),
        "left_out": split.left_out,
        "never_positive": [label for label, count in zip(labels, positive, strict=True) if count == 0],
        "always_positive": [label for label, count in zip(labels, positive, strict=True) if count == len(split)],
    }
