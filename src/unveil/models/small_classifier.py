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

    from unveil.models.classifier_training import Recipe
    from unveil.models.trained_classifier import TrainedClassifier

_SMALLEST = 32
"""Pixels: below, the last block has nothing left to look at."""

_GENTLY = 0.5
"""Share of the learning rate when known weights are refined."""

_ORTHOGONAL = 5.0
"""The filters learn so much faster than the rest."""

_SHARDS = 2
"""Parts of a batch that are computed at the same time."""


class SmallClassifier:
    """A residual network of a few hundred thousand weights, trained from scratch; for bundled-size data.

    It reaches useful precision after a minute on two cores, and far less than pre-trained networks on real
    photos: where their weights are on the machine, ``hf`` is the stronger attacker.

    Args:
        epochs: at most so many passes over the train split.
        refine_epochs: the same when weights of another version are refined, 1 to ``epochs``.
        patience: training stops after so many epochs without a better cMAP on the validation split.
        width, height: of the canvas in pixels, at least 32; pictures are letterboxed to it.
        channels: of the first block.
        batch_size: pictures per step, at least 2.
        learning_rate: at its highest.
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
        epochs: int = 40,
        refine_epochs: int = 12,
        patience: int = 12,
        width: int = 160,
        height: int = 120,
        channels: int = 24,
        batch_size: int = 32,
        learning_rate: float = 5e-3,
        flips: bool = True,
    ) -> None:
        self.epochs = whole("epochs", epochs)
        self.refine_epochs = whole("refine_epochs", refine_epochs)
        self.patience = whole("patience", patience)
        self.width = whole("width", width, low=_SMALLEST)
        self.height = whole("height", height, low=_SMALLEST)
        self.channels = whole("channels", channels)
        self.batch_size = whole("batch_size", batch_size, low=2)
        self.learning_rate = number("learning_rate", learning_rate, above=0)
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
        from unveil.models.classifier_training import train_classifier

        return train_classifier(self._recipe(self.epochs, self.learning_rate), data, seed, tell)

    def refine(self, data: TrainingSet, seed: int, tell: Callable[[int], None], start: bytes) -> bytes:
        """As :meth:`train`, from the weights that another version of the pictures has given.

        Raises:
            DataError: when there is nothing to learn from, or the weights are of another component.
        """
        from unveil.models.classifier_training import train_classifier

        return train_classifier(
            self._recipe(self.refine_epochs, _GENTLY * self.learning_rate), data, seed, tell, start
        )

    def _recipe(self, epochs: int, learning_rate: float) -> Recipe:
        from unveil.models.augmentation import Augmentation
        from unveil.models.classifier_training import Recipe
        from unveil.models.training import Schedule

        return Recipe(
            meta=self.meta,
            parameters=vars(self),
            width=self.width,
            height=self.height,
            build=self._network,
            schedule=Schedule(
                epochs, self.patience, self.batch_size, learning_rate, orthogonal=_ORTHOGONAL, shards=_SHARDS
            ),
            augmentation=Augmentation(flips=self.flips),
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

        return SmallNetwork(labels=labels, channels=self.channels)
