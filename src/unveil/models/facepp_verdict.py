"""What an answer of Face++ means: a result, a Failure of this picture, a trouble that may pass, or a stop."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from unveil.core.types import Failure, Reason
from unveil.models.facepp_service import KEY, SECRET, Account, Credentials

if TYPE_CHECKING:
    import httpx

_REMEDIES = {
    401: f"check the environment variables {KEY} and {SECRET}",
    403: "the account must be allowed to ask this: look at its key, permissions and balance in the Face++ console",
}


@dataclass(frozen=True, slots=True)
class Again:
    """A trouble that may pass.

    Attributes:
        failure: what it is when it does not.
        after: seconds to wait at least, as the service says.
        unreached: whether the request did not get there.
    """

    failure: Failure
    after: float = 0.0
    unreached: bool = False


def judge(
    response: httpx.Response, credentials: Credentials, account: Account
) -> Mapping[str, Any] | Failure | Again:
    """The answer, or what its status and error message mean.

    Raises:
        Unavailable: when a person has to act.
    """
    text = credentials.hidden(response.text)
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    status = response.status_code
    told = answer.get("error_message") if isinstance(answer, dict) else None
    if status == 200 and told is None:
        if isinstance(answer, dict):
            return answer
        return Failure(Reason.BAD_OUTPUT, f"the answer of Face++ is no JSON object: {_line(text)!r}")
    said = f"Face++ answered {status} {_line(str(told or text))}".strip()
    if status == 429 or str(told).startswith("CONCURRENCY_LIMIT_EXCEEDED"):
        return Again(Failure(Reason.REFUSED, said), _retry_after(response))
    if status >= 500:
        return Again(Failure(Reason.REFUSED, said), _retry_after(response))
    if status in (401, 403):
        raise account.give_up(f"{said}; {_REMEDIES[status]}")
    if 300 <= status < 400 or status in (404, 405, 407):
        raise account.give_up(f"{said}; check the parameter endpoint, and the proxy if there is one")
    return Failure(Reason.TIMEOUT if status == 412 else Reason.REFUSED, said)


def _line(text: str) -> str:
    return " ".join(text.split())[:160]


def _retry_after(response: httpx.Response) -> float:
    """Seconds that the header asks for, as a number or as a date; 0 where it is missing or nonsense."""
    given = response.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}", given):
        return float(given)
    try:
        return max(0.0, (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0
