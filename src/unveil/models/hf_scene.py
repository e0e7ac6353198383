"""A network of the ``transformers`` library that says what is where in a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unveil.core.types import Image
from unveil.models.hf_library import configuration, library, pretrained, processor


@dataclass(frozen=True, slots=True)
class SceneModel:
    """A network with what prepares its input.

    Attributes:
        network: in evaluation mode.
        processor: the library's own; prepares pictures and reads outputs.
        names: number of a class -> its name.
    """

    network: Any
    processor: Any
    names: Mapping[int, str]

    def outputs(self, image: Image) -> Any:
        """What the network says about one picture.

        Alone, because padding to the size of a neighbour shifts the masks of several of the library's models.
        """
        return self.network(
            **self.processor(images=[image], return_tensors="pt", input_data_format="channels_last")
        )


def open_model(kind: str, folder: Path) -> SceneModel:
    """Read a model from its folder.

    Args:
        kind: class of the library, such as ``AutoModelForObjectDetection``.
        folder: complete, as :func:`unveil.models.hub.find_model` gives it.

    Raises:
        Unavailable: when the model is damaged, or none of this kind.
    """
    config = configuration(folder)
    network = pretrained(getattr(library(), kind), folder, config)
    return SceneModel(network, processor(folder), {int(number): name for number, name in config.id2label.items()})
