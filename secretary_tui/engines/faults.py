"""What a fault of an engine means: one pure mapping from exception to sentence and policy.

It covers the SDK's own classes, errors that arrive in the middle of a stream (status 200 with a
type), raw errors of the HTTP stack and those of the stream parser, which the SDK doesn't wrap.
Whoever runs a model asks `explain_fault` and shows, retries or stops accordingly.
"""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from secretary_tui.engines.base import EngineError
from secretary_tui.engines.fault_kinds import (
    BY_MESSAGE,
    BY_STATUS,
    BY_TYPE,
    MAX_RETRY_AFTER_S,
    WORDS,
    Fault,
    FaultKind,
)
from secretary_tui.redact import redact
from secretary_tui.sanitize import clean_line

PROFILE_EXTENSION = "secretary_tui.profile"
"""Under which a request carries its profile, so that a fault can be explained by it."""

if TYPE_CHECKING:
    from anthropic import APIStatusError

__all__ = [
    "MAX_RETRY_AFTER_S",
    "Fault",
    "FaultError",
    "FaultKind",
    "engine_error",
    "explain_fault",
    "redact",
]

_DETAIL_LENGTH = 300


class FaultError(EngineError):
    """An engine's error that still knows which fault it was."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.sentence, fault.suggestion)
        self.fault = fault


def engine_error(error: BaseException) -> EngineError:
    """Give the engine error that an exception amounts to; raise it `from None`.

    The exception itself may quote the key in its text or in its causes.
    """
    return error if isinstance(error, EngineError) else FaultError(explain_fault(error))


def explain_fault(error: BaseException) -> Fault:
    """Say what an exception from an engine, the SDK or its HTTP stack means.

    Never raises and never quotes a key. Imports the SDK, so call it where the SDK is loaded.
    """
    # The SDK wraps whatever its transport raises, so an engine's own words may be a cause.
    for link in _causes(error):
        if isinstance(link, FaultError):
            return link.fault
        if isinstance(link, EngineError):
            return Fault(FaultKind.ENGINE, _tidy(str(link), error), link.suggestion, False)
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _explain_status(error)
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
        return _explain_transport(error)
    kind, detail = _plain_kind(error)
    return _fault(kind, error, detail)


def _plain_kind(error: BaseException) -> tuple[FaultKind, str]:
    """Sort what neither a status nor the transport explains; the first row that fits counts."""
    import anthropic
    import httpx2

    message = str(error)
    rows: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], FaultKind, str], ...]
    rows = (
        (TimeoutError, FaultKind.TIMEOUT, ""),
        (anthropic.CredentialsError, FaultKind.AUTHENTICATION, message),
        (httpx2.InvalidURL, FaultKind.ADDRESS, message),
        ((anthropic.APIResponseValidationError, httpx2.HTTPError), FaultKind.MALFORMED, message),
        (json.JSONDecodeError, FaultKind.MALFORMED, "not valid JSON"),
        # The SDK's stream parser asserts on an empty body, on HTML and on a wrong order of events.
        (AssertionError, FaultKind.MALFORMED, "no stream of message events"),
        (UnicodeError, FaultKind.MALFORMED, "text that is not valid Unicode"),
        (ValueError, FaultKind.MALFORMED, message),
        (OSError, FaultKind.NETWORK, message),
    )
    for types, kind, detail in rows:
        if isinstance(error, types):
            return kind, detail
    return FaultKind.UNKNOWN, f"{type(error).__name__}: {message}" if message else ""


def _explain_status(error: APIStatusError) -> Fault:
    status = error.status_code
    message = error.api_message if isinstance(error.api_message, str) else ""
    kind = _status_kind(status, str(error.type or ""), f"{message} {error.message}".lower())
    headers = error.response.headers
    if kind is FaultKind.REDIRECT:
        message = ""
    elif not message and status != 200:
        message = f"HTTP {status}"
    fault = _fault(kind, error, message, retry_after_s(headers))
    wish = headers.get("x-should-retry")
    if wish in {"true", "false"} and fault.retryable != (wish == "true"):
        too_long = (fault.retry_after_s or 0.0) > MAX_RETRY_AFTER_S
        return Fault(
            kind,
            fault.sentence,
            fault.suggestion,
            wish == "true" and not too_long,
            fault.retry_after_s,
        )
    return fault


def _status_kind(status: int, error_type: str, words: str) -> FaultKind:
    for phrase, kind in BY_MESSAGE:
        if phrase in words:
            return kind
    if error_type == "exceed_context_size_error":
        return FaultKind.TOO_LONG
    if status in BY_STATUS:
        return BY_STATUS[status]
    if 300 <= status < 400:
        return FaultKind.REDIRECT
    if status >= 500:
        return FaultKind.SERVER
    if status >= 400:
        return BY_TYPE.get(error_type, FaultKind.INVALID_REQUEST)
    # In the middle of a stream the status is 200 and only the type tells.
    return BY_TYPE.get(error_type, FaultKind.SERVER)


def _explain_transport(error: BaseException) -> Fault:
    """Sort a connection error by the deepest cause that says something."""
    import anthropic
    import httpx2

    wrapped = isinstance(error, anthropic.APIConnectionError)
    cause = error.__cause__ if wrapped and error.__cause__ is not None else error
    words = " ".join(str(link) for link in _causes(cause))
    if isinstance(cause, httpx2.LocalProtocolError):
        # The request could not be written; h11 quotes the header, key and all.
        return _fault(
            FaultKind.AUTHENTICATION, error, "it has characters that no key has", None, local=True
        )
    if isinstance(cause, httpx2.UnsupportedProtocol):
        return _fault(FaultKind.ADDRESS, error, str(cause))
    if "CERTIFICATE_VERIFY_FAILED" in words:
        return _fault(FaultKind.ADDRESS, error, "its certificate is not trusted")
    if isinstance(cause, httpx2.ConnectTimeout | httpx2.ConnectError | httpx2.ProxyError):
        return _fault(FaultKind.NETWORK, error, _network_detail(words))
    if isinstance(cause, httpx2.TimeoutException | anthropic.APITimeoutError):
        return _fault(FaultKind.TIMEOUT, error, "")
    if not wrapped:
        return _fault(FaultKind.CUT_OFF, error, "")
    return _fault(FaultKind.NETWORK, error, "the connection was closed before an answer came")


def _network_detail(words: str) -> str:
    lowered = words.lower()
    if any(part in lowered for part in ("name or service", "nodename", "getaddrinfo", "name res")):
        return "its name can't be resolved, so the network may be down"
    if "refused" in lowered:
        return "nothing listens there"
    return "" if "attempts failed" in lowered else words


def _fault(
    kind: FaultKind,
    error: BaseException,
    detail: str,
    wait_s: float | None = None,
    *,
    local: bool = False,
) -> Fault:
    template, suggestion, retryable = WORDS[kind]
    suggestion = _for_profile(kind, suggestion, error)
    sentence = "The API key can't be used" if local else template.format(host=_host(error))
    detail = _tidy(detail, error)
    if detail:
        sentence = f"{sentence}: {detail}"
    if wait_s is not None and wait_s > MAX_RETRY_AFTER_S:
        retryable = False
        suggestion = f"It asks to wait {spoken(wait_s)}: retry then, or choose another model."
    return Fault(kind, f"{sentence.rstrip('.')}.", suggestion, retryable, wait_s)


def _tidy(detail: str, error: BaseException) -> str:
    """Clean text from outside: no controls, no secrets, one line of bounded length."""
    text = redact(clean_line(detail), _secrets(error))
    return text if len(text) <= _DETAIL_LENGTH else f"{text[: _DETAIL_LENGTH - 1]}…"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Walk from an exception to what caused it; the chain can't be longer than 20."""
    link: BaseException | None = error
    for _ in range(20):
        if link is None:
            return
        yield link
        link = link.__cause__


