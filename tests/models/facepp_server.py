"""A server on this machine that speaks the Face++ API, version 3: Detect and Compare, with its errors.

To it, a face is a block of one lively colour on a dull ground, at least as large as the real service wants it.
All that it says follows from the pixels that were sent: a wrong crop, a wrong colour order or a wrong scale gives
a wrong answer.
"""

from __future__ import annotations

import io
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow

from unveil.core.types import Image
from unveil.models.facepp_attributes import EXPRESSIONS, EYES, MOUTHS, REQUESTED
from unveil.models.facepp_service import KEY, SECRET

LIMIT = 2_000_000
"""Bytes of a request, and of a picture."""

ANALYSED = 5
"""Faces that are described with a free key."""


@dataclass(frozen=True)
class Reply:
    """What is answered in place of the truth.

    Attributes:
        status: of HTTP; 0 breaks the connection.
        message: becomes ``error_message``, or the whole text when ``plain``.
        delay: seconds before it.
    """

    status: int = 200
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    plain: bool = False
    delay: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    api: str
    fields: Mapping[str, str]
    files: Mapping[str, bytes]

    def picture(self, name: str) -> Image:
        return np.asarray(Pillow.open(io.BytesIO(self.files[name])).convert("RGB"))


class Refused(Exception):
    """Status and message of an error."""


@dataclass
class Service:
    """The state of a server.

    Attributes:
        key, secret: that it accepts.
        url: where it is.
        script: replies in place of the truth, for the next requests.
        change: is applied to each true answer.
        asked: the requests that came with the right key.
        came: number of all requests.
    """

    key: str = field(default_factory=lambda: "key-" + secrets.token_hex(12))
    secret: str = field(default_factory=lambda: "secret-" + secrets.token_hex(12))
    url: str = ""
    script: deque[Reply] = field(default_factory=deque)
    change: Callable[[Asked, dict[str, Any]], Any] = lambda asked, answer: answer
    asked: list[Asked] = field(default_factory=list)
    came: int = 0

    def answer(self, path: str, fields: dict[str, str], files: dict[str, bytes]) -> Any:
        if not path.startswith("/facepp/v3/") or path.rsplit("/", 1)[1] not in ("detect", "compare"):
            raise Refused(404, "API_NOT_FOUND")
        if (fields.pop("api_key", ""), fields.pop("api_secret", "")) != (self.key, self.secret):
            raise Refused(401, "AUTHENTICATION_ERROR")
        asked = Asked(path.rsplit("/", 1)[1], fields, files)
        self.asked.append(asked)
        answer = _detect(asked) if asked.api == "detect" else _compare(asked)
        return self.change(asked, {"request_id": secrets.token_hex(8), "time_used": 1, **answer})


