"""Privacy attributes of a picture by a pre-trained network whose head is learnt anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from unveil.core.protocols import Source
from unveil.core.roles import ModelMeta, TrainingSet
from unveil.core.validation import flag, number, whole
from unveil.models import hub

if TYPE_CHECKING:
    from unveil.models.trained_classifier import TrainedClassifier


class HfClassifier:
    """A pre-trained image classifier of the ``transformers`` library, fine-tuned for the labels of the run.

    The head is new; all weights are trained. Pictures are letterboxed, not cropped: attributes are seen at the
    border too. The weights must be on this machine: ``unveil weights fetch microsoft/resnet-50``.

    Args:
        model: name on the Hugging Face hub, of any model for image classification.
        folder: where the model lies, instead of the places where it is looked for by name.
        epochs: at most so many passes over the train split.
        patience: training stops after so many epochs without a better cMAP on the validation split.
        side: of the square canvas in pixels; a model that takes one size only takes its own.
        batch_size: pictures per step, at least 2.
        learning_rate: at its highest.
        flips: mirror half of the pictures while it learns.

    Source: of the default, He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", CVPR 2016.
    """

    meta = ModelMeta(
        name="hf",
        version=1,
        role="classifier",
        source=Source(
            citation=f"Fine-tuned from a pre-trained network; the default is {hub.RESNET.citation}",
            licence=f"of the default: {hub.RESNET.licence}",
            url=hub.RESNET.url,
        ),
    )
    labels: tuple[str, ...] = ()
    not_identity = ("folder",)

    def __init__(
        self,
        *,
        model: str = hub.RESNET.name,
        folder: str = "",
        epochs: int = 15,
        patience: int = 5,
        side: int = 224,
        batch_size: int = 32,
        learning_rate: float = 3e-4,
        flips: bool = True,
    ) -> None:
        self.model = hub.check_name(model)
        self.folder = folder
        self.epochs = whole("epochs", epochs)
        self.patience = whole("patience", patience)
        self.side = whole("side", side, low=32)
        self.batch_size = whole("batch_size", batch_size, low=2)
        self.learning_rate = number("learning_rate", learning_rate, above=0)
        self.flips = flag("flips", flips)

    def require(self) -> None:
        """Raise Unavailable when the library or the model is missing."""
        hub.require_model(self.model, self.folder, also=[hub.PROCESSOR])

    def content_fingerprint(self) -> str:
        """Hash of the pre-trained weights and their configuration: part of the identity."""
        return hub.content_fingerprint(hub.find_model(self.model, self.folder))

    def train(self, data: TrainingSet, seed: int, tell: Callable[[int], None]) -> bytes:
        """Weights as a safetensors file that says how they were trained.

        Raises:
            DataError: when there is nothing to learn from.
            Unavailable: when the pre-trained weights are missing or of another network.
        """
        from unveil.models.augmentation import Augmentation
        from unveil.models.classifier_training import Recipe, train_classifier
        from unveil.models.hf_network import input_side, pretrained_classifier
        from unveil.models.training import Schedule

        folder = hub.find_model(self.model, self.folder, also=[hub.PROCESSOR])
        side = input_side(folder, self.side)
        return train_classifier(
            Recipe(
                meta=self.meta,
                parameters={key: value for key, value in vars(self).items() if key != "folder"},
                width=side,
                height=side,
                build=partial(pretrained_classifier, folder),
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
            Unavailable: when the library or the model's configuration is missing.
        """
        from unveil.models.hf_network import blank_classifier
        from unveil.models.trained_classifier import load_classifier

        folder = hub.find_model(self.model, self.folder)
        return load_classifier(weights, self.meta, partial(blank_classifier, folder))
