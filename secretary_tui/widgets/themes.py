"""The product's own colour themes: one quiet accent, states told by glyphs as well as colour.

Each sets every variable of the style sheets. What stands on what, and how well it is read, is
measured by `tests/screens/test_contrast.py` on the screens themselves: 4.5 to 1 at least, 7 to 1 in
the one of high contrast (WCAG 2.2, 1.4.3 and 1.4.6).
"""

from __future__ import annotations

from typing import Any

from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.theme import Theme

AGENT_COLORS = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan")
"""The colours that an agent file may name (reference: Claude Code subagents)."""


def _agents(*colours: str) -> dict[str, str]:
    return {f"agent-{name}": value for name, value in zip(AGENT_COLORS, colours, strict=True)}


DARK = Theme(
    name="secretary-dark",
    primary="#7aa2c9",
    secondary="#8fae9b",
    accent="#d7a65f",
    foreground="#e0e3e8",
    background="#14171c",
    surface="#191d23",
    panel="#20252d",
    success="#7fb685",
    warning="#d9a85b",
    error="#e2868b",
    dark=True,
    variables={
        "rule": "#363b43",
        "cursor-line": "#1c2733",
        "cursor-line-blurred": "#23272e",
        "cursor-line-style": "bold",
        "option-style": "none",
        "option-palette-style": "none",
        "selection-style": "none",
        "found": "#14171c",
        "found-background": "#d9a85b",
        "found-style": "bold",
        "diff-added-background": "#18251f",
        "diff-removed-background": "#2a1c21",
        "text-disabled": "auto 60%",
        "block-cursor-background": "#7aa2c9",
        "block-cursor-foreground": "#14171c",
        "input-selection-background": "#3b5573",
        "input-selection-foreground": "#ffffff",
        **_agents(
            *("#f28b8b", "#8ab4f8", "#81c995", "#e8c76a"),
            *("#c9a0ef", "#f2a661", "#f29ac5", "#6fcbd6"),
        ),
    },
)
LIGHT = Theme(
    name="secretary-light",
    primary="#27578b",
    secondary="#3c674e",
    accent="#80490a",
    foreground="#05070a",
    background="#fbfaf7",
    surface="#f4f2ed",
    panel="#edeae4",
    success="#276a34",
    warning="#7a4d00",
    error="#a3303a",
    dark=False,
    variables={
        "rule": "#cfccc5",
        "cursor-line": "#dde8f4",
        "cursor-line-blurred": "#eceae5",
        "cursor-line-style": "bold",
        "option-style": "none",
        "option-palette-style": "none",
        "selection-style": "none",
        "found": "#ffffff",
        "found-background": "#7a4d00",
        "found-style": "bold",
        "diff-added-background": "#e3f0e2",
        "diff-removed-background": "#f8e4e2",
        "text-disabled": "auto 65%",
        "text-muted": "auto 65%",
        "block-cursor-background": "#27578b",
        "block-cursor-foreground": "#ffffff",
        "input-selection-background": "#b9d2ee",
        "input-selection-foreground": "#000000",
        **_agents(
            *("#b3261e", "#1a56b0", "#1e6b34", "#75550a"),
            *("#6d3bb0", "#964400", "#a8216b", "#0b6370"),
        ),
    },
)
CONTRAST = Theme(
    name="secretary-contrast",
    primary="#66c2ff",
    secondary="#9be29b",
    accent="#ffd75f",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#101010",
    success="#5fff87",
    warning="#ffd75f",
    error="#ff9d9d",
    dark=True,
    text_alpha=1.0,
    variables={
        "rule": "#8a8a8a",
        "cursor-line": "#000000",
        "cursor-line-blurred": "#1c1c1c",
        "cursor-line-style": "reverse",
        "option-style": "reverse",
        "option-palette-style": "underline",
        "found": "#000000",
        "found-background": "#ffd75f",
        "found-style": "bold",
        "selection-style": "none",
        "diff-added-background": "#002600",
        "diff-removed-background": "#330000",
        "text": "#ffffff",
        "text-muted": "auto 75%",
        "text-disabled": "auto 75%",
        "block-cursor-background": "#ffd75f",
        "block-cursor-foreground": "#000000",
        "input-selection-background": "#ffffff",
        "input-selection-foreground": "#000000",
        **_agents(
            *("#ff9d9d", "#8ec5ff", "#5fff87", "#ffe066"),
            *("#e0b3ff", "#ffb870", "#ffa6d2", "#5ff2ff"),
        ),
    },
)