@contextmanager
def running() -> Iterator[Service]:
    """A server, for as long as the block lasts."""
    service = Service()
    handler = type("Handler", (_Handler,), {"service": service})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def at_hand(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[Service]:
    """A server whose key is in the environment, and an empty cache."""
    with running() as service:
        monkeypatch.setenv(KEY, service.key)
        monkeypatch.setenv(SECRET, service.secret)
        monkeypatch.setenv("UNVEIL_CACHE", str(folder))
        yield service


class _Handler(BaseHTTPRequestHandler):
    service: Service

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        self.service.came += 1
        reply = self.service.script.popleft() if self.service.script else None
        if reply is not None:
            time.sleep(reply.delay)
            if reply.status == 0:
                self.close_connection = True
                return
            text = reply.message if reply.plain else json.dumps({"error_message": reply.message, "time_used": 1})
            self._send(reply.status, text, reply.headers)
        elif length > LIMIT:
            self._send(413, "Request Entity Too Large")
        else:
            fields, files = _parts(self.headers["Content-Type"], body)
            try:
                self._send(200, json.dumps(self.service.answer(self.path, fields, files)))
            except Refused as refused:
                self._send(refused.args[0], json.dumps({"error_message": refused.args[1], "time_used": 1}))

    def _send(self, status: int, text: str, headers: Mapping[str, str] = {}) -> None:
        data = text.encode()
        try:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:
            self.close_connection = True  # nobody waited for it

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def _parts(content_type: str, body: bytes) -> tuple[dict[str, str], dict[str, bytes]]:
    message = BytesParser().parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    fields, files = {}, {}
    for part in message.get_payload():
        name = part.get_param("name", header="Content-Disposition")
        content = part.get_payload(decode=True)
        if part.get_filename() is None:
            fields[name] = content.decode()
        else:
            files[name] = content
    return fields, files


def _pixels(asked: Asked, name: str) -> Image:
    if name not in asked.files:
        raise Refused(400, f"MISSING_ARGUMENTS: {name}")
    data = asked.files[name]
    if len(data) > LIMIT:
        raise Refused(400, f"IMAGE_FILE_TOO_LARGE: {name}")
    if not data.startswith((b"\x89PNG", b"\xff\xd8")):
        raise Refused(400, f"IMAGE_ERROR_UNSUPPORTED_FORMAT: {name}")
    image = asked.picture(name)
    if not 48 <= min(image.shape[:2]) <= max(image.shape[:2]) <= 4096:
        raise Refused(400, f"INVALID_IMAGE_SIZE: {name}")
    return image


def _blocks(image: Image, least: int) -> list[tuple[dict[str, int], np.ndarray]]:
    """Rectangles of the lively blocks, from left to right, with their colours."""
    lively = (np.ptp(image.astype(int), axis=2) > 60).astype(np.uint8)
    _, owner, stats, _ = cv2.connectedComponentsWithStats(lively, connectivity=4)
    found = []
    for number, (left, top, width, height, _) in enumerate(stats[1:].tolist(), start=1):
        if min(width, height) >= least:
            colour = np.median(image[owner == number], axis=0)
            found.append(({"left": left, "top": top, "width": width, "height": height}, colour))
    return sorted(found, key=lambda one: one[0]["left"])


def _area(rectangle: Mapping[str, int]) -> int:
    return rectangle["width"] * rectangle["height"]


def _detect(asked: Asked) -> dict[str, Any]:
    image = _pixels(asked, "image_file")
    if asked.fields.get("return_attributes", "none") not in ("none", REQUESTED):
        raise Refused(400, "BAD_ARGUMENTS: return_attributes")
    blocks = _blocks(image, max(48, min(image.shape[:2]) // 48))
    analysed = sorted((_area(rectangle) for rectangle, _ in blocks), reverse=True)[:ANALYSED]
    faces = []
    for rectangle, colour in blocks:
        face: dict[str, Any] = {"face_token": secrets.token_hex(16), "face_rectangle": rectangle}
        if _area(rectangle) in analysed:
            if asked.fields.get("return_landmark") == "1":
                face["landmark"] = _landmark(rectangle)
            if "return_attributes" in asked.fields:
                face["attributes"] = attributes(rectangle, colour, image.shape)
        faces.append(face)
    return {"faces": faces, "face_num": len(faces), "image_id": secrets.token_hex(8)}


def _landmark(rectangle: Mapping[str, int]) -> dict[str, dict[str, int]]:
    places = {
        "left_eye_center": (0.3, 0.4), "right_eye_center": (0.7, 0.4), "nose_tip": (0.5, 0.6),
        "mouth_left_corner": (0.35, 0.8), "mouth_right_corner": (0.65, 0.8), "contour_chin": (0.5, 1.0),
    }  # fmt: skip
    left, top, width, height = (rectangle[name] for name in ("left", "top", "width", "height"))
    return {name: {"x": round(left + x * width), "y": round(top + y * height)} for name, (x, y) in places.items()}


def attributes(rectangle: Mapping[str, int], colour: Any, shape: tuple[int, ...]) -> dict[str, Any]:
    """All that is said of a block: red is the age, green and blue the rest, its place the head pose."""
    red, green, blue = (float(value) for value in colour)
    yaw = (rectangle["left"] + rectangle["width"] / 2) / shape[1] * 90 - 45
    pitch = (rectangle["top"] + rectangle["height"] / 2) / shape[0] * 90 - 45
    gaze = {
        "position_x_coordinate": 0.5, "position_y_coordinate": 0.5,
        "vector_x_component": (red - 128) / 255, "vector_y_component": (green - 128) / 255,
        "vector_z_component": blue / 255,
    }  # fmt: skip
    return {
        "gender": {"value": "Female" if green > blue else "Male"},
        "age": {"value": int(red * 100 / 255)},
        "smile": {"value": green / 2.55, "threshold": 50},
        "headpose": {"yaw_angle": yaw, "pitch_angle": pitch, "roll_angle": red - 128},
        "facequality": {"value": blue / 2.55, "threshold": 70.1},
        "blur": {"blurness": {"value": red / 2.55, "threshold": 50}},
        "eyestatus": {
            "left_eye_status": _shares(list(EYES), green),
            "right_eye_status": _shares(list(EYES), blue),
        },
        "emotion": _shares(list(EXPRESSIONS), red),
        "mouthstatus": _shares(list(MOUTHS), green),
        "beauty": {"male_score": red / 2.55, "female_score": blue / 2.55},
        "eyegaze": {"left_eye_gaze": gaze, "right_eye_gaze": {**gaze, "vector_x_component": 0.0}},
        "skinstatus": {
            "health": green / 2.55, "stain": blue / 2.55, "acne": red / 2.55, "dark_circle": (255 - red) / 2.55,
        },
    }  # fmt: skip


def _shares(names: list[str], value: float) -> dict[str, float]:
    """Most for the name in whose part of 0..255 the value lies."""
    chosen = min(int(value * len(names) / 256), len(names) - 1)
    rest = 10 / (len(names) - 1)
    return {name: 90.0 if number == chosen else rest for number, name in enumerate(names)}


def _compare(asked: Asked) -> dict[str, Any]:
    """Like colours are alike; the largest face of each picture is taken."""
    answer: dict[str, Any] = {}
    colours = []
    for side in ("1", "2"):
        blocks = _blocks(_pixels(asked, f"image_file{side}"), 150)
        blocks.sort(key=lambda one: -_area(one[0]))
        answer[f"faces{side}"] = [
            {"face_token": secrets.token_hex(16), "face_rectangle": rectangle} for rectangle, _ in blocks
        ]
        colours += [colour for _, colour in blocks[:1]]
    if len(colours) == 2:
        answer["confidence"] = round(100 - 100 * float(np.abs(colours[0] - colours[1]).mean()) / 255, 3)
        answer["thresholds"] = {"1e-3": 62.327, "1e-4": 69.101, "1e-5": 73.975}
    return answer


def drawn(
    *blocks: tuple[int, int, int, tuple[int, int, int]], size: tuple[int, int] = (300, 400), ground: int = 128
) -> Image:
    """A picture (height, width) with blocks: left, top, side, colour."""
    image = np.full((*size, 3), ground, np.uint8)
    for left, top, side, colour in blocks:
        image[top : top + side, left : left + side] = colour
    return image
