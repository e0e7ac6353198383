"""The client of Face++ against a server that speaks its API: errors, retries, pace, cache, secrets."""

from __future__ import annotations

import json
import logging
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from unveil.core.errors import StoreError, Unavailable
from unveil.core.types import Failure, Reason
from unveil.images import encode_png
from unveil.models.facepp_answer import Node
from unveil.models.facepp_client import Client, Request
from unveil.models.facepp_service import KEY, SECRET, Credentials

from .facepp_server import Reply, Service, at_hand, drawn

PICTURE = encode_png(drawn((40, 50, 100, (200, 40, 90))))


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Service]:
    with at_hand(monkeypatch, tmp_path) as running:
        yield running


@dataclass
class Time:
    """A clock that only sleeping moves."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds


def client(service: Service, time: Time | None = None, **settings: Any) -> Client:
    time = time or Time()
    defaults = {"requests_per_second": 1e6, "jitter": lambda: 0.0}
    return Client(service.url, clock=lambda: time.now, sleep=time.sleep, **{**defaults, **settings})


def detect(picture: bytes = PICTURE, **fields: str) -> Request:
    return Request("detect", fields, {"image_file": picture})


def lefts(answer: Node) -> list[float]:
    return [face["face_rectangle"]["left"].number() for face in answer["faces"].items()]


def stored(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def waits(time: Time) -> list[float]:
    return [seconds for seconds in time.slept if seconds > 1e-3]  # the rest is the pace


def test_the_picture_arrives_and_the_answer_comes_back(service: Service) -> None:
    assert client(service).ask(detect(return_landmark="1"), lefts) == [40]
    (asked,) = service.asked
    assert asked.api == "detect" and asked.fields == {"return_landmark": "1"}
    assert asked.files == {"image_file": PICTURE}


# --- what a person must act on ---


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            Reply(401, "AUTHENTICATION_ERROR"),
            "401 AUTHENTICATION_ERROR; check .* FACEPP_API_KEY and FACEPP_API_SECRET",
        ),
        (
            Reply(403, "AUTHORIZATION_ERROR:Insufficient Account Balance"),
            "Insufficient Account Balance; .* balance",
        ),
        (Reply(403, "<html>no</html>", plain=True), "403 <html>no</html>"),
        (Reply(404, "API_NOT_FOUND"), "API_NOT_FOUND; check the parameter endpoint"),
        (Reply(302, "", {"Location": "http://127.0.0.1:1/"}), "answered 302"),
    ],
)
def test_refused_account_stops_everything_until_somebody_acts(
    service: Service, reply: Reply, message: str
) -> None:
    service.script.append(reply)
    asking = client(service)
    with pytest.raises(Unavailable, match=message):
        asking.ask(detect(), lefts)
    with pytest.raises(Unavailable, match=message):
        client(service).ask(detect(), lefts)
    assert service.came == 1
    asking.require()
    assert asking.ask(detect(), lefts) == [40]


def test_wrong_secret(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, "another secret")
    with pytest.raises(Unavailable, match="401 AUTHENTICATION_ERROR"):
        client(service).ask(detect(), lefts)


@pytest.mark.parametrize("lacking", [KEY, SECRET])
def test_missing_key_or_secret_names_both(service: Service, monkeypatch: pytest.MonkeyPatch, lacking: str) -> None:
    monkeypatch.setenv(lacking, " ")
    for call in (client(service).require, lambda: client(service).ask(detect(), lefts)):
        with pytest.raises(Unavailable, match=rf"variables {KEY} and {SECRET}; not set: {lacking}$"):
            call()
    assert service.came == 0


def test_missing_library(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    for call in (client(service).require, lambda: client(service).ask(detect(), lefts)):
        with pytest.raises(Unavailable, match=r"'httpx' is not installed; .* pip install 'unveil\[facepp\]'"):
            call()


def test_without_a_network_some_pictures_are_tried_and_then_none(service: Service) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, but not listening: connections are refused
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        time = Time()
        asking = Client(address, 1e6, 2, 5.0, clock=lambda: time.now, sleep=time.sleep, jitter=lambda: 0.0)
        for _ in range(2):
            result = asking.ask(detect(), lefts)
            assert isinstance(result, Failure) and result.reason is Reason.TIMEOUT
            assert result.detail == "Face++ detect: no connection (ConnectError) (asked 3 times)"
        with pytest.raises(Unavailable, match="cannot be reached"):
            asking.ask(detect(), lefts)
        assert waits(time) == [1, 2] * 3
        with pytest.raises(Unavailable, match="cannot be reached"):
            asking.ask(detect(), lefts)
        assert waits(time) == [1, 2] * 3


# --- what may pass ---


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(403, "CONCURRENCY_LIMIT_EXCEEDED"),
        Reply(429, "Too Many Requests", plain=True),
        Reply(500, "INTERNAL_ERROR"),
        Reply(502, "<html>Bad Gateway</html>", plain=True),
        Reply(0),
    ],
)
def test_passing_trouble_is_waited_out(service: Service, trouble: Reply) -> None:
    service.script.extend([trouble] * 3)
    time = Time()
    assert client(service, time, retries=3).ask(detect(), lefts) == [40]
    assert waits(time) == [1, 2, 4] and service.came == 4


def test_waits_double_up_to_a_minute_and_then_it_is_a_failure(service: Service) -> None:
    service.script.extend([Reply(500, "INTERNAL_ERROR")] * 9)
    time = Time()
    result = client(service, time, retries=8).ask(detect(), lefts)
    assert waits(time) == [1, 2, 4, 8, 16, 32, 60, 60] and service.came == 9
    assert result == Failure(Reason.REFUSED, "Face++ answered 500 INTERNAL_ERROR (asked 9 times)")


def test_no_retries(service: Service) -> None:
    service.script.append(Reply(403, "CONCURRENCY_LIMIT_EXCEEDED"))
    result = client(service, retries=0).ask(detect(), lefts)
    assert isinstance(result, Failure) and result.reason is Reason.REFUSED and service.came == 1


def test_chance_shortens_a_wait_by_up_to_half(service: Service) -> None:
    service.script.extend([Reply(500, "INTERNAL_ERROR")] * 2)
    time, chances = Time(), iter((0.5, 1.0))
    client(service, time, jitter=lambda: next(chances)).ask(detect(), lefts)
    assert waits(time) == [0.75, 1.0]


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("7", 7, 7),
        ("0", 1, 1),
        ("99999", 300, 300),
        (100, 50, 100),
        (-100, 1, 1),
        ("soon", 1, 1),
        ("-5", 1, 1),
    ],
)
def test_the_service_may_ask_for_a_longer_wait(
    service: Service, header: str | int, least: float, most: float
) -> None:
    if isinstance(header, int):  # seconds from now, as a date
        header = format_datetime(datetime.now(UTC) + timedelta(seconds=header), usegmt=True)
    service.script.append(Reply(429, "wait", {"Retry-After": header}))
    time = Time()
    assert client(service, time).ask(detect(), lefts) == [40]
    (waited,) = waits(time)
    assert least <= waited <= most


def test_nobody_else_asks_while_one_waits(service: Service) -> None:
    service.script.append(Reply(429, "wait", {"Retry-After": "9"}))
    time = Time()
    assert isinstance(client(service, time, retries=0).ask(detect(), lefts), Failure)
    service.script.append(Reply(429, "wait", {"Retry-After": "9"}))
    client(service, time, retries=1).ask(detect(), lefts)
    start = time.now
    client(service, time, requests_per_second=0.5).ask(detect(a="1"), lefts)
    client(service, time, requests_per_second=0.5).ask(detect(a="2"), lefts)
    assert time.now - start == pytest.approx(2, abs=1e-3)


def test_the_pace_is_steady_over_clients_with_one_key(service: Service) -> None:
    time = Time()
    for number in range(4):
        client(service, time, requests_per_second=4).ask(detect(number=str(number)), lefts)
    assert time.slept == [0.25] * 3 and service.came == 4


# --- what concerns one picture ---


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(413, "Request Entity Too Large", plain=True), Reason.REFUSED),
        (Reply(400, "IMAGE_FILE_TOO_LARGE: image_file"), Reason.REFUSED),
        (Reply(400, "INVALID_IMAGE_SIZE: image_file"), Reason.REFUSED),
        (Reply(400, "IMAGE_ERROR_UNSUPPORTED_FORMAT: image_file"), Reason.REFUSED),
        (Reply(200, "SOMETHING_NEW"), Reason.REFUSED),
        (Reply(412, "IMAGE_DOWNLOAD_TIMEOUT"), Reason.TIMEOUT),
        (Reply(200, "hello", plain=True), Reason.BAD_OUTPUT),
        (Reply(200, "[1]", plain=True), Reason.BAD_OUTPUT),
        (Reply(200, "[" * 100_000, plain=True), Reason.BAD_OUTPUT),
        (Reply(200, "x", {"Content-Encoding": "gzip"}, plain=True), Reason.BAD_OUTPUT),
    ],
)
def test_a_refused_picture_is_a_failure_and_not_asked_again(
    service: Service, tmp_path: Path, reply: Reply, reason: Reason
) -> None:
    service.script.append(reply)
    result = client(service).ask(detect(), lefts)
    assert isinstance(result, Failure) and result.reason is reason
    assert result.detail and "\n" not in result.detail and len(result.detail) < 250
    assert service.came == 1 and stored(tmp_path) == []
    assert client(service).ask(detect(), lefts) == [40]


def test_the_server_itself_refuses_what_is_too_large_or_no_picture(service: Service) -> None:
    for data, message in (
        (b"\x89PNG" * 600_000, "413 Request Entity Too Large"),
        (b"GIF89a", "UNSUPPORTED_FORMAT"),
    ):
        result = client(service).ask(detect(data), lefts)
        assert isinstance(result, Failure) and message in result.detail


def test_an_answer_that_does_not_come_is_not_waited_for(service: Service) -> None:
    service.script.append(Reply(200, "late", delay=0.5))
    result = client(service, timeout=0.1).ask(detect(), lefts)
    assert result == Failure(Reason.TIMEOUT, "Face++ detect: no answer within 0.1 s")
    assert service.came == 1


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        ({}, "the answer of Face++ has no field faces"),
        ({"faces": {}}, "field faces of the answer of Face++ must be a list, not '{}'"),
        ({"faces": [{}]}, "the answer of Face++ has no field faces[0].face_rectangle"),
        ({"faces": [7]}, "field faces[0] of the answer of Face++ must be an object, not '7'"),
        (
            {"faces": [{"face_rectangle": {"left": "40"}}]},
            "field faces[0].face_rectangle.left of the answer of Face++ must be a number in [-inf, inf], not '40'",
        ),
        (
            {"faces": [{"face_rectangle": {"left": float("inf")}}]},
            "field faces[0].face_rectangle.left of the answer of Face++ must be a finite number, not 'inf'",
        ),
    ],
)
def test_a_changed_answer_names_the_field_and_is_not_kept(
    service: Service, tmp_path: Path, answer: dict[str, Any], detail: str
) -> None:
    service.change = lambda asked, true: answer
    assert client(service).ask(detect(), lefts) == Failure(Reason.BAD_OUTPUT, detail)
    assert stored(tmp_path) == []
    service.change = lambda asked, true: true
    assert client(service).ask(detect(), lefts) == [40]


# --- cache ---


def test_asking_again_costs_nothing(service: Service, tmp_path: Path) -> None:
    assert client(service).ask(detect(), lefts) == client(service, retries=0, timeout=9.0).ask(detect(), lefts)
    assert service.came == 1
    (path,) = stored(tmp_path)
    assert path.parent.parent == tmp_path / "facepp" and json.loads(path.read_text())["face_num"] == 1
    client(service).ask(detect(return_landmark="1"), lefts)
    client(service).ask(detect(PICTURE + b" "), lefts)
    assert service.came == 3


def test_broken_files_of_the_cache_are_asked_anew(service: Service, tmp_path: Path) -> None:
    client(service).ask(detect(), lefts)
    (path,) = stored(tmp_path)
    for number, content in enumerate((b"", b"{", b"[]", b"\xff", b'{"faces": 3}'), start=2):
        path.write_bytes(content)
        assert client(service).ask(detect(), lefts) == [40]
        assert service.came == number
    assert stored(tmp_path) == [path]


def test_a_cache_that_cannot_be_written_is_said(service: Service, tmp_path: Path) -> None:
    (tmp_path / "facepp").write_text("a file where a folder must be")
    with pytest.raises(StoreError, match=r"facepp.*cannot be written"):
        client(service).ask(detect(), lefts)


# --- secrets ---


def test_secrets_are_sent_and_never_told(
    service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = f"known as {service.key} with {service.secret}"
    service.change = lambda asked, true: {**true, "echo": echo}
    assert client(service).ask(detect(), lefts) == [40]
    told = [repr(client(service)), repr(Credentials.of_environment())]
    for status, times in ((400, 1), (500, 1), (200, 1), (401, 1)):
        service.script.extend([Reply(status, echo)] * times)
        try:
            told.append(str(client(service, retries=0).ask(detect(a=str(status)), lefts)))
        except Unavailable as error:
            told.append(f"{error!r} {error.__cause__!r} {error.__context__!r}")
    assert len(told) == 6 and "known as *** with ***" in told[2]
    told += [path.read_text() for path in stored(tmp_path)] + [str(path) for path in stored(tmp_path)]
    told.append(caplog.text)
    assert "HTTP Request" in caplog.text
    assert [text for text in told if service.key in text or service.secret in text] == []


# --- parameters ---


@pytest.mark.parametrize(
    "endpoint",
    ["http://api-us.faceplusplus.com", "https://a@b.org", "https://b.org/facepp", "ftp://b.org", "", None,
     "http://127.0.0.1.evil.org", "https://b.org?x"],
)  # fmt: skip
def test_key_and_secret_travel_encrypted_or_not_at_all(endpoint: Any) -> None:
    with pytest.raises(ValueError, match="endpoint must be https"):
        Client(endpoint)


def test_endpoints_that_are_taken() -> None:
    for endpoint in (
        "https://api-cn.faceplusplus.com",
        "https://b.org:8443",
        "http://localhost:80",
        "http://[::1]:1",
    ):
        assert Client(endpoint).endpoint == endpoint


@pytest.mark.parametrize(
    "settings",
    [
        {"requests_per_second": 0}, {"requests_per_second": float("nan")}, {"retries": -1}, {"retries": 1.5},
        {"timeout": 0}, {"timeout": float("inf")},
    ],
)  # fmt: skip
def test_parameters_out_of_range(settings: dict[str, Any]) -> None:
    (name,) = settings
    with pytest.raises(ValueError, match=name):
        Client(**settings)
