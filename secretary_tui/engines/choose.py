"""Decide where models answer, without loading anything heavy to find out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from secretary_tui.config import Config
from secretary_tui.engines.acp.acp_engine import AcpEngine
from secretary_tui.engines.acp.acp_profiles import KNOWN_AGENTS, acp_names, find_acp
from secretary_tui.engines.anthropic_api import (
    KEY_VARIABLES,
    AnthropicEngine,
    read_base_url,
    read_key,
)
from secretary_tui.engines.base import Engine, EngineError
from secretary_tui.engines.faults import explain_fault
from secretary_tui.engines.local.local_engine import INSTALL_HINT, LocalEngine, is_runtime_installed
from secretary_tui.engines.local.weights import resolve_local_model
from secretary_tui.engines.profiles.profile_engine import ProfileEngine
from secretary_tui.engines.profiles.profiles import KNOWN, RESERVED, find_profile, profile_names
from secretary_tui.sanitize import clean_line

_OFFLINE = "--offline rules the Claude API out"
_NO_KEY = f"there is no API key ({KEY_VARIABLES[0]} is not set)"


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Which engine serves this session."""

    kind: str
    """`anthropic`, `local`, `none`, or the name of a profile."""
    why: str
    """One sentence for `doctor`, the first screen and the status bar."""
    engine: Engine | None
    """None when only the local ranking works."""
    is_misconfigured: bool = False
    """Whether a key, an address or a model is set that can't be used: `why` says which."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """Whether an engine really answers."""

    ok: bool
    sentence: str
    elapsed_ms: float


def choose_engine(
    config: Config, environ: Mapping[str, str], *, offline: bool = False
) -> EngineChoice:
    """Choose by the `engine` setting; auto takes the API with a key, else the local model.

    `offline` rules out what doesn't answer on this machine. Reads the environment, the settings
    and file names; starts and imports nothing. Never raises.
    """
    if config.engine == "none":
        return EngineChoice("none", "The settings say `engine: none`.", None)
    if config.engine not in RESERVED:
        return _named(config, environ, offline)
    api_problem = "" if config.engine == "local" else _api_problem(environ, offline)
    if config.engine != "local" and not api_problem:
        engine = AnthropicEngine(config, environ)
        return EngineChoice("anthropic", f"There is an API key, so {engine.label} answers.", engine)
    local_problem = "" if config.engine == "anthropic" else _local_problem(config)
    if config.engine != "anthropic" and not local_problem:
        local = LocalEngine(config)
        reason = (
            f"{api_problem}, so the" if api_problem else "the settings say `engine: local`; the"
        )
        return EngineChoice(
            "local", _sentence(f"{reason} small local model {local.model_name} answers"), local
        )
    problems = " and ".join(filter(None, (api_problem, local_problem)))
    unusable = api_problem not in ("", _NO_KEY, _OFFLINE) or bool(
        config.local_model and local_problem
    )
    return EngineChoice("none", _sentence(problems), None, unusable)


def _named(config: Config, environ: Mapping[str, str], offline: bool) -> EngineChoice:
    engine: ProfileEngine | AcpEngine
    try:
        if config.engine in acp_names(config):
            engine = AcpEngine(find_acp(config.engine, config))
        else:
            engine = ProfileEngine(find_profile(config.engine, config), config, environ)
    except EngineError as error:
        return EngineChoice("none", f"{error} {error.suggestion}".strip(), None, True)
    if offline and not engine.is_local:
        why = f"--offline rules {engine.label} out: it needs the network."
        return EngineChoice("none", why, None)
    if problem := engine.problem:
        return EngineChoice("none", problem, None, True)
    return EngineChoice(
        engine.name, f"The settings say `engine: {engine.name}`, so {engine.label} answers.", engine
    )


@dataclass(frozen=True, slots=True)
class EngineOffer:
    """An engine that a run could have."""

    name: str
    label: str
    limits: tuple[str, ...]
    """What it can't do, in a few words each."""
    problem: str = ""
    """Why it can't be used now, in a sentence; empty when it can."""


def engine_offers(
    config: Config, environ: Mapping[str, str], *, offline: bool = False
) -> tuple[EngineOffer, ...]:
    """Give every engine there could be, usable or not; starts and imports nothing.

    Blocking: knocks where a server of this machine should listen.
    """
    names = ("anthropic", "local", *profile_names(config), *acp_names(config))
    return tuple(_offer(name, config, environ, offline) for name in names)


def _offer(name: str, config: Config, environ: Mapping[str, str], offline: bool) -> EngineOffer:
    choice = choose_engine(config.override(engine=name), environ, offline=offline)
    engine = choice.engine
    if engine is None:
        return EngineOffer(name, _title(name), (), choice.why)
    if isinstance(engine, ProfileEngine) and not engine.is_listening():
        profile = engine.profile
        problem = f"Nothing listens at {profile.host}. {profile.start_hint}".strip()
        return EngineOffer(name, engine.label, engine.limits, problem)
    return EngineOffer(name, engine.label, engine.limits)


def _title(name: str) -> str:
    known = {"anthropic": "Claude API", "local": "The local model"}
    profile = KNOWN.get(name) or KNOWN_AGENTS.get(name)
    return known.get(name) or (profile.title if profile else name)


async def probe(engine: Engine, timeout_s: float = 30.0) -> ProbeResult:
    """Ask the engine for one token, to see that key, network and model work (`doctor --online`)."""
    start = time.monotonic()
    if engine.runs_agents:
        return ProbeResult(True, f"{engine.label} is there; only a run shows that it works.", 0.0)
    try:
        async with asyncio.timeout(timeout_s):
            await engine.prepare()
            client = await engine.client()
            model = engine.resolve_model(None).id
            await client.messages.create(
                model=model, max_tokens=1, messages=[{"role": "user", "content": "Say ok."}]
            )
    except TimeoutError:
        ok, sentence = False, f"{engine.label} did not answer within {timeout_s:g} s."
    except Exception as error:  # Whatever it is, `explain_fault` has a sentence for it.
        fault = explain_fault(error)
        ok, sentence = False, f"{fault.sentence} {fault.suggestion}".strip()
    else:
        ok, sentence = True, f"{model} answers at {engine.label}."
    return ProbeResult(ok, sentence, (time.monotonic() - start) * 1000)


def _api_problem(environ: Mapping[str, str], offline: bool) -> str:
    """Why the API can't be used, as half a sentence; empty when it can."""
    if offline:
        return _OFFLINE
    try:
        if not read_key(environ):
            return _NO_KEY
        read_base_url(environ)
    except EngineError as error:
        return str(error).rstrip(".")
    return ""


def _local_problem(config: Config) -> str:
    """Why the local model can't be used, as half a sentence; empty when it can."""
    if resolve_local_model(config) is None:
        if config.local_model:
            return f"the model file {clean_line(config.local_model)} is missing"
        return "there is no local model yet (`secretary-tui model get` fetches one)"
    if not is_runtime_installed():
        hint = INSTALL_HINT[:1].lower() + INSTALL_HINT[1:].rstrip(".")
        return f"the runtime for local models is not installed ({hint})"
    return ""


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
