"""Low resolution and back with a network: super resolution draws detail that looks right and is invented."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unveil.core.errors import Unavailable
from unveil.core.fingerprint import digest, file_hash
from unveil.core.protocols import Guarantee, MethodMeta, ProtectionContext, Source
from unveil.core.types import Image
from unveil.core.validation import number, text
from unveil.methods.low_resolution import SOURCE, reduced
from unveil.methods.region import Region, Where
from unveil.methods.silhouettes import Result
from unveil.weights_folder import hub_folder

_WEIGHTS = ("model.safetensors", "pytorch_model.bin")  # the second is read with weights_only=True, never executed


class Swin2SR:
    """Low resolution with super resolution: reduced by a factor and enlarged again by the Swin2SR network.

    The network enlarges by its own factor (4 in the default model), as often as it takes to reach the size of the
    original; what is too much is averaged away. The weights are looked for in ``folder``, else in the folder
    ``UNVEIL_WEIGHTS`` under the model's name with ``--`` in place of ``/``, else in the hub's cache; nothing is
    downloaded.

    Args:
        factor: by which each side is divided, at least 1.
        model: name on the Hugging Face hub of a Swin2SR model.
        folder: that holds the model's ``config.json`` and weights, or ``""``.
        region: ``image``, ``face`` or ``person``.
        margin: share by which a face box grows on each side, or a person's mask.

    Raises:
        ValueError: for a parameter outside its range.
    """

    meta = MethodMeta(
        name="low_resolution.swin2sr",
        version=1,
        scope="image",
        deterministic=True,
        source=Source(
            "M. V. Conde, U.-J. Choi, M. Burchi, R. Timofte, Swin2SR: SwinV2 Transformer for Compressed Image "
            f"Super-Resolution and Restoration, ECCV Workshops 2022; {SOURCE.citation}",
            licence="Apache-2.0 (weights of the default model)",
            url="https://arxiv.org/abs/2209.11345",
        ),
    )
    not_identity = ("folder",)

    def __init__(
        self,
        *,
        factor: float = 8.0,
        model: str = "caidas/swin2SR-classical-sr-x4-64",
        folder: str = "",
        region: Where = "image",
        margin: float = 0.0,
    ) -> None:
        self.factor = number("factor", factor, low=1)
        self.model = text("model", model)
        if not isinstance(folder, str):
            raise ValueError(f"folder must be a text, got {folder!r}")
        self.folder = folder
        self.region, self.margin = region, margin
        self._region = Region(region, margin)
        self.meta = self._region.meta(self.meta)
        self._network: Any = None

    @property
    def guarantee(self) -> Guarantee | None:
        """None: the network invents from what the reduced picture still shows."""
        return None

    def require(self) -> None:
        """Say so when the library or the weights are missing.

        Raises:
            Unavailable: with the command that brings them.
        """
        if importlib.util.find_spec("transformers") is None:
            raise Unavailable(
                "the library 'transformers' is not installed; get it with: pip install 'unveil[transformers]'"
            )
        self._files()

    def content_fingerprint(self) -> str:
        """Digest of the weights and the network's configuration, part of the method's identity."""
        return digest({path.name: file_hash(path) for path in self._files()})

    def protect(self, images: Sequence[Image], context: ProtectionContext) -> list[Result]:
        """Pictures of the same size; ``no_face`` where the region is the face and none is found.

        Raises:
            Unavailable: when the weights are missing or damaged.
        """
        return self._region.protect(images, context, lambda sample: self._degrade)

    def _degrade(self, image: Image) -> Image:
        import cv2

        height, width = image.shape[:2]
        small = reduced(image, self.factor)
        while small.shape[0] < height or small.shape[1] < width:
            small = self._enlarged(small)
        return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_AREA), np.uint8)

    def _enlarged(self, image: Image) -> Image:
        import torch

        self._network = self._network or self._load()
        window, scale = self._network.config.window_size, self._network.config.upscale
        height, width = image.shape[:2]
        # The network cuts its input into windows; mirrored, so that also a picture of one pixel fills one.
        padded = np.pad(image, ((0, -height % window), (0, -width % window), (0, 0)), mode="symmetric")
        pixels = torch.from_numpy(padded.astype(np.float32) / 255).permute(2, 0, 1)[None]
        with torch.inference_mode():
            drawn = self._network(pixel_values=pixels).reconstruction[0].permute(1, 2, 0).numpy()
        return np.rint(np.clip(drawn[: height * scale, : width * scale], 0, 1) * 255).astype(np.uint8)

    def _load(self) -> Any:
        from safetensors import SafetensorError

        library: Any = importlib.import_module("transformers")
        library.utils.logging.disable_progress_bar()
        folder = self._files()[0].parent
        how = {"local_files_only": True, "weights_only": True, "output_loading_info": True}
        try:
            config = library.AutoConfig.from_pretrained(folder, local_files_only=True)
            if not isinstance(config, library.Swin2SRConfig) or config.upscale < 2:
                raise Unavailable(f"the model in {folder} is no Swin2SR network that enlarges")
            kind = library.Swin2SRForImageSuperResolution
            network, report = kind.from_pretrained(folder, config=config, **how)
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            raise Unavailable(f"the weights of {self.model} in {folder} cannot be used: {error}") from error
        if report["missing_keys"] or report["mismatched_keys"]:  # they would be random numbers
            raise Unavailable(f"the weights in {folder} are not those of the network in its config.json")
        return network.eval()

    def _files(self) -> list[Path]:
        """Configuration and weights."""
        remedy = f"get it with: unveil weights fetch {self.model}"
        folder = hub_folder(self.model, self.folder)
        if folder is None:
            raise Unavailable(f"the model {self.model} is not on this machine; {remedy}")
        weights = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
        if weights is None or not (folder / "config.json").is_file():
            missing = "weights" if weights is None else "config.json"
            raise Unavailable(f"the folder {folder} of the model {self.model} has no {missing}; {remedy}")
        return [folder / "config.json", weights]
