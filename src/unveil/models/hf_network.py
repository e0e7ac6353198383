"""Image classifiers of the ``transformers`` library as networks from pictures in 0..1 to logits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unveil.models.hf_library import configuration, library, pretrained, processor


class WithStatistics(nn.Module):
    """A network that is given the mean and the deviation of the pictures it was trained on.

    Args:
        network: of the library.
        mean, deviation: of red, green and blue in 0..1.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, network: nn.Module, mean: Sequence[float], deviation: Sequence[float]) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("mean", torch.tensor(mean).view(3, 1, 1))
        self.register_buffer("deviation", torch.tensor(deviation).view(3, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        """Pictures in 0..1 -> logits."""
        return self.network((x - self.mean) / self.deviation).logits


def input_side(folder: Path, side: int) -> int:
    """Side of the square input: the model's own where it takes one size only, else ``side``."""
    own = getattr(configuration(folder), "image_size", side)
    return int(own if isinstance(own, int) else max(own))


def pretrained_classifier(folder: Path, labels: int) -> nn.Module:
    """A network with the weights of a folder and a new head, drawn from PyTorch's random stream.

    Raises:
        Unavailable: when the weights are not there, damaged or of another network.
    """
    kind = library().AutoModelForImageClassification
    network = pretrained(kind, folder, _config(folder, labels), new_head=True)
    base = {id(module) for module in network.base_model.modules()}
    for module in network.modules():
        if id(module) not in base and isinstance(module, nn.Linear):
            module.reset_parameters()  # also when the old head happens to have as many labels
    facts = processor(folder)
    return WithStatistics(network, facts.image_mean, facts.image_std)


def blank_classifier(folder: Path, labels: int) -> nn.Module:
    """The same network with weights that are there to be replaced."""
    network = library().AutoModelForImageClassification.from_config(_config(folder, labels))
    return WithStatistics(network, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


def _config(folder: Path, labels: int) -> Any:
    config = configuration(folder)
    config.num_labels = labels
    config.problem_type = "multi_label_classification"
    return config
