"""One account of Face++ in this process: its key, its pace, and whether it still makes sense to ask.

All components with the same key share it, for the service limits the account and not the component.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from unveil.core.errors import Unavailable
from unveil.core.fingerprint import digest

if TYPE_CHECKING:
    import httpx

KEY, SECRET = "FACEPP_API_KEY", "FACEPP_API_SECRET"
"""Environment variables with what the service knows the account by."""

_UNREACHED = 3
"""Requests in a row that never reached the service, retries included, after which nothing more is tried."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Key and secret; they leave this object only in the body of a request.

    Attributes:
        key, secret: as the environment has them.
    """

    key: str = field(repr=False)
    secret: str = field(repr=False)

    @classmethod
    def of_environment(cls) -> Credentials:
        """Key and secret of the environment.

        Raises:
            Unavailable: naming both variables, when one is missing.
        """
        key, secret = (os.environ.get(name, "").strip() for name in (KEY, SECRET))
        if not key or not secret:
            lacking = " and ".join(name for name, value in ((KEY, key), (SECRET, secret)) if not value)
            raise Unavailable(
                f"Face++ needs the key and the secret of an account in the environment variables {KEY} and "
                f"{SECRET}; not set: {lacking}"
            )
        return cls(key, secret)

    def hidden(self, text: str) -> str:
        """The text without key and secret, should the service repeat them."""
        return text.replace(self.secret, "***").replace(self.key, "***")


class Account:
    """Pace and state of one account; thread-safe.

    Args:
        local: whether the service runs on this machine; then no proxy is asked.
    """

    def __init__(self, *, local: bool) -> None:
        self._lock = threading.Lock()
        self._local = local
        self._free_at = 0.0
        self._given_up = ""
        self._unreached = 0

    @cached_property
    def http(self) -> httpx.Client:
        """Connections to the service. A redirection is not followed: the key is for this address only."""
        import httpx

        return httpx.Client(follow_redirects=False, trust_env=not self._local)

    def wait(self, interval: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        """Wait for this request's turn.

        Args:
            interval: seconds from its start to that of the next request.
            clock: seconds, never going back.
            sleep: waits for so many seconds.

        Raises:
            Unavailable: when the service has been given up.
        """
        with self._lock:
            self._check()
            now = clock()
            start = max(now, self._free_at)
            self._free_at = start + interval
        if start > now:
            sleep(start - now)
        self._check()

    def _check(self) -> None:
        if self._given_up:
            raise Unavailable(self._given_up)

    def hold(self, seconds: float, clock: Callable[[], float]) -> None:
        """Let nobody ask before so many seconds have passed."""
        with self._lock:
            self._free_at = max(self._free_at, clock() + seconds)

    def reached(self) -> None:
        """The service has answered, whatever it said."""
        self._unreached = 0

    def missed(self, detail: str) -> None:
        """A request did not reach the service, however often it was tried.

        Raises:
            Unavailable: when it was one of several in a row.
        """
        self._unreached += 1
        if self._unreached >= _UNREACHED:
            raise self.give_up(f"Face++ cannot be reached: {detail}; check the network and the endpoint")

    def give_up(self, message: str) -> Unavailable:
        """Something that a person has to change: from now on every request is refused with this message."""
        self._given_up = message
        return Unavailable(message)

    def try_again(self) -> None:
        """A person may have changed it."""
        self._given_up, self._unreached = "", 0


_ACCOUNTS: dict[str, Account] = {}
_ACCOUNTS_LOCK = threading.Lock()


def account_of(credentials: Credentials, endpoint: str) -> Account:
    """The account that all components with this key and endpoint share."""
    name = digest(endpoint, credentials.key, credentials.secret)
    with _ACCOUNTS_LOCK:
        return _ACCOUNTS.setdefault(name, Account(local=endpoint.startswith("http://")))
