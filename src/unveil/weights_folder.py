"""Where weights lie on this machine: one rule for the models and for the methods that are networks themselves."""

from __future__ import annotations

import os
from pathlib import Path

from unveil.core.errors import ConfigError


def given_folder() -> Path | None:
    """The folder that ``UNVEIL_WEIGHTS`` names; None when it names none.

    Raises:
        ConfigError: when there is no such folder. Else all weights in it would be called missing.
    """
    named = os.environ.get("UNVEIL_WEIGHTS")
    if named and not Path(named).is_dir():
        raise ConfigError(
            f"UNVEIL_WEIGHTS must name a folder, and there is none at {named!r}; make it, or unset the variable"
        )
    return Path(named) if named else None


def hub_folder(model: str, folder: str = "") -> Path | None:
    """The folder of a model of the Hugging Face hub; None when it is not on this machine.

    Looked for in ``UNVEIL_WEIGHTS`` under the name with ``--`` in place of ``/``, then in the hub's own cache.
    Nothing is downloaded, and what the folder holds is not looked at.

    Args:
        model: ``owner/name``.
        folder: taken as it is when it is given.
    """
    if folder:
        return Path(folder)
    if (given := given_folder()) and (own := given / model.replace("/", "--")).is_dir():
        return own
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(model, "config.json")
    return Path(cached).parent if isinstance(cached, str) else None
