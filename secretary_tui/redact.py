"""Take secrets out of text before anyone reads it: on the screen, in a log, in a run's file.

Errors of the HTTP stack quote what was sent, keys included, and a traceback prints every cause.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

MASK = "[redacted]"
"""What stands where a secret stood."""

_LABELLED = re.compile(
    r"""(?ix)
    ( \b(?:x-api-key|authorization|proxy-authorization|api[_-]?key|auth[_-]?token
         |anthropic_(?:api_key|auth_token)|password|secret)
      ['"]? (?:\\?["'])? \s* [:=,]+ \s* (?:b?\\?['"])? (?:bearer\s+|basic\s+)? )
    ( [^\s'"\\,;)\]}]{4,} )
    """
)
_BEARER = re.compile(r"(?i)(\b(?:bearer|basic)\s+)([A-Za-z0-9._~+/=-]{8,})")
_KNOWN = re.compile(
    r"sk-[A-Za-z0-9_-]{8,}"  # Anthropic and those who copied its shape
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"
    # A JWT, from where a word begins, also behind an escape (`%3D`, `\\n`): from each `eyJ` of a
    # word that is made of them, the rest of the word would be read again.
    r"|(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[a-z]))"
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
# Only the end of the scheme: all of it was looked for from each `a.` of `a.a.a.…` to the last.
_URL_PASSWORD = re.compile(r"([a-z0-9+.-]://)[^\s/@:]*:[^\s/@]+@", re.I)


_ENV_LINE = re.compile(
    r"\b((?:[A-Z][A-Z0-9]*_)*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)[ \t]*=[ \t]*['\"]?)"
    r"([^\s'\"]{4,})"
)
_LIKE_A_SECRET = re.compile(r"(?=[^\d]*\d)[^\s()]{8,}")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Give the text with everything that looks like a key, token or password masked.

    `secrets` are values known to be secret whatever they look like; shorter ones than 6 characters
    are left alone, since masking them would tear ordinary words apart.
    """
    text = _without_keys(text, secrets)
    text = _LABELLED.sub(rf"\1{MASK}", text)
    return _BEARER.sub(rf"\1{MASK}", text)


def redact_prose(text: str, secrets: Iterable[str] = ()) -> str:
    """The same for talk and code, in which `verify(password, name)` holds no secret.

    What follows a label is masked only when it looks like a secret (a digit, 8 characters, no
    call) or stands in a line of an environment file.
    """
    text = _without_keys(text, secrets)
    text = _ENV_LINE.sub(rf"\1{MASK}", text)
    text = _LABELLED.sub(
        lambda m: f"{m[1]}{MASK}" if _LIKE_A_SECRET.fullmatch(m[2]) else m[0], text
    )
    return _BEARER.sub(lambda m: f"{m[1]}{MASK}" if _LIKE_A_SECRET.fullmatch(m[2]) else m[0], text)


def _without_keys(text: str, secrets: Iterable[str]) -> str:
    for secret in sorted({value.strip() for value in secrets}, key=len, reverse=True):
        if len(secret) >= 6:
            text = text.replace(secret, MASK)
    text = _KNOWN.sub(MASK, text)
    return _URL_PASSWORD.sub(rf"\1{MASK}@", text)


def environment_secrets() -> tuple[str, ...]:
    """The values of this process's environment that are named like secrets."""
    ends = ("_KEY", "_TOKEN")
    return tuple(value for name, value in os.environ.items() if name.endswith(ends))
