"""Networks of the ``deepface`` library: what they need, and how they are built without its hidden downloads.

The library runs on TensorFlow, PyTorch or ONNX Runtime, whichever it finds, and takes other weights for each.
Here it is always ONNX Runtime, so that what is installed beside it cannot change a result.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unveil.core.errors import Unavailable
from unveil.core.fingerprint import digest
from unveil.models.weights import require_library
from unveil.models.weights_files import hash_of

EXTRA = "'unveil[deepface]'"
"""What to install for the library."""

_BUILDING = threading.Lock()
"""The library is told by environment variables where its files are, and these belong to the whole process."""


@dataclass(frozen=True, slots=True)
class Network:
    """One entry of the library's table of models.

    Attributes:
        task: ``facial_recognition``, ``facial_attribute`` or ``face_detector``.
        name: of the model, as the library spells it.
        files: name under which the library looks for a file -> what finds it, or raises Unavailable.
        watched: further files that it reads, found in the same way; they are where it looks for them.
        libraries: module -> what to install for it, besides deepface.
    """

    task: str
    name: str
    files: Mapping[str, Callable[[], Path]] = field(default_factory=dict)
    watched: Mapping[str, Callable[[], Path]] = field(default_factory=dict)
    libraries: Mapping[str, str] = field(default_factory=dict)

    def require(self) -> None:
        """Raise Unavailable when a library or a file is missing; nothing is imported."""
        require_library("deepface", distribution=EXTRA)
        spec = importlib.util.find_spec("deepface")
        roots = (spec.submodule_search_locations if spec else None) or ()
        if not any(Path(root, "commons", "onnx_utils.py").is_file() for root in roots):
            version = importlib.metadata.version("deepface")
            raise Unavailable(
                f"deepface {version} has no ONNX networks; install a newer one: pip install -U {EXTRA}"
            )
        for module, distribution in self.libraries.items():
            require_library(module, distribution=distribution)
        for locate in (*self.files.values(), *self.watched.values()):
            locate()

    def hashes(self) -> dict[str, str]:
        """File name -> SHA-256 of every file that it reads."""
        return {name: hash_of(locate()) for name, locate in (*self.files.items(), *self.watched.items())}

    def fingerprint(self) -> str:
        """Of the bytes of every file, and the library's version: its own code prepares the pictures."""
        return digest("deepface", importlib.metadata.version("deepface"), self.hashes())

    def build(self) -> Any:
        """The library's object for this model. It sees the files found here, and no others.

        Raises:
            Unavailable: when something is missing, a file is damaged, or the network does not run where it should.
        """
        self.require()
        with _BUILDING, _only_these(self.files):
            try:
                with warnings.catch_warnings():  # retina-face silences all of the process when it is imported
                    if self.name == "retinaface":
                        _prepare_retinaface()
                    client = self._class()()
            except (ImportError, ValueError) as error:  # what the library raises for a file it cannot load
                cause = error.__cause__ or error
                raise Unavailable(f"deepface cannot load {self.name}: {error} ({cause})") from error
        session: Any = getattr(client.model, "session", client.model)  # of retina-face, inside its own object
        if hasattr(session, "get_providers"):
            _refuse_fallback(session.get_providers())
        return client

    def _class(self) -> type:
        modeling = importlib.import_module("deepface.modules.modeling")
        sources = modeling.AVAILABLE_MODELS[self.task][self.name]
        module, _, name = (sources.get("onnx") or sources["any"]).rpartition(".")
        return getattr(importlib.import_module(module), name)


@contextmanager
def _only_these(files: Mapping[str, Callable[[], Path]]) -> Iterator[None]:
    """A home folder for the library with links to these files; it lasts as long as a model is built."""
    with tempfile.TemporaryDirectory(prefix="unveil-") as home:
        weights = Path(home, ".deepface", "weights")
        weights.mkdir(parents=True)
        for name, locate in files.items():
            (weights / name).symlink_to(locate().resolve())
        wanted = {"DEEPFACE_HOME": home, "DEEPFACE_BACKEND_ENGINE": "onnx"}
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def _prepare_retinaface() -> None:
    """retina-face decides once in a process what it runs on, and builds one network for all.

    On another engine it would download other weights; and the network may be made of another file.
    """
    engine = importlib.import_module("retinaface.commons.backend_utils").get_backend_engine()
    if engine != "onnx":
        raise Unavailable(
            f"retina-face already runs on {engine} in this process; start it with DEEPFACE_BACKEND_ENGINE=onnx"
        )
    vars(importlib.import_module("retinaface.RetinaFace")).pop("model", None)


def _refuse_fallback(running: list[str]) -> None:
    """ONNX Runtime goes on with the processor when an accelerator does not work, and hardly says so."""
    import onnxruntime
    from deepface.commons import onnx_utils

    asked = os.environ.get(onnx_utils.PROVIDERS_ENV_VAR)
    names = (asked or onnx_utils.DEFAULT_PROVIDERS).lower().replace(" ", "").split(",")
    wanted = [onnx_utils.PROVIDERS[name] for name in names if name != "cpu"]
    if not asked:  # by default an accelerator is taken where the installed ONNX Runtime has it
        wanted = [provider for provider in wanted if provider in onnxruntime.get_available_providers()]
    if wanted and not set(wanted) & set(running):
        raise Unavailable(
            f"ONNX Runtime does not run on {' or '.join(wanted)} here, but on {', '.join(running)}; "
            f"repair it, or set {onnx_utils.PROVIDERS_ENV_VAR}=cpu"
        )
