"""Settings: one schema with help text that builds the file, the screen and the documentation.

A settings file is markdown with YAML frontmatter (seed 000, Interface 7). Layers, lowest first:
default, user file, project file, environment (`SECRETARY_TUI_<KEY>`), command line. A value that
doesn't fit is reported and skipped, never fatal. A repository can carry a project file of its own
making, so settings marked `user_only` are ignored there.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from secretary_tui import paths

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_MAX_BYTES = 64_000
"""The largest settings file that is read; a real one has some hundred bytes."""


class ActivationMode(StrEnum):
    """How much the secretary does unasked; no mode ever delegates without the user's choice."""

    MANUAL = "manual"
    AWARE = "aware"
    PROACTIVE = "proactive"


class SettingSource(StrEnum):
    """Where a value came from, weakest first."""

    DEFAULT = "default"
    USER = "user"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key, what it accepts, and a sentence for people."""

    key: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    """For text settings: the values accepted; empty for free text."""
    low: float | None = None
    high: float | None = None
    user_only: bool = False
    """Ignored in a project's file: it could loosen what the user decided."""
    project_raises: bool = False
    """A project's file may only raise what the user's settings or the default say."""
    open_choices: bool = False
    """Whether `choices` are only the usual ones and another name is taken too."""
    nested: bool = False
    """Whether it is a table of tables."""
    adds_up: bool = False
    """For lists: the layers are put together, where otherwise the highest alone counts."""


