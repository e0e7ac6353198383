"""The one place where files become pixels and pixels become files.

A picture is always an upright 8-bit RGB array. What cannot be read is a Failure that says why.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from unveil.core.types import Failure, Image, Reason

MAX_PIXELS = 100_000_000
"""Pictures with more pixels are refused before they are decoded: they would take gigabytes."""

SUFFIXES = frozenset(
    ".jpg .jpeg .png .webp .bmp .tif .tiff .gif .ppm .pgm .pbm .pnm .avif .heic .heif .jp2 .ico".split()
)
"""File name endings (lower case) that dataset scanners take for pictures."""


def read_image(path: Path) -> Image | Failure:
    """Decode a file: EXIF rotation applied, first frame, transparency over white, 16 bit scaled to 8.

    Never raises for the content of a file. Failures: ``undecodable`` and ``too_large``, with the file's
    name, the rule and the value.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        return Failure(Reason.UNDECODABLE, f"{path.name}: {error.strerror or error}")
    return decode(data, path.name)


def decode(data: bytes, name: str = "picture") -> Image | Failure:
    """Decode the bytes of a file; see :func:`read_image`."""
    if not data:
        return Failure(Reason.UNDECODABLE, f"{name}: the file is empty (0 bytes)")
    _enable_heif()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # broken metadata is not the picture's fault
            with Pillow.open(io.BytesIO(data)) as file:
                width, height = file.size
                if width * height > MAX_PIXELS:
                    return _too_large(name, width * height)
                return np.ascontiguousarray(_to_rgb(ImageOps.exif_transpose(file)))
    except Pillow.DecompressionBombError as error:
        return Failure(Reason.TOO_LARGE, f"{name}: {error}")
    except UnidentifiedImageError:
        return Failure(Reason.UNDECODABLE, f"{name}: not a picture in a known format{_hint(data)}")
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError, KeyError, IndexError, TypeError) as error:
        return Failure(Reason.UNDECODABLE, f"{name}: {error}")


def _too_large(name: str, pixels: int) -> Failure:
    limit = MAX_PIXELS // 1_000_000
    return Failure(Reason.TOO_LARGE, f"{name}: {pixels / 1e6:.0f} megapixels, the limit is {limit}")


def _to_rgb(picture: Pillow.Image) -> Image:
    if picture.mode.startswith("I;16") or picture.mode == "I":
        # Pillow clips 16-bit grey when it converts; scale it instead.
        grey = np.asarray(picture).astype(np.float64)
        grey8 = np.clip(np.round(grey / 257.0), 0, 255).astype(np.uint8)
        return np.repeat(grey8[:, :, None], 3, axis=2)
    if picture.mode == "P" and "transparency" in picture.info:
        picture = picture.convert("RGBA")
    if picture.mode in ("RGBA", "LA", "PA", "RGBa", "La"):
        picture = picture.convert("RGBA")
        page = Pillow.new("RGBA", picture.size, (255, 255, 255, 255))
        picture = Pillow.alpha_composite(page, picture)
    return np.asarray(picture.convert("RGB"))


def _hint(data: bytes) -> str:
    if data[4:8] == b"ftyp":
        return " (HEIC/HEIF needs: pip install pillow-heif)"
    return ""


def _enable_heif() -> None:
    try:
        import pillow_heif
    except ImportError:
        return
    pillow_heif.register_heif_opener()


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
        isinstance(value, np.ndarray) and value.dtype == np.uint8 and value.ndim == 3
        and value.shape[2] == 3 and value.size > 0
    )
