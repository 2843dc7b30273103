"""ACP agents that can run a definition: which programs they are, and what each needs to run.

Known ones and those of the user's own setting `engines` (those with a `command`); never a
project's. The programs are not started here.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from secretary_tui.config import Config
from secretary_tui.engines.base import EngineError
from secretary_tui.sanitize import clean_line


@dataclass(frozen=True, slots=True)
class AcpProfile:
    """An agent's program that speaks the Agent Client Protocol over its standard streams."""

    name: str
    title: str
    command: tuple[str, ...]
    environment: tuple[str, ...] = ()
    """The user's variables that it gets, such as its key."""
    home: tuple[str, ...] = ()
    """What it has in the home folder and sees: folders read-only, files as copies of its own."""
    keeps: tuple[str, ...] = ()
    """What it may write there for good, such as its log-in; settings would lift the walls."""
    login: str = ""
    """The command that logs the user in."""
    install: str = ""
    """The command that installs the program: for some an adapter beside the product itself."""
    model: str = ""
    """The model for agents that name no model, or one that it doesn't have."""
    older: str = ""
    """What the program was called before; taken where only that is installed."""
    missing_is_empty: bool = False
    """Whether it takes our error about a file that isn't there for a fault, and can't make one."""
    tells_cost: bool = False
    """Whether it says after an answer what that cost."""
    claude_options: bool = False
    """Whether it takes the options of Claude's own SDK: exactly these tools, and a cost cap."""
    about_servers: str = ""
    """What the user has to know where a definition names MCP servers, a sentence."""
    walls: bool = True
    """False runs it with all of the user's rights."""

    @property
    def limits(self) -> tuple[str, ...]:
        """What it can't promise, as the user should know before a run."""
        return (
            *(() if self.claude_options else ("tools of its own beside the agent's list",)),
            *(() if self.walls else ("without walls",)),
            "its own model",
            "price told afterwards" if self.tells_cost else "price unknown",
        )


KNOWN_AGENTS: Mapping[str, AcpProfile] = {
    profile.name: profile
    for profile in (
        AcpProfile(
            "claude-code",
            "Claude Code",
            ("claude-agent-acp",),
            (
                *("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"),
                *("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"),
            ),
            (
                ".claude.json",
                *(
                    f".claude/{name}"
                    for name in ("settings.json", "CLAUDE.md", "agents", "commands", "skills")
                ),
                *(f".claude/{name}" for name in ("plugins", "output-styles", "rules")),
            ),
            (".claude/.credentials.json",),
            login="claude /login",
            install="npm install -g @agentclientprotocol/claude-agent-acp",
            older="claude-code-acp",
            tells_cost=True,
            claude_options=True,
        ),
        AcpProfile(
            "gemini",
            "Gemini CLI",
            ("gemini", "--acp"),
            ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
            tuple(
                f".gemini/{name}"
                for name in (
                    *("settings.json", "google_accounts.json", "installation_id", "GEMINI.md"),
                    *(".env", "extensions", "commands", "skills", "policies", "state.json"),
                    "trustedFolders.json",
                )
            ),
            (".gemini/oauth_creds.json",),
            login="gemini",
            install="npm install -g @google/gemini-cli",
            missing_is_empty=True,
            about_servers=(
                "Gemini CLI takes MCP servers only in folders that it trusts itself; where it "
                "doesn't yet, start `gemini` here once and trust the folder."
            ),
        ),
        AcpProfile(
            "codex",
            "Codex",
            ("codex-acp",),
            ("OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"),
            tuple(
                f".codex/{name}"
                for name in ("config.toml", "AGENTS.md", "prompts", "skills", "rules")
            ),
            (".codex/auth.json",),
            login="codex login",
            install="npm install -g @agentclientprotocol/codex-acp",
        ),
        AcpProfile(
            "opencode",
            "OpenCode",
            ("opencode", "acp"),
            (),
            (
                # Not the folder itself: it writes a file of its own there and ends where it can't.
                *(
                    f".config/opencode/{name}"
                    for name in (
                        *("opencode.json", "opencode.jsonc", "config.json", "AGENTS.md"),
                        *("agent", "agents", "command", "commands", "mode", "modes", "tool"),
                        *("tools", "plugin", "plugins", "skill", "skills", "themes"),
                        *("package.json", "bun.lock", "node_modules"),
                    )
                ),
                *(".local/share/opencode/bin", ".cache/opencode"),
            ),
            (".local/share/opencode/auth.json",),
            login="opencode auth login",
            install="npm install -g opencode-ai",
            tells_cost=True,
        ),
    )
}


def acp_names(config: Config) -> tuple[str, ...]:
    """Name every ACP agent that can be chosen, known ones first."""
    own = (name for name, fields in config.engines.items() if "command" in fields)
    return tuple(dict.fromkeys((*KNOWN_AGENTS, *own)))


def find_acp(name: str, config: Config) -> AcpProfile:
    """Give an ACP agent by its name, with what the user's settings say of it.

    Raises:
        EngineError: the settings describe it wrongly.
    """
    profile = KNOWN_AGENTS.get(name) or AcpProfile(name, name, ())
    for key, value in config.engines.get(name, {}).items():
        profile = replace(profile, **{key: _field(name, key, value)})
    if not profile.command:
        raise _wrong(name, "command must name a program")
    if profile.older and not shutil.which(profile.command[0]) and shutil.which(profile.older):
        return replace(profile, command=(profile.older, *profile.command[1:]))
    return profile


def missing_program(profile: AcpProfile) -> str:
    """Say that the program isn't there; empty when it is."""
    program = profile.command[0]
    if shutil.which(program) is not None:
        return ""
    start = f"{clean_line(profile.title)} can't be reached: there is no program {program!r}."
    return f"{start} Get it with `{profile.install}`." if profile.install else start


def _field(name: str, key: str, value: Any) -> Any:
    if key in ("command", "environment", "home", "keeps"):
        if isinstance(value, str):
            value = value.split()
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            raise _wrong(name, f"{key} must be a list of texts")
        if key in ("home", "keeps") and any(one.startswith("/") or ".." in one for one in value):
            raise _wrong(name, f"{key} must name things in the home folder, such as .gemini")
        return tuple(value)
    if key in ("title", "login", "model") and isinstance(value, str):
        return value
    if key == "walls" and isinstance(value, bool):
        return value
    fields = "title, command, environment, home, keeps, login, model, walls"
    raise _wrong(name, f"{clean_line(key)[:40]!r} is none of {fields}, or has a wrong value")


def _wrong(name: str, what: str) -> EngineError:
    return EngineError(
        f"The setting `engines` describes {clean_line(name)[:60]} wrongly: {what}.",
        "Correct it in your own settings file (`secretary-tui config path user`).",
    )
