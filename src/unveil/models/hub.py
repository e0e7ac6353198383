"""Models of the Hugging Face hub: folders with a configuration and weights, found on this machine only.

A model is looked for in the folder that a parameter names, then in the folder ``UNVEIL_WEIGHTS`` under the name
with ``--`` in place of ``/`` (``openai--clip-vit-large-patch14-336``), then in the hub's own cache. Nothing is
downloaded unless a person asks for it, and no pickle is executed: weights are safetensors, or a PyTorch file
that the library reads with ``weights_only=True``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unveil.core.errors import ConfigError, Unavailable
from unveil.core.fingerprint import digest
from unveil.models.weights import require_library
from unveil.models.weights_records import hash_of
from unveil.weights_folder import hub_folder

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_SAFE = ("model.safetensors", "model-*.safetensors")
_TORCH = ("pytorch_model.bin", "pytorch_model-*.bin")
_FACTS = ("*.json",)

PROCESSOR = "preprocessor_config.json"
"""The file that says how pictures become a network's input."""


@dataclass(frozen=True, slots=True)
class HubRecord:
    """A model that a component names by default.

    Attributes:
        name: ``owner/name`` on the hub.
        licence: SPDX identifier or a short statement.
        citation: authors, title, venue, year.
        component: registered name of the component that needs it.
    """

    name: str
    licence: str
    citation: str
    component: str

    @property
    def url(self) -> str:
        """A page that a person can open."""
        return f"https://huggingface.co/{self.name}"


CLIP = HubRecord(
    name="openai/clip-vit-large-patch14-336",
    licence="MIT (weights)",
    citation="Radford et al.: Learning Transferable Visual Models From Natural Language Supervision, ICML 2021",
    component="image_encoder:clip-vit-large-patch14-336",
)

RESNET = HubRecord(
    name="microsoft/resnet-50",
    licence="Apache-2.0",
    citation="He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, CVPR 2016",
    component="classifier:hf",
)

DINO = HubRecord(
    name="facebook/dinov2-base",
    licence="Apache-2.0",
    citation="Oquab et al.: DINOv2: Learning Robust Visual Features without Supervision, TMLR 2024",
    component="image_encoder:hf",
)

RTDETR = HubRecord(
    name="PekingU/rtdetr_r18vd",
    licence="Apache-2.0",
    citation="Zhao et al.: DETRs Beat YOLOs on Real-time Object Detection, CVPR 2024",
    component="object_detector:hf",
)

MASK2FORMER = HubRecord(
    name="facebook/mask2former-swin-tiny-coco-instance",
    licence="MIT",
    citation="Cheng et al.: Masked-attention Mask Transformer for Universal Image Segmentation, CVPR 2022",
    component="segmenter:hf",
)

SWIN2SR = HubRecord(
    name="caidas/swin2SR-classical-sr-x4-64",
    licence="Apache-2.0",
    citation="Conde et al.: Swin2SR: SwinV2 Transformer for Compressed Image Super-Resolution, ECCVW 2022",
    component="low_resolution.swin2sr",
)

_NAMED = (CLIP, RESNET, DINO, RTDETR, MASK2FORMER, SWIN2SR)

HUB: Mapping[str, HubRecord] = {record.name: record for record in _NAMED}
"""Models that components name by default; any other can be named too."""


def check_name(model: str) -> str:
    """The name of a model, ``owner/name`` or ``name``.

    Raises:
        ValueError: for anything else, such as a path.
    """
    if not isinstance(model, str) or not _NAME.fullmatch(model):
        raise ValueError(f"model must be a name such as owner/name, got {model!r}; a folder goes into `folder`")
    return model


def require_model(model: str, folder: str = "", *, also: Sequence[str] = ()) -> None:
    """Raise Unavailable when the ``transformers`` library or the model is not on this machine."""
    require_library("transformers", distribution="'unveil[transformers]'")
    find_model(model, folder, also=also)


def find_model(model: str, folder: str = "", *, also: Sequence[str] = ()) -> Path:
    """The folder of a model, complete.

    Args:
        model: its name on the hub.
        folder: where it lies; searched alone when it is given.
        also: files that must be there beside ``config.json`` and the weights.

    Raises:
        Unavailable: says what is missing and the command that gets it.
    """
    found = hub_folder(model, folder)
    remedy = f"get it with: unveil weights fetch {model}"
    if found is None:
        raise Unavailable(f"the model {model} is not on this machine; {remedy}")
    missing = [file for file in ("config.json", *also) if not (found / file).is_file()]
    if not weights_files(found):
        missing.append("model.safetensors")
    if missing:
        raise Unavailable(f"the folder {found} of the model {model} has no {' and no '.join(missing)}; {remedy}")
    return found


def weights_files(folder: Path) -> list[Path]:
    """The weights in a folder, safetensors where there are any."""
    for patterns in (_SAFE, _TORCH):
        if files := sorted(path for pattern in patterns for path in folder.glob(pattern)):
            return files
    return []


def content_fingerprint(folder: Path) -> str:
    """Hash of everything in a model's folder that decides its output."""
    files = [*weights_files(folder), folder / "config.json", folder / PROCESSOR]
    return digest({path.name: hash_of(path) for path in files if path.is_file()})


def fetch_model(model: str) -> Path:
    """Download a model into the hub's cache: configuration and safetensors, nothing that can run.

    Where a model has no safetensors, its PyTorch weights are taken; they are read as data only.

    Raises:
        ConfigError: for something that is no name.
        Unavailable: when it cannot be had.
    """
    try:
        check_name(model)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    require_library("huggingface_hub", distribution="'unveil[transformers]'")
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(model, allow_patterns=[*_FACTS, *_SAFE]))
        if not weights_files(folder):
            folder = Path(snapshot_download(model, allow_patterns=[*_FACTS, *_TORCH]))
    except OSError as error:  # of the hub, of the network, of the disk
        raise Unavailable(f"the model {model} cannot be had from the hub: {error}") from error
    return find_model(model, str(folder))