DEFAULT_MODEL_ALIASES: Mapping[str, str] = {
    "fable": "claude-fable-5-2",
    "opus": "claude-opus-5-5",
    "sonnet": "claude-sonnet-5-5",
    "haiku": "claude-haiku-5-5",
}

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "activation_mode",
        "manual",
        "manual: nothing unasked. aware: shows the best match while you type and tells new "
        "sessions that it is there. proactive: aware, and names a strong match for each prompt.",
        choices=tuple(ActivationMode),
    ),
    Setting(
        "preferred_review_agents", (), "Agents that win a tie between reviewers, first one first."
    ),
    Setting(
        "auto_create_missing",
        False,
        "Offer to create an agent when none fits (kept for later; nothing reads it yet).",
    ),
    Setting(
        "supervision_level",
        "light",
        "How closely a run is watched (kept for later; nothing reads it yet).",
        choices=("light", "standard", "full", "adaptive"),
    ),
    Setting(
        "recommend_above",
        70,
        "Confidence above which a match is recommended.",
        low=0,
        high=100,
        project_raises=True,
    ),
    Setting(
        "show_above",
        50,
        "Confidence from which a match is shown at all.",
        low=0,
        high=100,
        project_raises=True,
    ),
    Setting(
        "engine",
        "auto",
        "Where models answer. auto: the API when there is a key, else the local model, else none. "
        "Also the name of one of `engines`.",
        choices=(
            *("auto", "anthropic", "local", "deepseek", "ollama", "lmstudio"),
            *("claude-code", "gemini", "codex", "opencode", "none"),
        ),
        open_choices=True,
        user_only=True,
    ),
    Setting(
        "engines",
        {},
        "Other places where models answer, by name: servers that speak the Messages API, programs "
        "that speak ACP (those with a command), and changes to the known ones.",
        nested=True,
        user_only=True,
    ),
    Setting("local_model", "", "The GGUF file that the local engine loads.", user_only=True),
    Setting("default_model", "sonnet", "The model of agents that name none.", user_only=True),
    Setting("routing_model", "haiku", "The model that refines the ranking.", user_only=True),
    Setting(
        "local_refines",
        False,
        "Whether the small local model may refine the ranking too: worth it on a fast machine.",
        user_only=True,
    ),
    Setting(
        "semantic",
        "auto",
        "Whether agents are also found by the meaning of whole sentences. auto: when "
        "`secretary-tui model get semantic` has fetched what that takes. off: by words alone.",
        choices=("auto", "off"),
    ),
    Setting(
        "model_aliases",
        DEFAULT_MODEL_ALIASES,
        "Short model names and what they stand for.",
        user_only=True,
    ),
    Setting(
        "routing_timeout_s",
        5.0,
        "Seconds the model may take to refine the ranking before the local one stands.",
        low=0.1,
        high=120,
    ),
    Setting(
        "intent_threshold",
        0.7,
        "How sure it must be what sort of message you sent before it isn't asked (0–1).",
        low=0,
        high=1,
    ),
    Setting(
        "permission_mode",
        "ask",
        "What risky tools do. ask: ask each time. accept-edits: edits in the project pass. "
        "plan: reading only. deny: refuse whatever would ask.",
        choices=("ask", "accept-edits", "plan", "deny"),
        user_only=True,
    ),
    Setting(
        "claude_md",
        True,
        "Whether agents read the CLAUDE.md files that hold for the project, as in Claude Code.",
    ),
    Setting(
        "max_cost_usd",
        0.0,
        "US dollars one run may cost before it pauses and asks. 0: no cap.",
        low=0,
        high=100_000,
        user_only=True,
    ),
    Setting(
        "max_session_cost_usd",
        0.0,
        "US dollars all runs since the start may cost together before they pause. 0: no cap.",
        low=0,
        high=100_000,
        user_only=True,
    ),
    Setting(
        "warn_cost_usd",
        1.0,
        "US dollars of one run from which on it says, once, what it has cost. 0: never.",
        low=0,
        high=100_000,
        user_only=True,
    ),
    Setting(
        "max_parallel_runs",
        5,
        "How many runs may go on at once, each in a tab of its own (Ctrl+N during a run).",
        low=1,
        high=20,
        user_only=True,
    ),
    Setting(
        "on_hangup",
        "stop",
        "What runs do when their terminal vanishes. stop: they end, logged, to be resumed. finish: "
        "they go on without a screen, what they ask is denied, and the program ends after them.",
        choices=("stop", "finish"),
        user_only=True,
    ),
    Setting("bundled_agents", True, "Whether the agents that come with the product are listed."),
    Setting(
        "agents_dir",
        ".claude/agents",
        "The project's own folder of agents, relative to it; .claude/agents counts in any case.",
    ),
    Setting(
        "agents_folders",
        (),
        "More folders of agents, shared by all projects (packages, a checkout of a collection).",
        user_only=True,
    ),
    Setting(
        "disabled_agents",
        (),
        "Ids of agents that are switched off; the user's and the project's lists add up.",
        adds_up=True,
    ),
    Setting(
        "disabled_sources",
        (),
        "Sources that are switched off, as `agents sources` names them: user, bundled, project, "
        "copilot, a plugin's name, plugin@marketplace or a folder; the user's and the project's "
        "lists add up.",
        adds_up=True,
    ),
    Setting(
        "watch",
        "auto",
        "How edited agent files are noticed. auto: by the system's notifications. poll: by "
        "looking again and again, for network drives. off: not at all.",
        choices=("auto", "poll", "off"),
    ),
    Setting(
        "mcp_servers",
        {},
        "MCP servers that agents may name, and what each may reach: network, writes (in the "
        "project), environment (names of variables), walls: false for all your rights.",
        nested=True,
        user_only=True,
    ),
    Setting(
        "notify",
        "bell",
        "How a run that ended or asks calls you, when you look elsewhere or it took over 10 s. "
        "bell: the terminal's bell. osc9: a notification of the desktop, where the terminal can. "
        "both, off.",
        choices=("off", "bell", "osc9", "both"),
        user_only=True,
    ),
    Setting(
        "terminal_title",
        True,
        "Whether the terminal's title tells which agent is at work; the old one comes back.",
        user_only=True,
    ),
    Setting(
        "terminal_progress",
        "auto",
        "Whether the terminal's progress (OSC 9;4) shows that a run goes on. auto: where the "
        "terminal is known to draw it.",
        choices=("auto", "on", "off"),
        user_only=True,
    ),
    Setting(
        "theme",
        "auto",
        "The colours. auto: dark or light, as the terminal's background is. secretary-dark, "
        "secretary-light, secretary-contrast, secretary-ansi (the terminal's sixteen colours), "
        "secretary-plain (none, as with NO_COLOR), or a theme of Textual.",
        user_only=True,
    ),
    Setting(
        "glyphs",
        "auto",
        "Lines, bars and marks. auto: ASCII where the locale isn't UTF-8.",
        choices=("auto", "unicode", "ascii"),
        user_only=True,
    ),
    Setting(
        "motion",
        "full",
        "reduced: nothing blinks, scrolls smoothly or fades.",
        choices=("full", "reduced"),
        user_only=True,
    ),
    Setting(
        "editing",
        "emacs",
        "Whose keys move and delete in the request box. emacs: those of readline. vi: normal and "
        "insert mode; Esc goes to normal mode.",
        choices=("emacs", "vi"),
        user_only=True,
    ),
    Setting(
        "keys",
        {},
        "Other keys for actions, such as {history: ctrl+y, stats: none}; docs/keys.md has their "
        "names. Keys inside panels (y, n, a …) stay as they are, so that none answers by surprise.",
        user_only=True,
    ),
    Setting("mouse", True, "Whether the mouse works here, from the next start on.", user_only=True),
    Setting(
        "plain",
        False,
        "Lines of text in place of the screen, from the next start on: for screen readers, Braille "
        "displays and slow lines. The same as --plain.",
        user_only=True,
    ),
)
BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A line of a settings file that was skipped, and why."""

    path: str
    key: str
    message: str


@dataclass(frozen=True, slots=True)
class Config:
    """Settings in force, with where each came from. Fields are the keys of `SETTINGS`."""

    activation_mode: ActivationMode = ActivationMode.MANUAL
    preferred_review_agents: tuple[str, ...] = ()
    auto_create_missing: bool = False
    supervision_level: str = "light"
    recommend_above: int = 70
    show_above: int = 50
    engine: str = "auto"
    engines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    local_model: str = ""
    default_model: str = "sonnet"
    routing_model: str = "haiku"
    local_refines: bool = False
    semantic: str = "auto"
    model_aliases: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_MODEL_ALIASES))
    routing_timeout_s: float = 5.0
    intent_threshold: float = 0.7
    permission_mode: str = "ask"
    claude_md: bool = True
    max_cost_usd: float = 0.0
    max_session_cost_usd: float = 0.0
    warn_cost_usd: float = 1.0
    max_parallel_runs: int = 5
    on_hangup: str = "stop"
    bundled_agents: bool = True
    agents_dir: str = ".claude/agents"
    agents_folders: tuple[str, ...] = ()
    disabled_agents: tuple[str, ...] = ()
    disabled_sources: tuple[str, ...] = ()
    watch: str = "auto"
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notify: str = "bell"
    terminal_title: bool = True
    terminal_progress: str = "auto"
    theme: str = "auto"
    glyphs: str = "auto"
    motion: str = "full"
    editing: str = "emacs"
    keys: Mapping[str, str] = field(default_factory=dict)
    mouse: bool = True
    plain: bool = False
    sources: Mapping[str, SettingSource] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    """The files that were read."""
    problems: tuple[ConfigProblem, ...] = ()

    def source(self, key: str) -> SettingSource:
        """Where the value of `key` came from."""
        return self.sources.get(key, SettingSource.DEFAULT)

    def override(self, **values: Any) -> Config:
        """Give a copy with values from the command line."""
        sources = {**self.sources, **dict.fromkeys(values, SettingSource.COMMAND_LINE)}
        return dataclasses.replace(self, sources=sources, **values)


def load(project: Path, environ: Mapping[str, str] = os.environ) -> Config:
    """Read all layers. Never raises: what can't be used is in `Config.problems`."""
    values: dict[str, Any] = {}
    sources: dict[str, SettingSource] = {}
    files: list[Path] = []
    problems: list[ConfigProblem] = []
    layers = (
        (paths.user_config(), SettingSource.USER),
        (project / paths.PROJECT_CONFIG, SettingSource.PROJECT),
    )
    for path, source in layers:
        frontmatter = _read(path, files, problems)
        for key, raw in frontmatter.items():
            setting = BY_KEY.get(key)
            if setting is None:
                continue  # Other tools keep settings of their own here.
            if setting.user_only and source is SettingSource.PROJECT:
                problems.append(
                    ConfigProblem(str(path), key, f"{key} is only read from {paths.user_config()}")
                )
                continue
            _take(setting, raw, source, str(path), values, sources, problems)
    for setting in SETTINGS:
        name = f"SECRETARY_TUI_{setting.key.upper()}"
        raw = environ.get(name)
        if raw is not None:
            parsed = _parse_scalar(raw)
            _take(setting, parsed, SettingSource.ENVIRONMENT, name, values, sources, problems)
    if "model_aliases" in values:
        values["model_aliases"] = {**DEFAULT_MODEL_ALIASES, **values["model_aliases"]}
    return Config(**values, sources=sources, files=tuple(files), problems=tuple(problems))


