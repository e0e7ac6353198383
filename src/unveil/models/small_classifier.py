"""Privacy attributes of a picture by a small network that learns from nothing but the pictures of the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta, TrainingSet
from unveil.core.validation import flag, number, whole
from unveil.models.weights import require_library

if TYPE_CHECKING:
    from torch import nn

    from unveil.models.trained_classifier import TrainedClassifier

_SMALLEST = 32
"""Pixels: below, the last block has nothing left to look at."""


class SmallClassifier:
    """A residual network of a few hundred thousand weights, trained from scratch; for bundled-size data.

    It reaches useful precision after a minute on two cores, and far less than pre-trained networks on real
    photos: where their weights are on the machine, ``hf`` is the stronger attacker.

    Args:
        epochs: at most so many passes over the train split.
        patience: training stops after so many epochs without a better cMAP on the validation split.
        width, height: of the canvas in pixels, at least 32; pictures are letterboxed to it.
        channels: of the first block.
        batch_size: pictures per step, at least 2.
        learning_rate: at its highest.
        dropout: share of pooled features that are hidden while it learns, in [0, 0.9].
        flips: mirror half of the pictures while it learns.

    Source: after He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", CVPR 2016.
    """

    meta = ModelMeta(
        name="small",
        version=1,
        role="classifier",
        source=Source(
            citation="A small residual network after He, Zhang, Ren, Sun: Deep Residual Learning for Image "
            "Recognition, CVPR 2016",
            licence="Apache-2.0",
            url="https://arxiv.org/abs/1512.03385",
        ),
    )
    labels: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        epochs: int = 60,
        patience: int = 20,
        width: int = 160,
        height: int = 120,
        channels: int = 24,
        batch_size: int = 32,
        learning_rate: float = 4e-3,
        dropout: float = 0.2,
        flips: bool = True,
    ) -> None:
        self.epochs = whole("epochs", epochs)
        self.patience = whole("patience", patience)
        self.width = whole("width", width, low=_SMALLEST)
        self.height = whole("height", height, low=_SMALLEST)
        self.channels = whole("channels", channels)
        self.batch_size = whole("batch_size", batch_size, low=2)
        self.learning_rate = number("learning_rate", learning_rate, above=0)
        self.dropout = number("dropout", dropout, low=0, high=0.9)
        self.flips = flag("flips", flips)

    def require(self) -> None:
        """Raise Unavailable when a library is missing."""
        require_library("torch", distribution="torch")
        require_library("safetensors", distribution="safetensors")

    def train(self, data: TrainingSet, seed: int, tell: Callable[[int], None]) -> bytes:
        """Weights as a safetensors file that says how they were trained.

        Raises:
            DataError: when there is nothing to learn from.
        """
        from unveil.models.augmentation import Augmentation
        from unveil.models.classifier_training import Recipe, train_classifier
        from unveil.models.training import Schedule

        return train_classifier(
            Recipe(
                meta=self.meta,
                parameters=vars(self),
                width=self.width,
                height=self.height,
                build=self._network,
                schedule=Schedule(self.epochs, self.patience, self.batch_size, self.learning_rate),
                augmentation=Augmentation(flips=self.flips),
            ),
            data,
            seed,
            tell,
        )

    def load(self, weights: bytes) -> TrainedClassifier:
        """The classifier with these weights.

        Raises:
            DataError: when they were not trained by this component with these parameters.
        """
        from unveil.models.trained_classifier import load_classifier

        return load_classifier(weights, self.meta, self._network)

    def _network(self, labels: int) -> nn.Module:
        from unveil.models.small_network import SmallNetwork

        return SmallNetwork(labels=labels, channels=self.channels, dropout=self.dropout)