def _request(error: BaseException) -> object | None:
    for link in _causes(error):
        try:
            request: object = getattr(link, "request", None)
        except RuntimeError:  # httpx2 raises this where the request was never set.
            continue
        if request is not None:
            return request
    return None


@runtime_checkable
class ConfiguredServer(Protocol):
    """A server that the setting `engines` describes, as a request to it carries it along."""

    @property
    def name(self) -> str:
        """Its name in the setting."""
        ...

    @property
    def start_hint(self) -> str:
        """How it is started; may be empty."""
        ...

    @property
    def key_variable(self) -> str:
        """The environment variable that holds the key; may be empty."""
        ...


def _for_profile(kind: FaultKind, suggestion: str, error: BaseException) -> str:
    """Say what helps where the server is one of the setting `engines`."""
    request = _request(error)
    extensions = getattr(request, "extensions", None)
    profile = extensions.get(PROFILE_EXTENSION) if isinstance(extensions, dict) else None
    if not isinstance(profile, ConfiguredServer):
        return suggestion
    if kind is FaultKind.NETWORK and profile.start_hint:
        return profile.start_hint
    if kind is FaultKind.AUTHENTICATION and not profile.key_variable:
        return f"Name its `key_variable` in the setting `engines` ({profile.name})."
    where = f"the setting `engines` ({profile.name})"
    models = "settings `default_model` and `model_aliases`"
    return (
        suggestion.replace("ANTHROPIC_API_KEY", profile.key_variable)
        .replace("ANTHROPIC_BASE_URL", where)
        .replace(f"({models}) or check {where}", f"in {where}")
    )


def _host(error: BaseException) -> str:
    """Name the server as the user knows it: host, and port when it isn't the usual one."""
    import httpx2

    request = _request(error)
    if not isinstance(request, httpx2.Request) or not request.url.host:
        return "The server"
    host = clean_line(request.url.host)
    return f"{host}:{request.url.port}" if request.url.port else host


def _secrets(error: BaseException) -> tuple[str, ...]:
    """The credentials that the failed request carried, so that an echo of them is masked."""
    import httpx2

    request = _request(error)
    if not isinstance(request, httpx2.Request):
        return ()
    values = (request.headers.get(name, "") for name in ("authorization", "x-api-key"))
    return tuple(value.removeprefix("Bearer ") for value in values if value)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds from `retry-after-ms` or `retry-after` (seconds or an HTTP date, RFC 9110 §10.2.3).

    None when neither is there or readable; never negative.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    date = email.utils.parsedate_tz(value)
    if date is None:
        return None
    try:
        return max(0.0, email.utils.mktime_tz(date) - time.time())
    except (OverflowError, ValueError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def spoken(seconds: float) -> str:
    """Say a span of time as a person would: `45 seconds`, `2 minutes`, `3 hours`."""
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 1.5 * size or seconds == size:
            number = round(seconds / size)
            return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
    number = max(1, round(seconds))
    return f"{number} second" if number == 1 else f"{number} seconds"
