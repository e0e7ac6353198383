"""The ``transformers`` library, kept to the files of one folder and quiet."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from unveil.core.errors import Unavailable
from unveil.models.hub import PROCESSOR, weights_files


def library() -> Any:
    """The library, without its progress bars and its remarks about new heads.

    Raises:
        Unavailable: when it cannot be imported; says why.
    """
    try:
        transformers: Any = import_module("transformers")
    except ImportError as error:
        raise Unavailable(f"the library 'transformers' cannot be imported: {error}") from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def configuration(folder: Path) -> Any:
    """``config.json`` as the library reads it. Code that a folder brings is never run.

    Raises:
        Unavailable: when the library does not know this kind of model, or the file is damaged.
    """
    try:
        return library().AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        raise Unavailable(f"{folder / 'config.json'} cannot be used: {error}") from error


def processor(folder: Path) -> Any:
    """What turns pictures into the network's input, computed with Pillow and NumPy.

    Raises:
        Unavailable: when the library does not know it, or the file is damaged.
    """
    try:
        return library().AutoImageProcessor.from_pretrained(folder, local_files_only=True, backend="pil")
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise Unavailable(f"{folder / PROCESSOR} cannot be used: {error}") from error


def pretrained(kind: Any, folder: Path, config: Any, *, new_head: bool = False) -> Any:
    """A network with the weights of a folder.

    Args:
        kind: class of the library, such as ``AutoModel``.
        folder: with the weights.
        config: of the network.
        new_head: whether the weights outside the network's base may be missing, or of another size.

    Raises:
        Unavailable: when the weights are damaged or do not belong to this network: a network with random weights
            is never handed out.
    """
    safe = weights_files(folder)[0].suffix == ".safetensors"
    try:
        network, loaded = kind.from_pretrained(
            folder,
            config=config,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=safe,
            weights_only=True,
            ignore_mismatched_sizes=new_head,
            output_loading_info=True,
        )
    except _damaged() as error:
        raise Unavailable(f"the weights in {folder} cannot be used: {error}") from error
    base = f"{network.base_model_prefix}." if new_head else ""
    absent = {*loaded["missing_keys"], *(key for key, *_ in loaded["mismatched_keys"])}
    if lacking := sorted(key for key in absent if key.startswith(base)):
        raise Unavailable(f"the weights in {folder} have nothing fitting for {len(lacking)} tensors, {lacking[0]} "
                          f"among them; they belong to another network than {type(network).__name__}")  # fmt: skip
    return network.eval()


def _damaged() -> tuple[type[Exception], ...]:
    import pickle

    from safetensors import SafetensorError

    return (OSError, ValueError, RuntimeError, KeyError, SafetensorError, pickle.UnpicklingError)