def parse_value(setting: Setting, raw: object) -> Any:
    """Check one value against its setting and give it in the setting's type.

    Raises:
        ValueError: it doesn't fit; the message names what does.
    """
    if setting.choices:
        text = str(raw).strip().lower() if not isinstance(raw, bool) else str(raw)
        if setting.open_choices and _NAME.fullmatch(text):
            return text
        if text not in setting.choices:
            raise ValueError(f"{setting.key} must be one of {', '.join(setting.choices)}")
        return ActivationMode(text) if setting.key == "activation_mode" else text
    if setting.nested:
        return _parse_tables(setting, raw)
    return _PARSERS[type(setting.default)](setting, raw)


def _parse_bool(setting: Setting, raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    words = {"true": True, "yes": True, "on": True, "1": True}
    words |= {"false": False, "no": False, "off": False, "0": False}
    try:
        return words[str(raw).strip().lower()]
    except KeyError:
        raise ValueError(f"{setting.key} must be true or false") from None


def _parse_number(setting: Setting, raw: object) -> int | float:
    kind = type(setting.default)
    try:
        number = float(str(raw))
    except ValueError:
        raise ValueError(f"{setting.key} must be a number") from None
    low, high = setting.low, setting.high
    if isinstance(raw, bool) or not (
        (low is None or number >= low) and (high is None or number <= high)
    ):
        raise ValueError(f"{setting.key} must be a number from {low:g} to {high:g}")
    return int(number) if kind is int else number


def _parse_list(setting: Setting, raw: object) -> tuple[str, ...]:
    if raw is None:
        return ()
    if isinstance(raw, str):
        raw = [part for part in re.split(r"[,\s]+", raw) if part]
    if not isinstance(raw, (list, tuple)) or not all(isinstance(item, str) for item in raw):
        raise ValueError(f"{setting.key} must be a list of names")
    return tuple(raw)


def _parse_table(setting: Setting, raw: object) -> dict[str, str]:
    if not isinstance(raw, Mapping):
        raise ValueError(f"{setting.key} must be a table of names and values")
    return {
        str(name).lower(): ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in raw.items()
    }


def _parse_tables(setting: Setting, raw: object) -> dict[str, dict[str, Any]]:
    """Read a table of tables; what stands in those is checked where it is used."""
    if not isinstance(raw, Mapping) or not all(isinstance(one, Mapping) for one in raw.values()):
        raise ValueError(f"{setting.key} must be a table of names, each with its own settings")
    return {
        str(name).lower(): {str(key): value for key, value in one.items()}
        for name, one in raw.items()
    }


def _parse_text(setting: Setting, raw: object) -> str:
    return "" if raw is None else str(raw)


_PARSERS = {
    bool: _parse_bool,
    int: _parse_number,
    float: _parse_number,
    str: _parse_text,
    tuple: _parse_list,
    dict: _parse_table,
}


def read_list(path: Path, key: str) -> tuple[str, ...]:
    """A list setting as one file has it; empty when it is missing or is no list."""
    try:
        value: tuple[str, ...] = parse_value(BY_KEY[key], read_layer(path).get(key))
    except ValueError:
        return ()
    return value


def read_layer(path: Path) -> Mapping[str, Any]:
    """What one settings file says, unchecked; empty when it is missing or unusable."""
    return _read(path, [], [])


def read_text(path: Path) -> str:
    """Read a settings file, which may have come with a repository.

    Raises:
        OSError: it is no regular file of at most 64 kB, or it is a project's and leads elsewhere;
            a missing one is a `FileNotFoundError`.
        UnicodeDecodeError: it isn't UTF-8.
    """
    project = paths.project_of(path)
    if project is not None and not paths.stays_inside(path, paths.repository_root(project)):
        raise OSError("it is a link that leads out of the project; put a file in its place")
    return paths.read_small(path, _MAX_BYTES).decode("utf-8-sig").replace("\r\n", "\n")


def _take(
    setting: Setting,
    raw: object,
    source: SettingSource,
    where: str,
    values: dict[str, Any],
    sources: dict[str, SettingSource],
    problems: list[ConfigProblem],
) -> None:
    try:
        value = parse_value(setting, raw)
        before = values.get(setting.key, setting.default)
        if source is SettingSource.PROJECT and setting.project_raises and value < before:
            message = f"a project can only raise {setting.key} above {before}, so it stays there"
            problems.append(ConfigProblem(where, setting.key, message))
            return
        if setting.adds_up:
            value = tuple(dict.fromkeys((*values.get(setting.key, ()), *value)))
        values[setting.key] = value
        sources[setting.key] = source
    except ValueError as error:
        shown = repr(raw)
        shown = shown if len(shown) <= 80 else f"{shown[:79]}…"
        problems.append(ConfigProblem(where, setting.key, f"{error}, not {shown}; ignored"))


def _parse_scalar(raw: str) -> object:
    from secretary_tui.strict_yaml import StrictYamlError, load_value

    try:
        return load_value(raw)
    except StrictYamlError:
        return raw


def split(text: str) -> tuple[str, str, str]:
    """Split a settings file into opening fence, frontmatter and the rest (closing fence included).

    Without frontmatter the first two are empty.
    """
    match = re.match(r"(---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z).*)", text, re.S | re.M)
    return (match[1], match[2], match[3]) if match else ("", "", text)


def _read(path: Path, files: list[Path], problems: list[ConfigProblem]) -> Mapping[str, Any]:
    try:
        text = read_text(path)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        problems.append(ConfigProblem(str(path), "", f"can't be read: {error}"))
        return {}
    files.append(path)
    from secretary_tui.strict_yaml import NotReadError, StrictYamlError, load_value

    try:
        data = load_value(split(text)[1])
    except StrictYamlError as error:
        what = "not read here" if isinstance(error, NotReadError) else "not valid YAML"
        message = f"line {error.line + 2}: {what}, so the file is ignored: {error}"
        problems.append(ConfigProblem(str(path), "", message))
        return {}
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        problems.append(ConfigProblem(str(path), "", "the frontmatter holds no settings"))
        return {}
    return {str(key): value for key, value in data.items()}
