"""Where the ``deepface`` library keeps weights. It is never left to download them by itself at first use.

Of its networks in ONNX format no SHA-256 is published. A file of theirs is taken as it is, and its own hash goes
into the identity of the component: another file is another component.
"""

from __future__ import annotations

import os
from pathlib import Path


def library_folder() -> Path:
    """Where the library looks for weights and keeps them."""
    return Path(os.environ.get("DEEPFACE_HOME") or Path.home()) / ".deepface" / "weights"
