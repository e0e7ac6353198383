"""The cache: derived files under keys that say what they were derived from.

Shared by all runs. Deleting it costs time, never an answer.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pyarrow as pa
import pyarrow.parquet as pq

from unveil.core.errors import StoreError
from unveil.core.fingerprint import bytes_hash
from unveil.core.types import Failure, Image, Reason
from unveil.images import encode_png, read_image
from unveil.store.files import write_atomically


class Artifacts:
    """Content-addressed files: protected pictures, detections, embeddings, trained weights.

    Args:
        root: folder of the cache; ``UNVEIL_CACHE`` or the user's cache folder when None.
    """

    def __init__(self, root: Path | None = None) -> None:
        chosen = root or os.environ.get("UNVEIL_CACHE") or platformdirs.user_cache_dir("unveil")
        self.root = Path(chosen)

    def path(self, kind: str, key: str, suffix: str) -> Path:
        """Where a file of this kind and key lies, or would lie."""
        return self.root / kind / key[:2] / f"{key}{suffix}"

    def has_image(self, key: str) -> bool:
        """Whether the protected picture is there."""
        return self.path("images", key, ".png").is_file()

    def put_image(self, key: str, image: Image) -> str:
        """Store a picture losslessly. Returns the hash of its pixels.

        The same key may be written again with the same bytes only: methods draw from named random
        streams, so another result means that something undeclared entered it.

        Raises:
            StoreError: when the key already holds another picture.
        """
        data = encode_png(image)
        path = self.path("images", key, ".png")
        if path.is_file():
            held = read_image(path)
            if not isinstance(held, Failure) and (held.shape != image.shape or (held != image).any()):
                raise StoreError(
                    f"{path}: the method gave another picture for the same input, parameters and seed; "
                    "raise its `version` if it was changed, or delete the file"
                )
        write_atomically(path, data)
        return bytes_hash(image.tobytes())

    def image(self, key: str) -> Image | Failure:
        """A protected picture."""
        path = self.path("images", key, ".png")
        if not path.is_file():
            return Failure(Reason.MISSING, f"protected picture {key} is no longer in the cache")
        return read_image(path)

    def put(self, path: Path, data: bytes) -> None:
        """Store a file, whole or not at all; ``path`` comes from :meth:`path`."""
        write_atomically(path, data)

    def table(
        self, kind: str, key: str, make: Callable[[], pa.Table], keep: Callable[[pa.Table], bool]
    ) -> pa.Table:
        """The table under this key; made when it is not there (or damaged), stored when worth to ``keep``."""
        path = self.path(kind, key, ".parquet")
        if path.is_file():
            with contextlib.suppress(pa.ArrowInvalid, OSError):
                return pq.ParquetFile(path).read()
        table = make()
        if not keep(table):
            return table
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        write_atomically(path, sink.getvalue().to_pybytes())
        return table
