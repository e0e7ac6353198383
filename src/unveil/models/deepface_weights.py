"""Where the weights of the ``deepface`` library lie. It is never left to download them by itself at first use.

Of its networks in ONNX format no SHA-256 is published. A file of theirs is taken as it is, and its own hash goes
into the identity of the component: another file is another component.
"""

from __future__ import annotations

import os
from pathlib import Path

from unveil.core.errors import Unavailable
from unveil.models.weights_files import WeightsRecord, cache_folder, find, hash_of, verify
from unveil.weights_folder import given_folder


def find_published(file: str, *, task: str, model: str) -> Path:
    """A file of which no hash is published: in ``UNVEIL_WEIGHTS``, unveil's cache, or the library's own folder.

    Args:
        file: its name, as the library calls it.
        task, model: what the library must be asked for to get it.

    Raises:
        Unavailable: when it is nowhere; with the call that gets it.
    """
    for folder in (given_folder(), cache_folder(), _own_folder()):
        if folder and (folder / file).is_file():
            return folder / file
    call = (
        "from deepface.commons.folder_utils import initialize_folder; from deepface.modules.modeling import "
        f"build_model; initialize_folder(); build_model({task!r}, {model!r})"
    )
    raise Unavailable(
        f"the weights {file} are not on this machine. No hash of them is published, so unveil does not fetch them "
        f'itself; get them with: DEEPFACE_BACKEND_ENGINE=onnx python -c "{call}" (or put the file, from '
        f"https://github.com/serengil/deepface_models/releases/download/v1.0/{file}, into a folder that "
        "UNVEIL_WEIGHTS names)"
    )


def find_recorded(record: WeightsRecord) -> Path:
    """A file with a known hash, also where the library has put it.

    Raises:
        Unavailable: as :func:`unveil.models.weights_files.find`.
    """
    own = _own_folder() / record.name
    if all(state == "missing" for _, state in verify(record)) and own.is_file() and hash_of(own) == record.sha256:
        return own
    return find(record)


def _own_folder() -> Path:
    """Where the library looks for weights and keeps them."""
    return Path(os.environ.get("DEEPFACE_HOME") or Path.home()) / ".deepface" / "weights"
