"""The kinds of fault an engine can have, and the words for each.

Data for `faults`: which status, error type or phrase means which kind, what the user reads, and
whether the same request may succeed in a moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

MAX_RETRY_AFTER_S = 60.0
"""The longest wait a server may ask for that is still waited out."""


class FaultKind(StrEnum):
    """What went wrong, seen from the user."""

    AUTHENTICATION = "authentication"
    BILLING = "billing"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    TOO_LONG = "too_long"
    """The conversation doesn't fit into the model's context."""
    TOO_LARGE = "too_large"
    INVALID_REQUEST = "invalid_request"
    REDIRECT = "redirect"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    CONFLICT = "conflict"
    NETWORK = "network"
    ADDRESS = "address"
    """The configured address can't be right: no such scheme, or an untrusted certificate."""
    TIMEOUT = "timeout"
    CUT_OFF = "cut_off"
    """The answer began and the connection broke."""
    MALFORMED = "malformed"
    """What came back isn't what the protocol promises."""
    ENGINE = "engine"
    """The engine itself said what is wrong (`EngineError`)."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in words for the user, with what a retry loop needs to know."""

    kind: FaultKind
    sentence: str
    """What happened."""
    suggestion: str
    """What to do next."""
    retryable: bool
    """Whether the same request may succeed in a moment; False when the wait asked for is longer
    than `MAX_RETRY_AFTER_S`."""
    retry_after_s: float | None = None
    """Seconds that the server asks to wait, None when it doesn't say."""


_CHECK_BASE_URL = "Check ANTHROPIC_BASE_URL, then retry."
_RETRY = "Retry in a moment."

WORDS: Mapping[FaultKind, tuple[str, str, bool]] = {
    FaultKind.AUTHENTICATION: (
        "{host} did not accept the API key",
        "Set a valid key with `export ANTHROPIC_API_KEY=…` and start again.",
        False,
    ),
    FaultKind.BILLING: (
        "The account has no credit left",
        "Add credit in the provider's console, or switch to the local model.",
        False,
    ),
    FaultKind.PERMISSION: (
        "The API key is not allowed to do this",
        "Choose another model, or use a key that has access.",
        False,
    ),
    FaultKind.NOT_FOUND: (
        "{host} doesn't know the model or the address",
        "Choose another model (settings `default_model` and `model_aliases`) or check "
        "ANTHROPIC_BASE_URL.",
        False,
    ),
    FaultKind.TOO_LONG: (
        "The conversation is longer than the model can read",
        "Start a new run with a shorter task, or choose a model with a larger context.",
        False,
    ),
    FaultKind.TOO_LARGE: (
        "The request is larger than {host} accepts",
        "Start a new run with less text or smaller files.",
        False,
    ),
    FaultKind.INVALID_REQUEST: (
        "{host} refused the request as invalid",
        "Try another model; if it stays, report it with the log.",
        False,
    ),
    FaultKind.REDIRECT: (
        "{host} answered with a redirect, which is not followed: it would send the prompt to "
        "another address",
        _CHECK_BASE_URL,
        False,
    ),
    FaultKind.RATE_LIMIT: ("The rate limit of {host} is reached", _RETRY, True),
    FaultKind.OVERLOADED: ("{host} is overloaded", _RETRY, True),
    FaultKind.SERVER: ("{host} had an internal error", _RETRY, True),
    FaultKind.CONFLICT: ("{host} was busy with the same request", _RETRY, True),
    FaultKind.NETWORK: (
        "{host} can't be reached",
        "Check the network connection, then retry.",
        True,
    ),
    FaultKind.ADDRESS: ("{host} can't be used", _CHECK_BASE_URL, False),
    FaultKind.TIMEOUT: ("{host} did not answer in time", _RETRY, True),
    FaultKind.CUT_OFF: ("The connection to {host} broke in the middle of the answer", _RETRY, True),
    FaultKind.MALFORMED: (
        "{host} sent an answer that is not in the expected form",
        f"Retry; if it stays, the address may be no Messages API. {_CHECK_BASE_URL}",
        False,
    ),
    FaultKind.UNKNOWN: (
        "The engine failed unexpectedly",
        "Retry; if it stays, report it with the log.",
        False,
    ),
}
"""What happened (`{host}` is the server), what to do next, and whether a retry may help."""

BY_STATUS: Mapping[int, FaultKind] = {
    401: FaultKind.AUTHENTICATION,
    402: FaultKind.BILLING,
    403: FaultKind.PERMISSION,
    404: FaultKind.NOT_FOUND,
    408: FaultKind.TIMEOUT,
    409: FaultKind.CONFLICT,
    413: FaultKind.TOO_LARGE,
    429: FaultKind.RATE_LIMIT,
    503: FaultKind.OVERLOADED,
    504: FaultKind.TIMEOUT,
    529: FaultKind.OVERLOADED,
}
"""HTTP statuses with a meaning of their own; the rest goes by its hundred."""

BY_TYPE: Mapping[str, FaultKind] = {
    "authentication_error": FaultKind.AUTHENTICATION,
    "billing_error": FaultKind.BILLING,
    "permission_error": FaultKind.PERMISSION,
    "not_found_error": FaultKind.NOT_FOUND,
    "request_too_large": FaultKind.TOO_LARGE,
    "invalid_request_error": FaultKind.INVALID_REQUEST,
    "rate_limit_error": FaultKind.RATE_LIMIT,
    "overloaded_error": FaultKind.OVERLOADED,
    "api_error": FaultKind.SERVER,
    "timeout_error": FaultKind.TIMEOUT,
    "conflict_error": FaultKind.CONFLICT,
    "exceed_context_size_error": FaultKind.TOO_LONG,
}
"""`error.type` of an error that arrives in the middle of a stream, where the status is 200."""

BY_MESSAGE: tuple[tuple[str, FaultKind], ...] = (
    # The API sends both as plain 400 invalid_request_error, so only the words tell.
    ("prompt is too long", FaultKind.TOO_LONG),
    ("exceeds the available context size", FaultKind.TOO_LONG),
    # What gateways of other makers write.
    ("maximum context length", FaultKind.TOO_LONG),
    ("context_length_exceeded", FaultKind.TOO_LONG),
    ("credit balance", FaultKind.BILLING),
    # LiteLLM's proxy says 400 to a model and to a key that it doesn't know.
    ("invalid model name passed", FaultKind.NOT_FOUND),
    ("no connected db", FaultKind.AUTHENTICATION),
)
"""Phrases of the message that outweigh status and type."""
