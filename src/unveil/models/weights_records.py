"""Weights that come as single files from elsewhere: what they are, where they lie here, and how to get them.

A file is looked for in the folder that the environment variable ``UNVEIL_WEIGHTS`` names, then in the user's
cache. Only a file with the known SHA-256 is ever handed out; nothing is downloaded unless a person asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from unveil.core.errors import Unavailable
from unveil.core.fingerprint import file_hash
from unveil.weights_folder import given_folder

State = Literal["ok", "wrong", "missing"]


@dataclass(frozen=True, slots=True)
class WeightsRecord:
    """One file.

    Attributes:
        name: of the file, the same everywhere.
        url: its official place.
        sha256: of its bytes, in small hex digits.
        size: in bytes.
        licence: SPDX identifier or a short statement.
        citation: who made it: authors, title, venue, year.
        component: registered name of the component that needs it.
    """

    name: str
    url: str
    sha256: str
    size: int
    licence: str
    citation: str
    component: str


YOLOX_NANO = WeightsRecord(
    name="yolox_nano.onnx",
    url="https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/yolox_nano.onnx",
    sha256="e8af074932d4ed7e232278e3055cefcdea3edf178874a3694ae292649fb464dd",
    size=3678356,
    licence="Apache-2.0",
    citation="Ge, Liu, Wang, Li, Sun: YOLOX: Exceeding YOLO Series in 2021, arXiv:2107.08430, 2021",
    component="object_detector:yolox_nano",
)

YUNET = WeightsRecord(
    name="yunet_2026may.onnx",
    url="https://media.githubusercontent.com/media/opencv/opencv_zoo/main/models/face_detection_yunet/"
    "face_detection_yunet_2026may.onnx",
    sha256="ebafce4e3c118d6554634be5c27ab333b4c047a9a8c3faf1d7cf93101c22f0f0",
    size=229738,
    licence="MIT",
    citation="Wu, Peng, Yu: YuNet: A Tiny Millisecond-level Face Detector, Machine Intelligence Research, 2023",
    component="detector:yunet",
)

FACE_LANDMARKER = WeightsRecord(
    name="face_landmarker.task",
    url="https://storage.googleapis.com/mediapipe-models/face_landmarker/face_landmarker/float16/1/"
    "face_landmarker.task",
    sha256="64184e229b263107bc2b804c6625db1341ff2bb731874b0bcc2fe6544e0bc9ff",
    size=3758596,
    licence="Apache-2.0",
    citation="Google: MediaPipe FaceLandmarker, float16, version 1",
    component="estimator:face_landmarker",
)

RECORDS: Mapping[str, WeightsRecord] = {record.name: record for record in (YOLOX_NANO, YUNET, FACE_LANDMARKER)}
"""Every file that a component may need, by name."""


def cache_folder() -> Path:
    """Where fetched files are kept: in ``UNVEIL_CACHE``, or else in the user's cache folder."""
    import platformdirs

    return Path(os.environ.get("UNVEIL_CACHE") or platformdirs.user_cache_dir("unveil")) / "weights"


def find(record: WeightsRecord) -> Path:
    """The verified file.

    Raises:
        Unavailable: when it is nowhere, with the command that gets it; or when it is another file than the
            known one, with both hashes.
    """
    for path in _places(record):
        if path.is_file():
            if _state(path, record) == "wrong":
                raise Unavailable(
                    f"{path} is not the known {record.name}: its SHA-256 is {hash_of(path)}, not {record.sha256}; "
                    f"remove it and get the right one with: unveil weights fetch {record.name}"
                )
            return path
    raise Unavailable(
        f"the weights {record.name} are not on this machine; get them with: unveil weights fetch {record.name} "
        "(or put the file into a folder that UNVEIL_WEIGHTS names)"
    )


def verify(record: WeightsRecord) -> Iterator[tuple[Path, State]]:
    """Each place where the file may lie, in the order in which they are searched, and what is there."""
    for path in _places(record):
        yield path, _state(path, record)


def _places(record: WeightsRecord) -> list[Path]:
    return [folder / record.name for folder in (given_folder(), cache_folder()) if folder]


def _state(path: Path, record: WeightsRecord) -> State:
    if not path.is_file():
        return "missing"
    right = path.stat().st_size == record.size and hash_of(path) == record.sha256
    return "ok" if right else "wrong"


def hash_of(path: Path) -> str:
    """SHA-256 (hex) of a file, computed once as long as its size and time of change stay."""
    facts = path.stat()
    return _remembered(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=64)
def _remembered(path: Path, size: int, changed: int) -> str:
    return file_hash(path)


@dataclass(slots=True)
class _Bar:
    """A progress bar as pooch wants it.

    It tells a chunk after each chunk, and at the end starts anew and tells everything: what goes beyond what
    was told is passed on, so that the sum is right.
    """

    tell: Callable[[int, int | None], None]
    total: int = 0
    done: int = field(default=0, init=False)
    told: int = field(default=0, init=False)

    def update(self, amount: int) -> None:
        self.done = min(self.done + amount, self.total) if self.total else self.done + amount
        if self.done > self.told:
            self.tell(self.done - self.told, self.total or None)
            self.told = self.done

    def reset(self) -> None:
        self.done = 0

    def close(self) -> None:
        """Nothing is held open."""


def fetch(record: WeightsRecord, tell: Callable[[int, int | None], None]) -> Path:
    """Download the file into the cache, unless the right one is already found.

    Args:
        record: of the file.
        tell: is called with the bytes that came since the last call, and the number of all when it is known.

    Raises:
        Unavailable: when it cannot be had, or what comes is another file; the cache is left as it was.
    """
    pooch: Any = import_module("pooch")  # it brings no types

    for path, state in verify(record):
        if state == "ok":
            return path
    loader = pooch.HTTPDownloader(progressbar=_Bar(tell), chunk_size=1 << 16, timeout=30)
    pooch.get_logger().setLevel("ERROR")  # what it would say stands in the progress bar
    folder = cache_folder()
    try:
        path = pooch.retrieve(record.url, f"sha256:{record.sha256}", record.name, folder, downloader=loader)
    except (OSError, ValueError) as error:  # of requests; of the hash
        raise Unavailable(
            f"{record.name} cannot be had from {record.url}: {error}; get the file in another way, put it into a "
            f"folder, and name the folder in UNVEIL_WEIGHTS (its SHA-256 is {record.sha256})"
        ) from error
    return Path(path)
