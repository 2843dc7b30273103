"""Every setting: its key, its default, what it accepts, and a sentence for people.

This table builds the settings screen, `config`, `config.example.md` and docs/configuration.md. What
the layers make of it is in `config`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class ActivationMode(StrEnum):
    """How much the secretary does unasked; no mode ever delegates without the user's choice."""

    MANUAL = "manual"
    AWARE = "aware"
    PROACTIVE = "proactive"

    @property
    def about(self) -> str:
        """What the secretary does unasked in this mode, in a few words."""
        return {
            ActivationMode.MANUAL: "nothing on its own",
            ActivationMode.AWARE: "the best match shows while you type",
            ActivationMode.PROACTIVE: "aware, and in Claude Code strong matches are named",
        }[self]


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


THEMES = (
    *("auto", "secretary-dark", "secretary-light", "secretary-contrast", "secretary-ansi"),
    *("secretary-plain", "ansi-dark", "ansi-light", "atom-one-dark", "atom-one-light"),
    *("catppuccin-frappe", "catppuccin-latte", "catppuccin-macchiato", "catppuccin-mocha"),
    *("dracula", "flexoki", "gruvbox", "monokai", "nord", "rose-pine", "rose-pine-dawn"),
    *("rose-pine-moon", "solarized-dark", "solarized-light", "textual-dark", "textual-light"),
    "tokyo-night",
)
"""Ours, then those that come with Textual (8.2.8, pinned), which only the screen may import."""

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
        "What the secretary does on its own. manual: nothing. aware: shows the best match while "
        "you type and tells Claude Code sessions that it is there. proactive: aware, and names a "
        "strong match for each prompt.",
        choices=tuple(ActivationMode),
    ),
    Setting(
        "preferred_review_agents", (), "Agents preferred on a tie between reviewers, in this order."
    ),
    Setting(
        "auto_create_missing",
        False,
        "Offer to create an agent when none fits (reserved, not used yet).",
    ),
    Setting(
        "supervision_level",
        "light",
        "How closely a run is watched (reserved, not used yet).",
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
        "`secretary-tui model get semantic` has downloaded what that takes. off: by words only.",
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
        "Confidence in what a message asks for, below which you are asked (0–1).",
        low=0,
        high=1,
    ),
    Setting(
        "permission_mode",
        "ask",
        "What risky tools do. ask: ask each time. accept-edits: edits in the project are "
        "allowed. plan: read-only. deny: refuse whatever would ask.",
        choices=("ask", "accept-edits", "plan", "deny"),
        user_only=True,
    ),
    Setting(
        "claude_md",
        True,
        "Whether agents read the project's CLAUDE.md files, as in Claude Code.",
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
        "US dollars all runs of a session may cost together before they pause. 0: no cap.",
        low=0,
        high=100_000,
        user_only=True,
    ),
    Setting(
        "warn_cost_usd",
        1.0,
        "Warn once when a run has cost this many US dollars. 0: never.",
        low=0,
        high=100_000,
        user_only=True,
    ),
    Setting(
        "max_parallel_runs",
        5,
        "Max runs at once, each in its own tab (Ctrl+N during a run).",
        low=1,
        high=20,
        user_only=True,
    ),
    Setting(
        "on_hangup",
        "stop",
        "What runs do when their terminal closes. stop: they stop and can be resumed. finish: "
        "they continue without a screen, and what they ask is denied.",
        choices=("stop", "finish"),
        user_only=True,
    ),
    Setting("bundled_agents", True, "Whether the bundled agents are listed."),
    Setting(
        "agents_dir",
        ".claude/agents",
        "The project's own folder of agents, relative to it; .claude/agents is always read.",
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
        "Ids of disabled agents; the user's and the project's lists add up.",
        adds_up=True,
    ),
    Setting(
        "disabled_sources",
        (),
        "Disabled sources, as `agents sources` names them: user, bundled, project, "
        "copilot, a plugin's name, plugin@marketplace or a folder; the user's and the project's "
        "lists add up.",
        adds_up=True,
    ),
    Setting(
        "watch",
        "auto",
        "How edited agent files are noticed. auto: by the system's notifications. poll: by "
        "polling, for network drives. off: not at all.",
        choices=("auto", "poll", "off"),
    ),
    Setting(
        "mcp_servers",
        {},
        "MCP servers that agents may name, and what each may reach: network, writes (in the "
        "project), environment (names of variables), walls: false for no sandbox.",
        nested=True,
        user_only=True,
    ),
    Setting(
        "notify",
        "bell",
        "How to notify you that a run has ended or asks, if the terminal has no focus or the run "
        "took over 10 s. bell: terminal bell. osc9: desktop notification. both, off.",
        choices=("off", "bell", "osc9", "both"),
        user_only=True,
    ),
    Setting(
        "terminal_title",
        True,
        "Whether the terminal's title shows the running agent; it is restored at the end.",
        user_only=True,
    ),
    Setting(
        "terminal_progress",
        "auto",
        "Whether the terminal shows progress (OSC 9;4) during a run. auto: where the terminal is "
        "known to support it.",
        choices=("auto", "on", "off"),
        user_only=True,
    ),
    Setting(
        "theme",
        "auto",
        "The colours. auto: dark or light, as the terminal's background. secretary-ansi: the "
        "terminal's sixteen colours. secretary-plain: none, as with NO_COLOR. Those that don't "
        "begin with secretary come with Textual.",
        choices=THEMES,
        user_only=True,
    ),
    Setting(
        "glyphs",
        "auto",
        "Characters for lines, bars and marks. auto: ASCII if the locale isn't UTF-8.",
        choices=("auto", "unicode", "ascii"),
        user_only=True,
    ),
    Setting(
        "motion",
        "full",
        "Animations. reduced: no blinking, smooth scrolling or fading.",
        choices=("full", "reduced"),
        user_only=True,
    ),
    Setting(
        "editing",
        "emacs",
        "Key bindings of the request box. emacs: those of readline. vi: normal and insert mode; "
        "Esc goes to normal mode.",
        choices=("emacs", "vi"),
        user_only=True,
    ),
    Setting(
        "keys",
        {},
        "Your own keys for actions, such as {history: ctrl+y, stats: none}; docs/keys.md lists "
        "the names. Keys inside panels (y, n, a …) can't be changed.",
        user_only=True,
    ),
    Setting("mouse", True, "Mouse support, from the next start on.", user_only=True),
    Setting(
        "plain",
        False,
        "Plain lines in place of the screen, from the next start on: for screen readers, Braille "
        "displays and slow connections. Same as --plain.",
        user_only=True,
    ),
)
BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}
DECIDES_THE_ENGINE = frozenset({"engine", "local_model", "default_model", "model_aliases"})
"""The settings after whose change the engine is chosen again."""
