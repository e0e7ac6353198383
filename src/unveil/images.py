"""The one place where files become pixels and pixels become files.

A picture is always an upright 8-bit RGB array. What cannot be read is a Failure that says why.
"""

from __future__ import annotations

import contextlib
import io
import stat
import struct
import threading
import warnings
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import PIL
from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from unveil.core.types import Failure, Image, Reason

MAX_PIXELS: Final = 100_000_000
"""Pictures with more pixels are refused before they are decoded: they would take gigabytes."""

MAX_BYTES: Final = 1 << 30
"""Files with more bytes are refused before they are read."""

SUFFIXES: Final = frozenset(
    (
        *(".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".ppm", ".pgm", ".pbm", ".pnm"),
        *(".avif", ".heic", ".heif", ".jp2", ".ico"),
    )
)
"""File name endings (lower case) that dataset scanners take for pictures."""

_FORMATS: Final = ("JPEG", "PNG", "WEBP", "BMP", "DIB", "TIFF", "GIF", "PPM", "AVIF", "JPEG2000", "ICO")
# Named one by one, because Pillow would hand PostScript under any file name to Ghostscript.

_BROKEN: Final = (
    OSError, SyntaxError, ValueError, EOFError, MemoryError, LookupError, TypeError, ArithmeticError,
    AttributeError, RuntimeError, struct.error,
)  # fmt: skip
# What Pillow's decoders raise for damaged bytes.


def read_bytes(path: Path) -> bytes | Failure:
    """The bytes of a regular file of at most :data:`MAX_BYTES`; a Failure that says why not."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):  # a pipe would wait for ever
            return Failure(Reason.UNDECODABLE, f"{path.name}: not a regular file")
        if facts.st_size > MAX_BYTES:
            size, limit = facts.st_size / (1 << 20), MAX_BYTES >> 20
            return Failure(Reason.TOO_LARGE, f"{path.name}: {size:.0f} MiB, the limit is {limit}")
        return path.read_bytes()
    except OSError as error:
        return Failure(Reason.UNDECODABLE, f"{path.name}: {error.strerror or error}")


def read_image(path: Path) -> Image | Failure:
    """Decode a file: EXIF rotation applied, first frame, transparency over white, 16 bit scaled to 8.

    Colour profiles are not applied. Never raises for the content of a file. Failures: ``undecodable`` and
    ``too_large``, with the file's name, the rule and the value.
    """
    data = read_bytes(path)
    return data if isinstance(data, Failure) else decode(data, path.name)


def decode(data: bytes, name: str = "picture") -> Image | Failure:
    """Decode the bytes of a file; see :func:`read_image`."""
    if not data:
        return Failure(Reason.UNDECODABLE, f"{name}: the file is empty (0 bytes)")
    try:
        with _silence, Pillow.open(io.BytesIO(data), formats=_formats()) as file:
            width, height = file.size
            if width * height > MAX_PIXELS:
                return _too_large(name, width * height)
            file.load()
            with contextlib.suppress(*_BROKEN):  # broken metadata is not the picture's fault
                ImageOps.exif_transpose(file, in_place=True)
            return np.ascontiguousarray(_to_rgb(file))
    except Pillow.DecompressionBombError as error:
        return Failure(Reason.TOO_LARGE, f"{name}: {error}")
    except UnidentifiedImageError:
        return Failure(Reason.UNDECODABLE, f"{name}: not a picture in a known format{_hint(data)}")
    except _BROKEN as error:
        return Failure(Reason.UNDECODABLE, f"{name}: {error or type(error).__name__}")


def read_size(path: Path) -> tuple[int, int] | Failure:
    """Width and height of the upright picture from the head of its file; Failures as :func:`read_image`."""
    data = read_bytes(path)
    if isinstance(data, Failure):
        return data
    try:
        with _silence, Pillow.open(io.BytesIO(data), formats=_formats()) as file:
            width, height = file.size
            orientation = 1
            with contextlib.suppress(*_BROKEN):
                orientation = file.getexif().get(0x0112, 1)
            return (height, width) if orientation in (5, 6, 7, 8) else (width, height)
    except Pillow.DecompressionBombError as error:
        return Failure(Reason.TOO_LARGE, f"{path.name}: {error}")
    except _BROKEN as error:
        return Failure(Reason.UNDECODABLE, f"{path.name}: {error or type(error).__name__}")


def decoder() -> str:
    """What decides which files can be read: version of the library, and its optional formats."""
    return f"Pillow {PIL.__version__}: {' '.join(_formats())}"


def _too_large(name: str, pixels: int) -> Failure:
    limit = MAX_PIXELS // 1_000_000
    return Failure(Reason.TOO_LARGE, f"{name}: {pixels / 1e6:.0f} megapixels, the limit is {limit}")


def _to_rgb(picture: Pillow.Image) -> Image:
    if picture.mode.startswith("I;16") or picture.mode == "I":
        return _deep_grey(picture)
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        page = Pillow.new("RGBA", picture.size, (255, 255, 255, 255))
        picture = Pillow.alpha_composite(page, picture)
    return np.asarray(picture.convert("RGB"))


def _deep_grey(picture: Pillow.Image) -> Image:
    """16-bit grey, scaled: Pillow would clip it. A transparent value becomes white."""
    grey = np.asarray(picture).astype(np.float32)
    grey8 = np.clip(np.round(grey / 257.0), 0, 255).astype(np.uint8)
    if isinstance(clear := picture.info.get("transparency"), int):
        grey8[grey == clear] = 255
    return np.repeat(grey8[:, :, None], 3, axis=2)


def _hint(data: bytes) -> str:
    if data[4:8] == b"ftyp" and "HEIF" not in _formats():
        return " (HEIC/HEIF needs: pip install pillow-heif)"
    return ""


@cache
def _formats() -> tuple[str, ...]:
    try:
        import pillow_heif
    except ImportError:
        return _FORMATS
    pillow_heif.register_heif_opener()
    return (*_FORMATS, "HEIF")


class _Silence:
    """Ignores Python warnings while any thread decodes: ``catch_warnings`` alone is not thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._caught = warnings.catch_warnings()

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._caught = warnings.catch_warnings(action="ignore")
                self._caught.__enter__()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._caught.__exit__(None, None, None)


_silence = _Silence()


def encode_png(image: Image) -> bytes:
    """Lossless PNG with the fastest compression: protected pictures are evaluated as they are."""
    buffer = io.BytesIO()
    Pillow.fromarray(image).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def encode_jpeg(image: Image, *, quality: int = 85) -> bytes:
    """JPEG for showing, such as in a report."""
    buffer = io.BytesIO()
    Pillow.fromarray(image).save(buffer, "JPEG", quality=quality, optimize=True)
    return buffer.getvalue()


def valid_image(value: object) -> bool:
    """Whether ``value`` is a picture: uint8, (height, width, 3), at least one pixel."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == np.uint8
        and value.ndim == 3
        and value.shape[2] == 3
        and value.size > 0
    )
