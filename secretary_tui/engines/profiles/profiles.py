"""Named profiles: other servers that speak the Messages API, known ones and the user's own.

A profile comes from the table below and from the setting `engines`, which is read from the user's
own file and never from a project's. What is known of a server is from its makers' documentation.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from secretary_tui.config import Config
from secretary_tui.engines.acp.acp_profiles import acp_names
from secretary_tui.engines.base import EngineError
from secretary_tui.sanitize import clean_line

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
RESERVED = frozenset(("auto", "anthropic", "local", "none"))
"""Values of the setting `engine` that are no profiles."""


class Header(StrEnum):
    """How a key is sent."""

    BEARER = "bearer"
    X_API_KEY = "x-api-key"


class Prices(StrEnum):
    """What is known of the prices."""

    PUBLISHED = "published"
    """By the data of `genai-prices`, where the provider is in it."""
    FREE = "free"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Profile:
    """A server that speaks the Messages API, and what it can do of it."""

    name: str
    title: str
    base_url: str
    """Without `/v1`."""
    key_variable: str = ""
    """The environment variable that holds the key; empty when there is none."""
    key_needed: bool = True
    """Whether the server refuses those who send no key of their own."""
    header: Header = Header.BEARER
    model: str = ""
    """The model of agents that name none; empty for the first one that the server lists."""
    models: Mapping[str, str] = field(default_factory=dict)
    """What `opus`, `sonnet`, `haiku` and other names stand for here."""
    threads: bool = False
    """Whether the server can hold a conversation (`Engine.supports_threads`)."""
    max_tokens: int = 8_000
    prices: Prices = Prices.UNKNOWN
    pictures: bool = False
    replays_thinking: bool = False
    """Whether an answer with a tool call is only taken back with its thinking."""
    start_hint: str = ""
    """What to do when nothing listens there."""

    @property
    def host(self) -> str:
        """The host, and the port where the address names one."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    @property
    def is_here(self) -> bool:
        """Whether it listens on this machine alone."""
        return is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def limits(self) -> tuple[str, ...]:
        """What it can't do, as the user should know before a run."""
        said = [] if self.pictures else ["no pictures or PDFs"]
        said.append("no web search")
        if self.prices is Prices.UNKNOWN:
            said.append("price unknown")
        return tuple(said)


KNOWN: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            "deepseek",
            "DeepSeek",
            "https://api.deepseek.com/anthropic",
            "DEEPSEEK_API_KEY",
            header=Header.X_API_KEY,
            model="deepseek-flash",
            models={
                "fable": "deepseek-v4-pro",
                "opus": "deepseek-v4-pro",
                "sonnet": "deepseek-flash",
                "haiku": "deepseek-flash",
            },
            max_tokens=16_000,
            prices=Prices.PUBLISHED,
            replays_thinking=True,
        ),
        Profile(
            "ollama",
            "Ollama",
            "http://localhost:11434",
            "OLLAMA_API_KEY",
            key_needed=False,
            prices=Prices.FREE,
            start_hint="Start it with `ollama serve`, and get a model with `ollama pull NAME`.",
        ),
        Profile(
            "lmstudio",
            "LM Studio",
            "http://localhost:1234",
            "LM_API_TOKEN",
            key_needed=False,
            prices=Prices.FREE,
            start_hint="Start its server with `lms server start`, and load a model.",
        ),
    )
}


def profile_names(config: Config) -> tuple[str, ...]:
    """Name every profile of a Messages API that can be chosen, known ones first."""
    own = (name for name, fields in config.engines.items() if "command" not in fields)
    return tuple(dict.fromkeys((*KNOWN, *own)))


def find_profile(name: str, config: Config) -> Profile:
    """Give a profile by its name, with what the user's settings say of it.

    Raises:
        EngineError: there is none of that name, or the settings describe it wrongly.
    """
    fields = config.engines.get(name)
    known = KNOWN.get(name)
    if known is None and fields is None:
        names = ", ".join(("anthropic", "local", *profile_names(config), *acp_names(config)))
        raise EngineError(
            f"There is no engine {clean_line(name)[:60]!r}.",
            f"Known are {names}; describe others in the setting `engines`.",
        )
    if name in RESERVED or not _NAME.fullmatch(name):
        raise _wrong(name, "that name can't be used for a profile")
    profile = known or Profile(name, name, "", prices=Prices.UNKNOWN)
    for key, value in (fields or {}).items():
        take = _FIELDS.get(key)
        if take is None:
            raise _wrong(name, f"{clean_line(key)[:40]!r} is none of {', '.join(_FIELDS)}")
        profile = replace(profile, **{key: take(name, key, value)})
    _check_address(profile)
    return profile


def is_loopback(host: str) -> bool:
    """Whether a host name means this machine."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_address(profile: Profile) -> None:
    try:
        parts = urlsplit(profile.base_url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        usable = usable and parts.username is None and not parts.query and not parts.fragment
        _ = parts.port
    except ValueError:
        usable = False
    if not usable or not profile.base_url.isprintable():
        raise _wrong(profile.name, "base_url must be an address such as https://llm.example.com")
    if (
        parts.scheme == "http"
        and profile.key_variable
        and profile.key_needed
        and not (profile.is_here)
    ):
        raise _wrong(
            profile.name, "a key would go over the network unencrypted; base_url must be https"
        )


def _wrong(name: str, what: str) -> EngineError:
    return EngineError(
        f"The setting `engines` describes {clean_line(name)[:60]} wrongly: {what}.",
        "Correct it in your own settings file (`secretary-tui config path user`).",
    )


def _text(name: str, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable() or len(value) > 300:
        raise _wrong(name, f"{key} must be a text")
    return value.strip()


def _address(name: str, key: str, value: Any) -> str:
    return _text(name, key, value).rstrip("/").removesuffix("/v1")


def _variable(name: str, key: str, value: Any) -> str:
    text = _text(name, key, value)
    if text and not _VARIABLE.fullmatch(text):
        # Who wrote the key itself there must not see it on the screen.
        raise _wrong(name, f"{key} must be the name of an environment variable, not a key")
    return text


def _flag(name: str, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, f"{key} must be true or false")
    return value


def _count(name: str, key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 128_000:
        raise _wrong(name, f"{key} must be a number from 1 to 128000")
    return value


def _header(name: str, key: str, value: Any) -> Header:
    try:
        return Header(str(value).lower())
    except ValueError:
        raise _wrong(name, f"{key} must be one of {', '.join(Header)}") from None


def _prices(name: str, key: str, value: Any) -> Prices:
    try:
        return Prices(str(value).lower())
    except ValueError:
        raise _wrong(name, f"{key} must be one of {', '.join(Prices)}") from None


def _table(name: str, key: str, value: Any) -> Mapping[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
        raise _wrong(name, f"{key} must be a table of names and models")
    return {str(alias).lower(): str(model).strip() for alias, model in value.items()}


_FIELDS: Mapping[str, Callable[[str, str, Any], Any]] = {
    "title": _text,
    "base_url": _address,
    "key_variable": _variable,
    "key_needed": _flag,
    "header": _header,
    "model": _text,
    "models": _table,
    "threads": _flag,
    "max_tokens": _count,
    "prices": _prices,
    "pictures": _flag,
}
"""What the setting `engines` may say of a profile, and how each is read."""
