"""A small object detector that learns from the pictures of the run, from scratch, in about a minute."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from unveil.core.errors import DataError
from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta, TrainingSet
from unveil.core.scenes import CLASSES
from unveil.core.validation import number, whole
from unveil.models.trained import pack, unpack
from unveil.models.weights import require_library

if TYPE_CHECKING:
    from unveil.models.small_detector_trained import TrainedSmallDetector

_NAME = "object_detector:small"

_SIDES = 128
"""Both sides of the 4:3 input are then multiples of 32, the coarsest stride of the network."""


class SmallDetector:
    """The ten object classes by a small network of centres, trained from scratch on the run's own pictures.

    It learns from the train split; the validation split decides the threshold: the score that maximises F1 at
    IoU 0.5 over all classes together. Objects of other classes are ignored, and a class that never occurs is
    never found. Training keeps all pictures in memory, at the size of the network's input.

    Args:
        epochs: how often every training picture is seen, at least 1.
        batch_size: pictures per step, at least 2.
        learning_rate: largest of the one cycle, above 0.
        width: channels at stride 4, an even number from 8; time grows with its square.
        side: longer side of the network's input in pixels, a multiple of 128; the input is 4:3, and pictures are
            fitted into it.

    Sources: see :mod:`unveil.models.small_detector_network` and :mod:`unveil.models.small_detector_loss`.
    """

    meta = ModelMeta(
        name="small",
        version=1,
        role="object_detector",
        source=Source(
            citation="Liu, Zheng, Xu, Yang, Liu, Cai: Training-Time-Friendly Network for Real-Time Object "
            "Detection, AAAI 2020; Zhou, Wang, Krähenbühl: Objects as Points, arXiv:1904.07850, 2019",
            licence="Apache-2.0",
            url="https://arxiv.org/abs/1909.00700",
        ),
    )

    def __init__(
        self,
        *,
        epochs: int = 20,
        batch_size: int = 8,
        learning_rate: float = 4e-3,
        width: int = 16,
        side: int = 256,
    ) -> None:
        self.epochs = whole("epochs", epochs)
        self.batch_size = whole("batch_size", batch_size, low=2)
        self.learning_rate = number("learning_rate", learning_rate, above=0)
        self.width = whole("width", width, low=8)
        self.side = whole("side", side, low=_SIDES)
        if width % 2:
            raise ValueError(f"width must be even, got {width!r}")
        if side % _SIDES:
            raise ValueError(f"side must be a multiple of {_SIDES} pixels, got {side!r}")

    def require(self) -> None:
        """Raise Unavailable when PyTorch or safetensors is missing."""
        require_library("torch", distribution="torch")
        require_library("safetensors", distribution="safetensors")

    def train(self, data: TrainingSet, seed: int, tell: Callable[[int], None]) -> bytes:
        """Weights as a safetensors file, whose header says how they came about, with the threshold.

        Raises:
            DataError: when a split has no object of the known classes in a usable picture.
        """
        from unveil.models.small_detector_data import scenes
        from unveil.models.small_detector_training import Plan, best_threshold, fit

        size = {"width": self.side, "height": self.side * 3 // 4}
        learnt, judged = scenes(data, data.train, **size), scenes(data, data.validation, **size)
        for split, found, samples in (("train", learnt, data.train), ("validation", judged, data.validation)):
            if not any(len(scene.classes) for scene in found):
                usable = f"{len(found)} of {len(samples)} pictures are usable"
                raise DataError(f"no object to learn from in the {split} split: {usable}")
        plan = Plan(self.epochs, self.batch_size, self.learning_rate, self.width)
        network = fit(learnt, plan, seed, tell)
        threshold, f1 = best_threshold(network, judged)
        facts = {
            "model": _NAME,
            "version": self.meta.version,
            "classes": CLASSES,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "learning_rate": self.learning_rate,
            "width": self.width,
            "side": self.side,
            "seed": seed,
            "train_pictures": len(learnt),
            "validation_pictures": len(judged),
            "validation_f1": round(f1, 4),
            "threshold": threshold,
        }
        return pack(network.state_dict(), facts)

    def load(self, weights: bytes) -> TrainedSmallDetector:
        """The detector with these weights.

        Raises:
            DataError: when they are no weights of this detector.
        """
        from unveil.models.small_detector_trained import TrainedSmallDetector

        return TrainedSmallDetector(self.meta, *unpack(weights, _NAME))
