"""Asking Face++: steady pace, retries, one clear stop where a person has to act, answers kept on disk."""

from __future__ import annotations

import contextlib
import math
import random
import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from unveil.core.fingerprint import bytes_hash, digest
from unveil.core.types import Failure, Reason
from unveil.core.validation import number, whole
from unveil.models.facepp_answer import Changed, Node
from unveil.models.facepp_cache import keep, kept, place_of
from unveil.models.facepp_service import Account, Credentials, account_of
from unveil.models.facepp_verdict import Again, judge
from unveil.models.weights import require_library

Item = TypeVar("Item")
Result = TypeVar("Result")

ENDPOINT = "https://api-us.faceplusplus.com"

PATIENCE = ("requests_per_second", "retries", "timeout")
"""Parameters of how it is asked: they change no answer, and so no identity."""

_FIRST_WAIT, _LONGEST_BACKOFF, _LONGEST_WAIT = 1.0, 60.0, 300.0
"""Seconds: before the first retry, the most by doubling, and the most that the service may ask for."""

_SLOW_ANSWER = 2.0
"""Seconds that an answer may take while the pace is still kept: so many requests are under way at a time."""

_MOST_THREADS = 16


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked.

    Attributes:
        api: name of the API.
        fields: its parameters.
        files: name of a parameter -> bytes of the picture.
    """

    api: Literal["detect", "compare"]
    fields: Mapping[str, str]
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Client:
    """Asks Face++ (API version 3).

    Attributes:
        endpoint: address of the service without a path: ``https``, or ``http`` on this machine.
        requests_per_second: pace over all threads and components with the same key, above 0. Free keys have
            a small share of a common limit.
        retries: how often a request is repeated when the trouble may pass (``CONCURRENCY_LIMIT_EXCEEDED``,
            429, 5xx, no connection), from 0. The waits double from 1 s to 60 s, each shortened by chance by up
            to half; ``Retry-After`` is honoured up to 5 minutes.
        timeout: seconds without a byte after which an answer is not waited for any longer, above 0. The
            request is not repeated: it may have been counted.
        clock, sleep, jitter: time in seconds, waiting, and chance in [0, 1).

    Source: Face++ documentation of the Detect and Compare APIs, version 3.0, tables of error messages.
    """

    endpoint: str = ENDPOINT
    requests_per_second: float = 1.0
    retries: int = 5
    timeout: float = 30.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        secure = r"https://[A-Za-z0-9.-]+(:\d+)?|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?"
        if not isinstance(self.endpoint, str) or not re.fullmatch(secure, self.endpoint):
            raise ValueError(
                "endpoint must be https://<host>, or http:// with 127.0.0.1 or localhost, without a path: "
                f"key and secret travel there; got {self.endpoint!r}"
            )
        number("requests_per_second", self.requests_per_second, above=0)
        whole("retries", self.retries, low=0)
        number("timeout", self.timeout, above=0)

    def require(self) -> None:
        """Raise Unavailable when httpx, the key or the secret is missing; forgets that the service refused."""
        require_library("httpx", distribution="'unveil[facepp]'")
        account_of(Credentials.of_environment(), self.endpoint).try_again()

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Results of ``work``, in order; several at a time, for an answer takes longer than the pace."""
        threads = min(_MOST_THREADS, math.ceil(_SLOW_ANSWER * min(self.requests_per_second, _MOST_THREADS)))
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(work, items))

    def ask(self, request: Request, read: Callable[[Node], Result]) -> Result | Failure:
        """What ``read`` makes of the answer, which is kept on disk unless it cannot be read.

        Args:
            request: what is asked.
            read: raises :class:`unveil.models.facepp_answer.Changed` for an answer that it cannot read.

        Returns:
            A Failure ``refused`` (the picture, or too many requests), ``timeout`` (no answer, no connection) or
            ``bad_output`` (a changed answer) instead, in which case nothing is kept.

        Raises:
            Unavailable: when the library, the key or the secret is missing, the account is refused, or the
                service is not there: a person must act, and every further request raises the same.
            StoreError: when the answer cannot be kept.
        """
        files = {name: bytes_hash(data) for name, data in request.files.items()}
        place = place_of(digest("facepp", self.endpoint, request.api, request.fields, files, length=64))
        if (answer := kept(place)) is not None:
            with contextlib.suppress(Changed):  # it was kept when something else was read from it
                return read(Node(answer))
        fresh = self._answer(request)
        if isinstance(fresh, Failure):
            return fresh
        try:
            result = read(Node(fresh))
        except Changed as changed:
            return Failure(Reason.BAD_OUTPUT, str(changed))
        keep(place, fresh)
        return result

    def _answer(self, request: Request) -> Mapping[str, Any] | Failure:
        require_library("httpx", distribution="'unveil[facepp]'")
        credentials = Credentials.of_environment()
        account = account_of(credentials, self.endpoint)
        attempt = 0
        while isinstance(outcome := self._post(request, credentials, account), Again) and attempt < self.retries:
            backoff = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2**attempt) * (1 - self.jitter() / 2)
            account.hold(max(backoff, min(outcome.after, _LONGEST_WAIT)), self.clock)
            attempt += 1
        if not isinstance(outcome, Again):
            return outcome
        detail = f"{outcome.failure.detail} (asked {attempt + 1} times)"
        if outcome.unreached:
            account.missed(detail)
        return Failure(outcome.failure.reason, detail)

    def _post(
        self, request: Request, credentials: Credentials, account: Account
    ) -> Mapping[str, Any] | Failure | Again:
        import httpx

        account.wait(1 / self.requests_per_second, self.clock, self.sleep)
        pictures = {name: ("picture", data, "application/octet-stream") for name, data in request.files.items()}
        try:
            response = account.http.post(
                f"{self.endpoint}/facepp/v3/{request.api}",
                data={"api_key": credentials.key, "api_secret": credentials.secret, **request.fields},
                files=pictures,
                timeout=self.timeout,
            )
        except (httpx.ReadTimeout, httpx.WriteTimeout):
            return Failure(Reason.TIMEOUT, f"Face++ {request.api}: no answer within {self.timeout:g} s")
        except httpx.DecodingError:
            return Failure(Reason.BAD_OUTPUT, f"Face++ {request.api}: the answer cannot be unpacked")
        except httpx.TransportError as error:
            what = Failure(Reason.TIMEOUT, f"Face++ {request.api}: no connection ({type(error).__name__})")
            return Again(what, unreached=True)
        account.reached()
        return judge(response, credentials, account)