_TERMINAL = {
    "ansi-background": "ansi_default",
    "ansi-foreground": "ansi_default",
    "rule": "ansi_default",
    "cursor-line": "ansi_default",
    "cursor-line-blurred": "ansi_default",
    "cursor-line-style": "reverse",
    "option-style": "reverse",
    "option-palette-style": "underline",
    "selection-style": "reverse",
    "found": "ansi_default",
    "found-background": "ansi_default",
    "found-style": "bold reverse",
    "diff-added-background": "ansi_default",
    "diff-removed-background": "ansi_default",
    "text-muted": "ansi_default",
    "text-disabled": "ansi_default",
    "foreground-muted": "ansi_default",
    "foreground-disabled": "ansi_default",
    "surface": "ansi_default",
    "panel": "ansi_default",
    "block-cursor-background": "ansi_default",
    "block-cursor-foreground": "ansi_default",
    "block-cursor-text-style": "reverse",
    "block-cursor-blurred-text-style": "underline",
    "border-blurred": "ansi_default",
    "scrollbar-background": "ansi_default",
    "scrollbar-background-hover": "ansi_default",
    "scrollbar-background-active": "ansi_default",
    "input-selection-background": "ansi_default",
    "input-selection-foreground": "ansi_default",
    "screen-selection-background": "ansi_default",
    "screen-selection-foreground": "ansi_default",
    "block-hover-background": "ansi_default",
}
"""A terminal's own background may be black or white, so nothing is filled: what stands out is
reversed, which is read as well as the rest."""

ANSI = Theme(
    name="secretary-ansi",
    primary="ansi_magenta",
    secondary="ansi_magenta",
    accent="ansi_magenta",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    success="ansi_default",
    warning="ansi_red",
    error="ansi_red",
    ansi=True,
    variables={
        **_TERMINAL,
        "border": "ansi_magenta",
        **_agents(
            *("ansi_red", "ansi_blue", "ansi_green", "ansi_yellow"),
            *("ansi_magenta", "ansi_yellow", "ansi_bright_magenta", "ansi_cyan"),
        ),
    },
)
"""The terminal's sixteen colours. Magenta and red alone are words: of the sixteen only these are
read on black and on white in every usual palette. The others are dots beside a name."""

PLAIN = Theme(
    name="secretary-plain",
    primary="ansi_default",
    secondary="ansi_default",
    accent="ansi_default",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    success="ansi_default",
    warning="ansi_default",
    error="ansi_default",
    ansi=True,
    variables={
        **_TERMINAL,
        "border": "ansi_default",
        "scrollbar": "ansi_default",
        "scrollbar-hover": "ansi_default",
        "scrollbar-active": "ansi_default",
        "footer-key-foreground": "ansi_default",
        "link-color": "ansi_default",
        "link-background-hover": "ansi_default",
        "link-color-hover": "ansi_default",
        **_agents(*["ansi_default"] * len(AGENT_COLORS)),
    },
)
"""No colour at all, as NO_COLOR asks: bold, underline, reverse and marks say what there is."""

_OURS = ("rule", "cursor-line", "diff-", "option-", "selection-", "found", "agent-")
"""How the names of the variables begin that Textual's themes don't have."""

THEMES = (DARK, LIGHT, CONTRAST, ANSI, PLAIN)
AUTO = "auto"
"""The name that stands for the dark or the light one, by the terminal's background."""


def dot_style(color: str | None) -> str:
    """The style of a mark beside the name of an agent whose file says `color`."""
    return f"$agent-{color}" if color in AGENT_COLORS else "$foreground 60%"


def mark_style(app: App[Any], color: str) -> Style:
    """The same as a style of Rich; none in an app that isn't `ThemedApp`."""
    value = app.theme_variables.get(f"agent-{color}")
    return Style(color=Color.parse(value).rich_color) if value else Style()


class ThemedApp(App[None]):
    """An app whose style sheets use our variables, in its own themes and in Textual's."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our variables for a theme that isn't ours, and so doesn't set them."""
        theme = self.current_theme
        own = ANSI if theme.ansi else DARK if theme.dark else LIGHT
        return {
            name: value
            for name, value in own.variables.items()
            if theme.ansi or name.startswith(_OURS)
        }
